package main

import (
	"bufio"
	"hash/fnv"
	"io"
	"strconv"
)

// A frame of a stack.
type frame struct {
	pc       uint64
	function string
	file     string
	line     uint64
}

// A printer writes events as lines.
type printer struct {
	out    *bufio.Writer
	line   []byte
	stacks map[uint64]bool
}

func newPrinter(out io.Writer) *printer {
	return &printer{out: bufio.NewWriterSize(out, 1<<16), stacks: make(map[uint64]bool)}
}

// begin starts the line of an event.
func (p *printer) begin(time int64, kind string) {
	p.line = strconv.AppendInt(p.line[:0], time, 10)
	p.line = append(p.line, ' ')
	p.line = append(p.line, kind...)
}

func (p *printer) key(key string) {
	p.line = append(p.line, ' ')
	p.line = append(p.line, key...)
	p.line = append(p.line, '=')
}

func (p *printer) signed(key string, value int64) {
	p.key(key)
	p.line = strconv.AppendInt(p.line, value, 10)
}

func (p *printer) unsigned(key string, value uint64) {
	p.key(key)
	p.line = strconv.AppendUint(p.line, value, 10)
}

// word writes what needs no quotes.
func (p *printer) word(key, value string) {
	p.key(key)
	p.line = append(p.line, value...)
}

func (p *printer) text(key, value string) {
	p.key(key)
	p.line = appendQuoted(p.line, value)
}

// stack writes the hash that define gave; 0 is no stack.
func (p *printer) stack(key string, hash uint64) {
	if hash != 0 {
		p.key(key)
		p.line = strconv.AppendUint(p.line, hash, 16)
	}
}

// define gives the hash of a stack, and the stack a line if it is new. It can be called while a line is begun.
func (p *printer) define(frames []frame) uint64 {
	if len(frames) == 0 {
		return 0
	}
	var text []byte
	for _, frame := range frames {
		text = append(text, ' ')
		text = strconv.AppendUint(text, frame.pc, 16)
		text = append(text, ' ')
		text = appendQuoted(text, frame.function)
		text = append(text, ' ')
		text = appendQuoted(text, frame.file)
		text = append(text, ' ')
		text = strconv.AppendUint(text, frame.line, 10)
	}
	sum := fnv.New64a()
	_, _ = sum.Write(text)
	hash := sum.Sum64()
	if !p.stacks[hash] {
		p.stacks[hash] = true
		// A failing write is told by close.
		_, _ = p.out.WriteString("stack " + strconv.FormatUint(hash, 16))
		_, _ = p.out.Write(append(text, '\n'))
	}
	return hash
}

// end finishes the line of an event.
func (p *printer) end() {
	p.line = append(p.line, '\n')
	_, _ = p.out.Write(p.line)
}

// close writes how the trace ended.
func (p *printer) close(readErr error) error {
	if readErr == nil {
		_, _ = p.out.WriteString("end\n")
	} else {
		_, _ = p.out.Write(append(appendQuoted([]byte("error "), readErr.Error()), '\n'))
	}
	return p.out.Flush()
}

func appendQuoted(to []byte, text string) []byte {
	const digits = "0123456789abcdef"
	to = append(to, '"')
	for i := 0; i < len(text); i++ {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			to = append(to, '\\', 'x', digits[c>>4], digits[c&15])
		} else {
			to = append(to, c)
		}
	}
	return append(to, '"')
}
