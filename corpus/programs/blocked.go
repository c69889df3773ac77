// A goroutine that waits on a channel from before the trace until after it, for longer than a generation takes.
package main

import (
	"os"
	"runtime/trace"
	"time"
)

func main() {
	never := make(chan struct{})
	go waitForever(never)
	time.Sleep(10 * time.Millisecond)
	if err := trace.Start(os.Stdout); err != nil {
		panic(err)
	}
	time.Sleep(1500 * time.Millisecond)
	trace.Stop()
	close(never)
}

func waitForever(never <-chan struct{}) {
	<-never
}
