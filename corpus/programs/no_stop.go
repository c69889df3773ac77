// A process that ends without stopping the trace, later than a first generation is written.
package main

import (
	"os"
	"runtime/trace"
	"time"
)

func main() {
	if err := trace.Start(os.Stdout); err != nil {
		panic(err)
	}
	for begun := time.Now(); time.Since(begun) < 1200*time.Millisecond; {
		done := make(chan struct{})
		go close(done)
		<-done
		time.Sleep(5 * time.Millisecond)
	}
	os.Exit(0)
}
