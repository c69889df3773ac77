// Allocations as experimental events.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
)

var kept []*[64]byte

func main() {
	if err := os.Setenv("GODEBUG", "traceallocfree=1"); err != nil {
		panic(err)
	}
	if err := trace.Start(os.Stdout); err != nil {
		panic(err)
	}
	for i := 0; i < 500; i++ {
		kept = append(kept, new([64]byte))
	}
	kept = nil
	runtime.GC()
	trace.Stop()
}
