// A task that begins before the trace does, and a child of it that begins in the trace; both end in it.
package main

import (
	"context"
	"io"
	"os"
	"runtime/trace"
)

func main() {
	// Without a trace running the task would have no number.
	start(io.Discard)
	early, parent := trace.NewTask(context.Background(), "parent")
	trace.Stop()
	start(os.Stdout)
	_, child := trace.NewTask(early, "child")
	trace.Log(early, "key", "of the parent")
	child.End()
	parent.End()
	trace.Stop()
}

func start(sink io.Writer) {
	if err := trace.Start(sink); err != nil {
		panic(err)
	}
}
