// A trace that starts while the collector marks a large heap. Whether it does depends on luck: run it again if not.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"time"
)

type node struct {
	next *node
	rest [6]*node
}

func main() {
	var heap *node
	for i := 0; i < 1<<20; i++ {
		heap = &node{next: heap}
	}
	done := make(chan struct{})
	go func() {
		runtime.GC()
		close(done)
	}()
	time.Sleep(5 * time.Millisecond)
	if err := trace.Start(os.Stdout); err != nil {
		panic(err)
	}
	<-done
	trace.Stop()
	runtime.KeepAlive(heap)
}
