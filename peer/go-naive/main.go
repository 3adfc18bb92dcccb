// Fprintf directly to the file: the program as first written, with a system call for every line.
package main

import (
	"fmt"
	"strings"

	peer "freshet/peer/common/go"
)

func writeText(options *peer.Options) error {
	file, err := options.Open()
	if err != nil {
		return err
	}
	defer file.Close() // after an error; peer.Finish closes it otherwise
	written := int64(0)
	for n := 1; written+peer.LineLength(n) <= options.Size; n++ {
		tabs := strings.Repeat("\t", n%8)
		name := peer.Names[n%6]
		length, err := fmt.Fprintf(file, "%sAll work and no play makes %s a dull boy.\n", tabs, name)
		if err != nil {
			return err
		}
		written += int64(length)
	}
	return peer.Finish(file, written)
}

func main() {
	abilities := peer.Abilities{
		Workloads: "text",
		Options:   "reserve write-through sequential overwrite",
	}
	peer.Run(abilities, writeText)
}
