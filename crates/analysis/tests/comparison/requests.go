// Requests as user tasks, each of which waits for a lookup and then renders; with the argument slower the lookup waits three tenths
// longer. Recorded by `go build -trimpath requests.go`: requests and requests_again with Go 1.27, one right after the other on a
// machine that compiled meanwhile; requests_slower with the argument; requests_1_19 with Go 1.19.
package main

import (
	"context"
	"os"
	"runtime/trace"
	"sync"
	"time"
)

var sum uint64

func work(n int) {
	s := sum
	for i := 0; i < n; i++ {
		s = s*6364136223846793005 + 1442695040888963407
	}
	sum = s
}

func lookup(ctx context.Context, wait time.Duration) {
	defer trace.StartRegion(ctx, "lookup").End()
	time.Sleep(wait)
}

func render(ctx context.Context) {
	defer trace.StartRegion(ctx, "render").End()
	work(100_000)
}

func handle(wait time.Duration, done *sync.WaitGroup) {
	defer done.Done()
	ctx, request := trace.NewTask(context.Background(), "request")
	defer request.End()
	lookup(ctx, wait)
	render(ctx)
}

func main() {
	wait := 4 * time.Millisecond
	if len(os.Args) > 1 && os.Args[1] == "slower" {
		wait = wait * 13 / 10
	}
	trace.Start(os.Stdout)
	var done sync.WaitGroup
	for i := 0; i < 300; i++ {
		done.Add(1)
		go handle(wait, &done)
		time.Sleep(3 * time.Millisecond)
	}
	done.Wait()
	trace.Stop()
}
