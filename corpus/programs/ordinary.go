// A bit of everything: tasks, regions, logs, locks, channels, timers, a connection, files, a collection, CPU samples.
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"sync"
	"time"
)

func main() {
	// Samples go to a profile, and those of a running trace to the trace too.
	check(pprof.StartCPUProfile(io.Discard))
	check(trace.Start(os.Stdout))
	ctx, task := trace.NewTask(context.Background(), "ordinary")
	for _, step := range []struct {
		name string
		run  func(context.Context)
	}{
		{"locks", locks}, {"channels", channels}, {"network", network}, {"files", files},
		{"compute", compute}, {"collect", collect}, {"processors", processors},
	} {
		trace.WithRegion(ctx, step.name, func() { step.run(ctx) })
	}
	task.End()
	trace.Stop()
	pprof.StopCPUProfile()
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// all runs a few goroutines and waits for them.
func all(count int, run func(number int)) {
	var group sync.WaitGroup
	for number := 0; number < count; number++ {
		group.Add(1)
		go func(number int) {
			defer group.Done()
			run(number)
		}(number)
	}
	group.Wait()
}

func locks(ctx context.Context) {
	var lock sync.Mutex
	cond, ready := sync.NewCond(&lock), 0
	all(4, func(number int) {
		_, task := trace.NewTask(ctx, "turn")
		defer task.End()
		lock.Lock()
		defer lock.Unlock()
		time.Sleep(time.Millisecond)
		ready++
		cond.Broadcast()
		for ready < 4 {
			cond.Wait()
		}
	})
	trace.Log(ctx, "locks", "strings with \"quotes\",\nlines and \xff")
}

func channels(ctx context.Context) {
	numbers, quit := make(chan int), make(chan struct{})
	all(3, func(number int) {
		switch number {
		case 0:
			for i := 0; i < 10; i++ {
				numbers <- i
			}
			close(quit)
		default:
			for {
				select {
				case i := <-numbers:
					trace.Logf(ctx, "channels", "goroutine %d got %d", number, i)
				case <-quit:
					return
				case <-time.After(time.Second):
					panic("nobody sends")
				}
			}
		}
	})
}

func network(context.Context) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	all(2, func(number int) {
		if number == 0 {
			connection, err := listener.Accept()
			check(err)
			_, err = io.Copy(connection, io.LimitReader(connection, 3))
			check(err)
			check(connection.Close())
			return
		}
		connection, err := net.Dial("tcp", listener.Addr().String())
		check(err)
		time.Sleep(time.Millisecond)
		_, err = connection.Write([]byte("abc"))
		check(err)
		got, err := io.ReadAll(connection)
		check(err)
		if !bytes.Equal(got, []byte("abc")) {
			panic(fmt.Sprintf("%q came back", got))
		}
	})
	check(listener.Close())
}

func files(context.Context) {
	reader, writer, err := os.Pipe()
	check(err)
	all(2, func(number int) {
		if number == 0 {
			_, err := reader.Read(make([]byte, 1))
			check(err)
			return
		}
		time.Sleep(time.Millisecond)
		_, err := writer.Write([]byte("x"))
		check(err)
	})
	_, err = os.ReadFile("/proc/self/status")
	check(err)
}

func compute(ctx context.Context) {
	all(2, func(number int) {
		pprof.Do(ctx, pprof.Labels("number", fmt.Sprint(number)), func(context.Context) {
			spin(60 * time.Millisecond)
		})
	})
}

func spin(duration time.Duration) {
	sum := 0
	for begun := time.Now(); time.Since(begun) < duration; {
		for i := 0; i < 1000; i++ {
			sum += i
		}
	}
	runtime.KeepAlive(sum)
}

var heap [][]byte

func collect(context.Context) {
	for i := 0; i < 64; i++ {
		heap = append(heap, make([]byte, 16<<10))
	}
	runtime.GC()
	heap = nil
}

func processors(context.Context) {
	count := runtime.GOMAXPROCS(0)
	runtime.GOMAXPROCS(count + 1)
	runtime.GOMAXPROCS(count)
}
