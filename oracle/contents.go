package main

import "sort"

// What stands in a file; -1 is not told.
type contents struct {
	records     map[string]int
	strings     int
	stacks      int
	generations int
}

func (c *contents) print(p *printer) {
	p.line = append(p.line[:0], "contents"...)
	p.signed("strings", int64(c.strings))
	if c.stacks >= 0 {
		p.signed("stacks", int64(c.stacks))
	}
	if c.generations >= 0 {
		p.signed("generations", int64(c.generations))
	}
	var names []string
	for name := range c.records {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		p.signed(name, int64(c.records[name]))
	}
	p.end()
}
