// Records a large execution trace, to measure readers with.
//
//	bigtrace -load mix -bytes 100000000 FILE
//
// The load runs until the trace is as large as wished. It builds with every toolchain from Go 1.19 on, and the toolchain gives
// the format: `cargo xtask bigtrace` uses two.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/trace"
	"sync"
	"sync/atomic"
)

// A load is a program worth tracing. It returns soon after the trace is full.
type load func(isFull func() bool)

var loads = map[string]load{"mix": mix, "pp": pingPong}

func main() {
	name := flag.String("load", "mix", "what runs: mix or pp")
	bytes := flag.Int64("bytes", 100_000_000, "how large the trace is to be")
	flag.Parse()
	run, isKnown := loads[*name]
	if !isKnown || flag.NArg() != 1 {
		flag.Usage()
		os.Exit(64)
	}
	try(record(flag.Arg(0), *bytes, run))
}

// record writes the trace of a load to a file.
func record(path string, bytes int64, run load) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	counter := &counter{to: file}
	if err := trace.Start(counter); err != nil {
		return err
	}
	run(func() bool { return counter.failed.Load() || counter.bytes.Load() >= bytes })
	trace.Stop()
	if counter.failed.Load() {
		return fmt.Errorf("cannot write %s: is the disk full?", path)
	}
	return file.Close()
}

// A counter knows how much has been written through it. The tracer does not say that it could not write.
type counter struct {
	to     io.Writer
	bytes  atomic.Int64
	failed atomic.Bool
}

func (c *counter) Write(bytes []byte) (int, error) {
	written, err := c.to.Write(bytes)
	c.bytes.Add(int64(written))
	if err != nil {
		c.failed.Store(true)
	}
	return written, err
}

// together runs functions at the same time, and waits for all.
func together(functions ...func()) {
	var all sync.WaitGroup
	for _, function := range functions {
		all.Add(1)
		go func(function func()) {
			defer all.Done()
			function()
		}(function)
	}
	all.Wait()
}

// try ends the program if a step of it failed.
func try(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bigtrace:", err)
		os.Exit(1)
	}
}
