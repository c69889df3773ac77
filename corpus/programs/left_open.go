// A task with a log, and a region, that never end.
package main

import (
	"context"
	"os"
	"runtime/trace"
	"time"
)

func main() {
	if err := trace.Start(os.Stdout); err != nil {
		panic(err)
	}
	ctx, _ := trace.NewTask(context.Background(), "unfinished")
	trace.Log(ctx, "key", "of the task")
	trace.StartRegion(ctx, "open")
	time.Sleep(5 * time.Millisecond)
	trace.Stop()
}
