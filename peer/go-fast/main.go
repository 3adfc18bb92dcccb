// Appends slices to a block of its own: the fastest way that the standard library allows, also with direct I/O.
package main

import (
	"os"
	"syscall"

	peer "freshet/peer/common/go"
)

// How far the content may extend beyond a block before the block is written.
const slack = peer.PageSize

// emit writes the full blocks of size bytes, and moves the rest to the beginning.
func emit(file *os.File, block []byte, size int) ([]byte, error) {
	full := len(block) / size * size
	if _, err := file.Write(block[:full]); err != nil {
		return nil, err
	}
	return append(block[:0], block[full:]...), nil
}

func text(file *os.File, block []byte, options *peer.Options) (rest []byte, written int64, err error) {
	for n := 1; written+peer.LineLength(n) <= options.Size; n++ {
		block = append(block, peer.Tabs[:n%8]...)
		block = append(block, "All work and no play makes "...)
		block = append(block, peer.Names[n%6]...)
		block = append(block, " a dull boy.\n"...)
		written += peer.LineLength(n)
		if len(block) >= options.Buffer {
			if block, err = emit(file, block, options.Buffer); err != nil {
				return nil, 0, err
			}
		}
	}
	return block, written, nil
}

func bytes(file *os.File, block []byte, options *peer.Options) (rest []byte, written int64, err error) {
	table := peer.ByteTable()
	for ; written < options.Size; written++ {
		block = append(block, table[written%65536])
		if len(block) >= options.Buffer {
			if block, err = emit(file, block, options.Buffer); err != nil {
				return nil, 0, err
			}
		}
	}
	return block, written, nil
}

func write(options *peer.Options) error {
	file, err := options.Open()
	if err != nil {
		return err
	}
	defer file.Close() // after an error; peer.Finish closes it otherwise
	// Direct I/O needs page-aligned memory, which make does not guarantee.
	memory, err := syscall.Mmap(-1, 0, options.Buffer+slack, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return os.NewSyscallError("mmap", err)
	}
	work := text
	if options.Workload == "bytes" {
		work = bytes
	}
	block, written, err := work(file, memory[:0], options)
	if err != nil {
		return err
	}
	if options.NoCache { // the last block as whole pages; the file is truncated afterwards
		block = block[:(len(block)+peer.PageSize-1)/peer.PageSize*peer.PageSize]
	}
	if _, err := file.Write(block); err != nil {
		return err
	}
	return peer.Finish(file, written)
}

func main() {
	abilities := peer.Abilities{
		Workloads: "text bytes",
		Options:   "buffer reserve write-through no-cache sequential overwrite",
	}
	peer.Run(abilities, write)
}
