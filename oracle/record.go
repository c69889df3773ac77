package main

// A record is an event of format v1, as both toolchains can tell it.
type record struct {
	time int64
	// Where it stands in the file; -1 when the reader does not tell.
	offset int64
	name   string
	g      uint64
	p      int64
	args   [4]uint64
	// The strings that the arguments name.
	texts []string
	// The stack of who wrote it, and what a new goroutine will run.
	stack      uint64
	startStack uint64
}

// A recordPrinter writes events of format v1, with what an end has from its begin.
type recordPrinter struct {
	*printer
	// By task.
	begun map[uint64]record
	// By P up to version 1.9, when each stopped the world for itself; else one for all.
	stopped map[int64]string
	byP     bool
}

func newRecordPrinter(p *printer, minor int) *recordPrinter {
	return &recordPrinter{p, make(map[uint64]record), make(map[int64]string), minor < 10}
}

func (p *recordPrinter) print(r record) {
	p.begin(r.time, r.name)
	if r.offset >= 0 {
		p.signed("at", r.offset)
	}
	p.unsigned("g", r.g)
	// For events that were moved to a P that does not exist, the real one is lost.
	if r.p >= 1000000 {
		p.word("p", "?")
	} else {
		p.signed("p", r.p)
	}
	p.arguments(r)
	p.stack("start", r.startStack)
	p.stack("stack", r.stack)
	p.end()
}

func (p *recordPrinter) arguments(r record) {
	stopper := int64(-1)
	if p.byP {
		stopper = r.p
	}
	switch r.name {
	case "Gomaxprocs", "HeapAlloc", "HeapGoal":
		p.unsigned("value", r.args[0])
	case "ProcStart":
		p.unsigned("m", r.args[0])
	case "GCSTWStart":
		p.stopped[stopper] = r.texts[0]
		p.text("reason", r.texts[0])
	case "GCSTWDone":
		p.text("reason", p.stopped[stopper])
	case "GCSweepDone":
		p.unsigned("swept", r.args[0])
		p.unsigned("reclaimed", r.args[1])
	case "GoCreate", "GoUnblock":
		p.unsigned("task", r.args[0])
	case "GoStartLabel":
		p.unsigned("task", r.g)
		p.text("label", r.texts[0])
	case "GoStart", "GoEnd", "GoStop", "GoSched", "GoPreempt", "GoSleep", "GoBlock", "GoBlockSend", "GoBlockRecv",
		"GoBlockSelect", "GoBlockSync", "GoBlockCond", "GoBlockNet", "GoBlockGC", "GoSysBlock", "GoSysExit", "GoWaiting",
		"GoInSyscall":
		p.unsigned("task", r.g)
	case "UserTaskCreate":
		p.begun[r.args[0]] = r
		p.userTask(r)
	case "UserTaskEnd":
		if begin, ok := p.begun[r.args[0]]; ok {
			p.userTask(begin)
			delete(p.begun, r.args[0])
		} else {
			p.unsigned("id", r.args[0])
		}
	case "UserRegion":
		p.unsigned("id", r.args[0])
		p.unsigned("mode", r.args[1])
		p.text("name", r.texts[0])
	case "UserLog":
		p.unsigned("id", r.args[0])
		p.text("key", r.texts[0])
		p.text("message", r.texts[1])
	}
}

func (p *recordPrinter) userTask(begin record) {
	p.unsigned("id", begin.args[0])
	p.unsigned("parent", begin.args[1])
	p.text("name", begin.texts[0])
}
