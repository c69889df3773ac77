// Package trace is the toolchain's own; the overlay adds this file to that of Go 1.19.
package trace

import "io"

// ParseUnsymbolized is Parse, but a trace of Go 1.5 or 1.6 needs no binary: its frames are addresses.
func ParseUnsymbolized(r io.Reader) (ParseResult, error) {
	_, result, err := parse(r, "")
	return result, err
}

// RawTypes is the first pass of Parse alone: the types of the records as they stand in the file, and the number of strings.
func RawTypes(r io.Reader) (types []byte, texts int, err error) {
	_, raw, table, err := readTrace(r)
	for _, event := range raw {
		types = append(types, event.typ)
	}
	return types, len(table), err
}
