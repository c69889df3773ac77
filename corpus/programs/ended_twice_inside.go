// A region inside of another that ends twice, so that the second end is not the innermost region's.
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
	outer := trace.StartRegion(context.Background(), "outer")
	twice()
	outer.End()
	trace.Stop()
}

func twice() {
	region := trace.StartRegion(context.Background(), "twice")
	defer region.End()
	region.End()
}
