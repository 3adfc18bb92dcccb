// Bypasses the page cache with O_DIRECT: a goroutine writes one block while the program fills the other.
package main

import (
	"os"
	"syscall"

	peer "freshet/peer/common/go"
)

// How far a line may extend beyond a block.
const slack = peer.PageSize

// Huge pages mean fewer faults, and fewer pages for the kernel to pin.
const madvHugePage = 14

type output struct {
	file   *os.File
	size   int
	full   chan []byte
	empty  chan []byte
	failed chan error
}

func start(file *os.File, size int) (*output, error) {
	out := &output{
		file:   file,
		size:   size,
		full:   make(chan []byte, 1),
		empty:  make(chan []byte, 2),
		failed: make(chan error, 1),
	}
	stride := (size + slack + peer.PageSize - 1) / peer.PageSize * peer.PageSize
	memory, err := syscall.Mmap(-1, 0, 2*stride, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, os.NewSyscallError("mmap", err)
	}
	syscall.Madvise(memory, madvHugePage) // only a hint
	out.empty <- memory[:0:stride]
	out.empty <- memory[stride:stride]
	go out.writeBlocks()
	return out, nil
}

// writeBlocks writes full blocks in their order. It closes `empty` after the last one, and after a failure.
func (out *output) writeBlocks() {
	defer close(out.empty)
	for block := range out.full {
		if _, err := out.file.Write(block); err != nil {
			out.failed <- err
			return
		}
		out.empty <- block[:0]
	}
}

// next waits for a block to fill.
func (out *output) next() ([]byte, error) {
	if block, ok := <-out.empty; ok {
		return block, nil
	}
	return nil, <-out.failed
}

// emit hands over a full block, and returns the other one with the part of the last line that did not fit.
func (out *output) emit(block []byte) ([]byte, error) {
	next, err := out.next()
	if err != nil {
		return nil, err
	}
	next = append(next, block[out.size:]...)
	out.full <- block[:out.size]
	return next, nil
}

// finish writes the last block as whole pages, and waits for all of them. The file is truncated afterwards.
func (out *output) finish(block []byte) error {
	out.full <- block[:(len(block)+peer.PageSize-1)/peer.PageSize*peer.PageSize]
	close(out.full)
	for range out.empty {
	}
	select {
	case err := <-out.failed:
		return err
	default:
		return nil
	}
}

func text(out *output, size int64) (written int64, err error) {
	block, err := out.next()
	for n := 1; err == nil && written+peer.LineLength(n) <= size; n++ {
		block = append(block, peer.Tabs[:n%8]...)
		block = append(block, "All work and no play makes "...)
		block = append(block, peer.Names[n%6]...)
		block = append(block, " a dull boy.\n"...)
		written += peer.LineLength(n)
		if len(block) >= out.size {
			block, err = out.emit(block)
		}
	}
	if err != nil {
		return 0, err
	}
	return written, out.finish(block)
}

func write(options *peer.Options) error {
	file, err := options.Open()
	if err != nil {
		return err
	}
	defer file.Close() // after an error; peer.Finish closes it otherwise
	out, err := start(file, options.Buffer)
	if err != nil {
		return err
	}
	written, err := text(out, options.Size)
	if err != nil {
		return err
	}
	return peer.Finish(file, written)
}

func main() {
	abilities := peer.Abilities{
		Workloads: "text",
		Options:   "buffer reserve write-through no-cache sequential overwrite",
		Direct:    true,
	}
	peer.Run(abilities, write)
}
