//go:build go1.27

package main

import (
	"fmt"
	"internal/trace/raw"
	"internal/trace/tracev2"
	"io"
)

// listContents prints what the raw reader finds, up to its first error.
func listContents(p *printer, input io.Reader) error {
	counts := contents{records: make(map[string]int)}
	generations := make(map[uint64]bool)
	reader, err := raw.NewReader(input)
	if err != nil {
		counts.print(p)
		return err
	}
	for {
		event, err := reader.ReadEvent()
		if err != nil {
			counts.generations = len(generations)
			counts.print(p)
			if err == io.EOF {
				return nil
			}
			return err
		}
		counts.records[nameOf(event.Ev)]++
		switch event.Ev {
		case tracev2.EvEventBatch:
			generations[event.Args[0]] = true
		case tracev2.EvString:
			counts.strings++
		case tracev2.EvStack:
			counts.stacks++
		}
	}
}

// nameOf names also the numbers that no event has.
func nameOf(number tracev2.EventType) string {
	if name := tracev2.Specs()[number].Name; name != "" {
		return name
	}
	return fmt.Sprintf("Invalid(%d)", number)
}
