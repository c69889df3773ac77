// Prints the events of an execution trace as the toolchain's own reader gives them.
//
// Our reader is compared with it, event by event, and measured beside it. The reader is internal to Go, so this program is
// built inside the toolchain's tree, by an overlay: crates/testkit/src/oracle.rs does it, for Go 1.19 and Go 1.27.
//
//	oracle FILE           the events, a line each
//	oracle -records FILE  those of format v1 as they stand in the file, where the reader would turn them into v2
//	oracle -count FILE    how many events there are, and what it takes to read them
//	oracle -contents FILE what stands in the file, before anything is put in order: a line with the numbers of strings,
//	                      of stacks and generations where the reader tells them, and of records by type
//	oracle -judge FILE... of each file a line: how many events there are, or why the reader refuses it
//
// A line has the time, the kind, and the fields by name. A stack is the hash of its frames, which a line of their own gives
// when the stack first comes; frames are written innermost first. Bytes that are no plain text stand as \xNN. The last line
// is `end`, or `error` with the reader's reason.
package main

import (
	"bufio"
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	onlyCount := flag.Bool("count", false, "count the events and measure")
	contents := flag.Bool("contents", false, "count what stands in the file")
	asRecords := flag.Bool("records", false, "print events of format v1 as they stand in the file")
	judging := flag.Bool("judge", false, "say of each of many files whether the reader takes it")
	flag.Parse()
	if *judging {
		for _, name := range flag.Args() {
			if err := judge(name); err != nil {
				fatal(err)
			}
		}
		return
	}
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(64)
	}
	file, err := os.Open(flag.Arg(0))
	if err != nil {
		fatal(err)
	}
	input, err := unpacked(file)
	if err != nil {
		fatal(err)
	}
	printer := newPrinter(os.Stdout)
	switch {
	case *onlyCount:
		err = count(input)
	case *contents:
		err = printer.close(listContents(printer, input))
	default:
		err = printer.close(list(printer, input, *asRecords))
	}
	if err != nil {
		fatal(err)
	}
}

// judge reads all events of the file and says whether it could.
func judge(name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	var events int
	input, err := unpacked(file)
	if err == nil {
		events, err = read(input)
	}
	if err != nil {
		_, err = fmt.Printf("error=%q\n", err)
		return err
	}
	_, err = fmt.Printf("events=%d\n", events)
	return err
}

// unpacked is what is in the file, which may be gzipped.
func unpacked(file io.Reader) (io.Reader, error) {
	input := bufio.NewReaderSize(file, 1<<16)
	magic, err := input.Peek(2)
	if err != nil || magic[0] != 0x1f || magic[1] != 0x8b {
		return input, nil
	}
	packed, err := gzip.NewReader(input)
	// Go 1.19 takes a last byte that comes together with the end of the file for a fault.
	return bufio.NewReader(packed), err
}

// count reads all events and says what it took.
func count(input io.Reader) error {
	begun := now()
	events, readErr := read(input)
	taken := now().since(begun)
	peak, err := peakBytes()
	if err != nil {
		return err
	}
	fmt.Printf("events=%d seconds=%.6f cpu_seconds=%.6f peak_bytes=%d", events, taken.wall, taken.cpu, peak)
	if readErr != nil {
		fmt.Printf(" error=%q", readErr)
	}
	_, err = fmt.Println()
	return err
}

func fatal(err error) {
	fmt.Fprintln(os.Stderr, "oracle:", err)
	os.Exit(2)
}
