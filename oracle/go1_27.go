//go:build go1.27

package main

import (
	"bufio"
	"internal/trace"
	"io"
	"strconv"
	"strings"
)

// read reads all events, and says how many there are.
func read(input io.Reader) (int, error) {
	reader, err := trace.NewReader(input)
	if err != nil {
		return 0, err
	}
	for events := 0; ; events++ {
		if _, err := reader.ReadEvent(); err == io.EOF {
			return events, nil
		} else if err != nil {
			return events, err
		}
	}
}

// list prints all events.
func list(p *printer, input io.Reader, asRecords bool) error {
	if asRecords {
		return listRecords(p, bufio.NewReader(input))
	}
	reader, err := trace.NewReader(input)
	if err != nil {
		return err
	}
	events := eventPrinter{p, make(map[trace.Stack]uint64)}
	for {
		event, err := reader.ReadEvent()
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		events.print(event)
	}
}

// An eventPrinter writes the events of the reader.
type eventPrinter struct {
	*printer
	hashes map[trace.Stack]uint64
}

func (p *eventPrinter) print(event trace.Event) {
	p.begin(int64(event.Time()), event.Kind().String())
	p.signed("g", int64(event.Goroutine()))
	p.signed("p", int64(event.Proc()))
	p.signed("m", int64(event.Thread()))
	switch event.Kind() {
	case trace.EventMetric:
		metric := event.Metric()
		p.word("name", metric.Name)
		p.unsigned("value", metric.Value.Uint64())
	case trace.EventLabel:
		label := event.Label()
		p.resource("of", label.Resource)
		p.text("label", label.Label)
	case trace.EventRangeBegin, trace.EventRangeActive, trace.EventRangeEnd:
		p.rangeDetails(event)
	case trace.EventTaskBegin, trace.EventTaskEnd:
		task := event.Task()
		p.unsigned("id", uint64(task.ID))
		p.signed("parent", int64(task.Parent))
		p.text("name", task.Type)
	case trace.EventRegionBegin, trace.EventRegionEnd:
		region := event.Region()
		p.unsigned("id", uint64(region.Task))
		p.text("name", region.Type)
	case trace.EventLog:
		log := event.Log()
		p.unsigned("id", uint64(log.Task))
		p.text("key", log.Category)
		p.text("message", log.Message)
	case trace.EventStateTransition:
		p.transition(event.StateTransition())
	case trace.EventExperimental:
		experimental := event.Experimental()
		p.word("name", experimental.Name)
		for i := range experimental.Args {
			p.unsigned("arg"+strconv.Itoa(i), experimental.ArgValue(i).Uint64())
		}
	}
	p.stack("stack", p.hash(event.Stack()))
	p.end()
}

func (p *eventPrinter) rangeDetails(event trace.Event) {
	details := event.Range()
	p.text("name", details.Name)
	p.resource("of", details.Scope)
	if event.Kind() == trace.EventRangeEnd {
		for _, attribute := range event.RangeAttributes() {
			p.unsigned(strings.ReplaceAll(attribute.Name, " ", "_"), attribute.Value.Uint64())
		}
	}
}

func (p *eventPrinter) transition(change trace.StateTransition) {
	p.resource("of", change.Resource)
	switch change.Resource.Kind {
	case trace.ResourceGoroutine:
		from, to := change.Goroutine()
		p.word("from", from.String())
		p.word("to", to.String())
	case trace.ResourceProc:
		from, to := change.Proc()
		p.word("from", from.String())
		p.word("to", to.String())
	}
	if change.Reason != "" {
		p.text("reason", change.Reason)
	}
	p.stack("its", p.hash(change.Stack))
}

func (p *eventPrinter) resource(key string, resource trace.ResourceID) {
	switch resource.Kind {
	case trace.ResourceGoroutine:
		p.signed(key+"_g", int64(resource.Goroutine()))
	case trace.ResourceProc:
		p.signed(key+"_p", int64(resource.Proc()))
	}
}

func (p *eventPrinter) hash(stack trace.Stack) (hash uint64) {
	if stack == trace.NoStack {
		return 0
	}
	if hash, ok := p.hashes[stack]; ok {
		return hash
	}
	defer func() {
		// The reader does not check the stacks of samples, and panics on one that is not there.
		_ = recover()
		p.hashes[stack] = hash
	}()
	var frames []frame
	for f := range stack.Frames() {
		frames = append(frames, frame{f.PC, f.Func, f.File, f.Line})
	}
	return p.define(frames)
}
