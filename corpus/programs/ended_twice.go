// A region that ends twice: at once, and when its function returns.
package main

import (
	"context"
	"os"
	"runtime/trace"
)

func main() {
	if err := trace.Start(os.Stdout); err != nil {
		panic(err)
	}
	twice()
	trace.Stop()
}

func twice() {
	region := trace.StartRegion(context.Background(), "twice")
	defer region.End()
	region.End()
}
