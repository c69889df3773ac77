// Two goroutines that hand each other numbers under a region each, through three generations.
package main

import (
	"context"
	"os"
	"runtime/trace"
	"sync"
	"time"
)

func main() {
	if err := trace.Start(os.Stdout); err != nil {
		panic(err)
	}
	ctx, task := trace.NewTask(context.Background(), "whole")
	there, back := make(chan int), make(chan int)
	var both sync.WaitGroup
	both.Add(2)
	go answer(ctx, &both, there, back)
	go ask(ctx, &both, there, back)
	both.Wait()
	task.End()
	trace.Stop()
}

func ask(ctx context.Context, both *sync.WaitGroup, there chan<- int, back <-chan int) {
	defer both.Done()
	defer close(there)
	for begun := time.Now(); time.Since(begun) < 2300*time.Millisecond; {
		trace.WithRegion(ctx, "ask", func() {
			there <- 1
			<-back
		})
		time.Sleep(4 * time.Millisecond)
	}
}

func answer(ctx context.Context, both *sync.WaitGroup, there <-chan int, back chan<- int) {
	defer both.Done()
	for number := range there {
		trace.WithRegion(ctx, "answer", func() { back <- number + 1 })
	}
}
