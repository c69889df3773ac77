//go:build go1.27

package main

import (
	"bufio"
	"internal/trace/internal/tracev1"
	"internal/trace/version"
)

// Why the world is stopped, by number, as the runtime of Go 1.21 says it. Older versions have the second and third only.
var stopReasons = [...]string{
	"unknown", "GC mark termination", "GC sweep termination", "write heap dump", "goroutine profile",
	"goroutine profile cleanup", "all goroutines stack trace", "read mem stats", "AllThreadsSyscall", "GOMAXPROCS",
	"start trace", "stop trace", "CountPagesInUse (test)", "ReadMetricsSlow (test)", "ReadMemStatsSlow (test)",
	"PageCachePagesLeaked (test)", "ResetDebugLog (test)",
}

// listRecords prints the events of format v1, from version 1.11 on, as they stand in the file.
func listRecords(p *printer, input *bufio.Reader) error {
	minor, err := version.ReadHeader(input)
	if err != nil {
		return err
	}
	parsed, err := tracev1.Parse(input, minor)
	if err != nil {
		return err
	}
	hashes := make(map[uint32]uint64)
	hash := func(id uint32) uint64 {
		hash, ok := hashes[id]
		if !ok {
			hash = p.define(framesOf(&parsed, id))
			hashes[id] = hash
		}
		return hash
	}
	records := newRecordPrinter(p, int(minor))
	for {
		event, ok := parsed.Events.Pop()
		if !ok {
			return nil
		}
		r := record{
			time:   int64(event.Ts),
			offset: -1,
			name:   tracev1.EventDescriptions[event.Type].Name,
			g:      event.G,
			p:      int64(event.P),
			args:   event.Args,
			texts:  textsOf(&parsed, event),
			stack:  hash(event.StkID),
		}
		if event.Type == tracev1.EvGoCreate {
			r.startStack = hash(uint32(event.Args[1]))
		}
		records.print(r)
	}
}

func textsOf(parsed *tracev1.Trace, event *tracev1.Event) []string {
	switch event.Type {
	case tracev1.EvSTWStart:
		return []string{stopReasons[parsed.STWReason(event.Args[0])]}
	case tracev1.EvGoStartLabel, tracev1.EvUserTaskCreate, tracev1.EvUserRegion:
		return []string{parsed.Strings[event.Args[2]]}
	case tracev1.EvUserLog:
		return []string{parsed.Strings[event.Args[1]], parsed.InlineStrings[event.Args[3]]}
	}
	return nil
}

func framesOf(parsed *tracev1.Trace, id uint32) []frame {
	var frames []frame
	for _, pc := range parsed.Stacks[id] {
		f := parsed.PCs[pc]
		frames = append(frames, frame{f.PC, parsed.Strings[f.Fn], parsed.Strings[f.File], uint64(f.Line)})
	}
	return frames
}
