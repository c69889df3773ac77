// A region that begins before the trace does and ends in it.
package main

import (
	"context"
	"io"
	"os"
	"runtime/trace"
)

func main() {
	// Without a trace running no region would be made.
	start(io.Discard)
	region := trace.StartRegion(context.Background(), "early")
	trace.Stop()
	start(os.Stdout)
	region.End()
	trace.Stop()
}

func start(sink io.Writer) {
	if err := trace.Start(sink); err != nil {
		panic(err)
	}
}
