// Package peer is what every Go peer needs besides its way of writing: the options, the protocol and the
// workloads.
package peer

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// Names are those of the text: line n has name n modulo their number.
var Names = [...]string{
	"Jack", "Justin Michel", "Fred Flintstone", "Barney Rubble", "Homer J. Simpson", "John Jacob Jingleheimer Schmidt",
}

const Tabs = "\t\t\t\t\t\t\t"

// PageSize divides all addresses, lengths and offsets of direct I/O.
const PageSize = 4096

// Abilities are the options and workloads of a peer, as in its manifest.
type Abilities struct {
	Workloads, Options, Styles string
	Direct                     bool // --no-cache is always on
}

type Options struct {
	Workload, Style, File                                 string
	Size                                                  int64
	Buffer                                                int
	Reserve, WriteThrough, NoCache, Sequential, Overwrite bool
}

// LineLength is used to stop before the first line that would exceed the size.
func LineLength(n int) int64 {
	return int64(n%8 + len("All work and no play makes  a dull boy.\n") + len(Names[n%6]))
}

// ByteTable holds the content of the workload "bytes".
func ByteTable() *[65536]byte {
	var table [65536]byte
	x := uint32(1)
	for i := range table {
		x = x*1664525 + 1013904223
		table[i] = byte(x >> 24)
	}
	return &table
}

// Open opens the file as the options say.
func (options *Options) Open() (*os.File, error) {
	flags := os.O_WRONLY
	if !options.Overwrite {
		flags |= os.O_CREATE | os.O_TRUNC
	}
	if options.WriteThrough {
		flags |= syscall.O_DSYNC
	}
	if options.NoCache {
		flags |= syscall.O_DIRECT
	}
	file, err := os.OpenFile(options.File, flags, 0o666)
	if err != nil {
		return nil, err
	}
	if options.Reserve && options.Size > 0 {
		if err := syscall.Fallocate(int(file.Fd()), 0, 0, options.Size); err != nil {
			return nil, &os.PathError{Op: "fallocate", Path: options.File, Err: err}
		}
	}
	if options.Sequential {
		const sequential = 2 // POSIX_FADV_SEQUENTIAL
		_, _, err := syscall.Syscall6(syscall.SYS_FADVISE64, file.Fd(), 0, 0, sequential, 0, 0)
		if err != 0 {
			return nil, &os.PathError{Op: "fadvise", Path: options.File, Err: err}
		}
	}
	return file, nil
}

// The method that `closed` reports.
var methodAtWork = "buffered"

// reportMethod asks the kernel whether the file's writes bypass the page cache.
func reportMethod(file *os.File) error {
	flags, _, err := syscall.Syscall(syscall.SYS_FCNTL, file.Fd(), syscall.F_GETFL, 0)
	if err != 0 {
		return &os.PathError{Op: "fcntl", Path: file.Name(), Err: err}
	}
	if flags&syscall.O_DIRECT != 0 {
		methodAtWork = "direct"
	}
	return nil
}

// Finish truncates the file if it is longer than its content, and closes it.
func Finish(file *os.File, written int64) error {
	if err := reportMethod(file); err != nil {
		return err
	}
	found, err := file.Stat()
	if err == nil && found.Size() > written {
		err = file.Truncate(written)
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}

// Run does the work between reading the two lines.
func Run(abilities Abilities, work func(options *Options) error) {
	options, err := parse(abilities)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	in := bufio.NewReader(os.Stdin)
	sayAndWait("ready", in)
	if err := work(options); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	sayAndWait("closed "+methodAtWork, in)
}

// The end of the input counts as a line.
func sayAndWait(word string, in *bufio.Reader) {
	fmt.Println(word)
	in.ReadString('\n')
}

func parse(abilities Abilities) (*Options, error) {
	options := &Options{Workload: "text", Style: firstWord(abilities.Styles), Size: -1, Buffer: 64 << 10, NoCache: abilities.Direct}
	arguments := os.Args[1:]
	for len(arguments) > 0 {
		name, value := arguments[0], ""
		switch name {
		case "--reserve", "--write-through", "--no-cache", "--sequential":
			arguments = arguments[1:]
		default:
			if len(arguments) < 2 {
				return nil, fmt.Errorf("%s is unknown or needs a value", name)
			}
			value, arguments = arguments[1], arguments[2:]
		}
		if err := options.set(name, value, abilities); err != nil {
			return nil, err
		}
	}
	switch {
	case options.File == "":
		return nil, fmt.Errorf("--file is needed")
	case options.Size < 0:
		return nil, fmt.Errorf("--size is needed")
	case options.Buffer < 1 || options.Buffer > 1<<30:
		return nil, fmt.Errorf("--buffer is 1 to 1073741824 bytes")
	case options.NoCache && options.Buffer%PageSize != 0:
		return nil, fmt.Errorf("--buffer must be a multiple of %d with --no-cache", PageSize)
	}
	return options, nil
}

func (options *Options) set(name, value string, abilities Abilities) (err error) {
	needed := strings.TrimPrefix(name, "--")
	if name == "--target" && value == "overwrite" {
		needed = value
	}
	if !contains("file size workload style target "+abilities.Options, needed) {
		return fmt.Errorf("%s is unknown or not supported", strings.TrimSpace(name+" "+value))
	}
	switch name {
	case "--file":
		options.File = value
	case "--size":
		options.Size, err = number(name, value)
	case "--buffer":
		var buffer int64
		buffer, err = number(name, value)
		options.Buffer = int(buffer)
	case "--workload":
		options.Workload, err = oneOf(name, value, abilities.Workloads)
	case "--style":
		options.Style, err = oneOf(name, value, abilities.Styles)
	case "--target":
		value, err = oneOf(name, value, "new overwrite")
		options.Overwrite = value == "overwrite"
	case "--reserve":
		options.Reserve = true
	case "--write-through":
		options.WriteThrough = true
	case "--no-cache":
		options.NoCache = true
	case "--sequential":
		options.Sequential = true
	}
	return err
}

func number(name, text string) (int64, error) {
	bytes, err := strconv.ParseInt(text, 10, 64)
	if err != nil || bytes < 0 {
		return 0, fmt.Errorf("%s is a number of bytes, not '%s'", name, text)
	}
	return bytes, nil
}

func oneOf(name, value, words string) (string, error) {
	if !contains(words, value) {
		return "", fmt.Errorf("%s is one of %s, not '%s'", name, words, value)
	}
	return value, nil
}

func contains(words, wanted string) bool {
	for _, word := range strings.Fields(words) {
		if word == wanted {
			return true
		}
	}
	return false
}

func firstWord(words string) string {
	if fields := strings.Fields(words); len(fields) > 0 {
		return fields[0]
	}
	return ""
}
