// A bufio.Writer, written to with Fprintf or WriteString.
package main

import (
	"bufio"
	"fmt"

	peer "freshet/peer/common/go"
)

func textByFormat(out *bufio.Writer, size int64) (written int64) {
	for n := 1; written+peer.LineLength(n) <= size; n++ {
		fmt.Fprintf(out, "%sAll work and no play makes %s a dull boy.\n", peer.Tabs[:n%8], peer.Names[n%6])
		written += peer.LineLength(n)
	}
	return written
}

func textByPieces(out *bufio.Writer, size int64) (written int64) {
	for n := 1; written+peer.LineLength(n) <= size; n++ {
		out.WriteString(peer.Tabs[:n%8])
		out.WriteString("All work and no play makes ")
		out.WriteString(peer.Names[n%6])
		out.WriteString(" a dull boy.\n")
		written += peer.LineLength(n)
	}
	return written
}

func bytes(out *bufio.Writer, size int64) int64 {
	table := peer.ByteTable()
	for i := int64(0); i < size; i++ {
		out.WriteByte(table[i%65536])
	}
	return size
}

func write(options *peer.Options) error {
	file, err := options.Open()
	if err != nil {
		return err
	}
	defer file.Close() // after an error; peer.Finish closes it otherwise
	out := bufio.NewWriterSize(file, options.Buffer)
	var written int64
	switch {
	case options.Workload == "bytes":
		written = bytes(out, options.Size)
	case options.Style == "fprintf":
		written = textByFormat(out, options.Size)
	default:
		written = textByPieces(out, options.Size)
	}
	// The first error sticks: every later call does nothing, and Flush reports it.
	if err := out.Flush(); err != nil {
		return err
	}
	return peer.Finish(file, written)
}

func main() {
	abilities := peer.Abilities{
		Workloads: "text bytes",
		Options:   "buffer reserve write-through sequential overwrite",
		Styles:    "writestring fprintf",
	}
	peer.Run(abilities, write)
}
