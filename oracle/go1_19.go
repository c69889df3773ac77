//go:build !go1.20

package main

import (
	"bufio"
	"fmt"
	"internal/trace"
	"io"
)

// read reads all events, and says how many there are.
func read(input io.Reader) (int, error) {
	result, err := trace.ParseUnsymbolized(input)
	return len(result.Events), err
}

// list prints all events; they are records anyway.
func list(p *printer, input io.Reader, _ bool) error {
	buffered := bufio.NewReader(input)
	header, _ := buffered.Peek(16)
	var minor int
	// What is no header the reader refuses.
	_, _ = fmt.Sscanf(string(header), "go 1.%d trace", &minor)
	result, err := trace.ParseUnsymbolized(buffered)
	if err != nil {
		return err
	}
	// A stack's frames are its own.
	hashes := make(map[*trace.Frame]uint64)
	hash := func(stack []*trace.Frame) uint64 {
		if len(stack) == 0 {
			return 0
		}
		hash, ok := hashes[stack[0]]
		if !ok {
			hash = p.define(frames(stack))
			hashes[stack[0]] = hash
		}
		return hash
	}
	records := newRecordPrinter(p, minor)
	for _, event := range result.Events {
		r := record{
			time:   event.Ts,
			offset: int64(event.Off),
			name:   trace.EventDescriptions[event.Type].Name,
			g:      event.G,
			p:      int64(event.P),
			texts:  event.SArgs,
			stack:  hash(event.Stk),
		}
		copy(r.args[:], event.Args[:])
		switch event.Type {
		case trace.EvGoCreate:
			if minor < 7 {
				// An address stands in the stack's place; the reader tells it as it does for the first start.
				r.startStack = p.define([]frame{{pc: event.Args[1] + 1}})
			} else {
				r.startStack = hash(result.Stacks[event.Args[1]])
			}
		case trace.EvGCSTWStart:
			r.texts = []string{"GC " + event.SArgs[0]}
		}
		records.print(r)
	}
	return nil
}

func frames(stack []*trace.Frame) []frame {
	frames := make([]frame, 0, len(stack))
	for _, f := range stack {
		frames = append(frames, frame{f.PC, f.Fn, f.File, uint64(f.Line)})
	}
	return frames
}
