//go:build !go1.20

package main

import (
	"bytes"
	"internal/trace"
	"io"
)

// listContents prints what the raw pass finds, if it comes to the end; strings are no records there.
func listContents(p *printer, input io.Reader) error {
	file, err := io.ReadAll(input)
	if err != nil {
		return err
	}
	types, strings, err := trace.RawTypes(bytes.NewReader(file))
	if err != nil {
		return err
	}
	counts := contents{records: make(map[string]int), strings: strings, stacks: -1, generations: -1}
	for _, number := range types {
		counts.records[trace.EventDescriptions[number].Name]++
	}
	result, err := trace.ParseUnsymbolized(bytes.NewReader(file))
	if err == nil {
		counts.stacks = len(result.Stacks)
	}
	counts.print(p)
	return err
}
