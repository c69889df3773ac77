package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime/pprof"
	"runtime/trace"
	"strconv"
	"sync"
	"time"
)

// mix is what a busy service does, all at once.
func mix(isFull func() bool) {
	// Its samples stand in the trace, too.
	try(pprof.StartCPUProfile(io.Discard))
	defer pprof.StopCPUProfile()
	parts := []func(){serveOrders, contend, collect, crowd, echo, writeFiles}
	var loops []func()
	for _, part := range parts {
		part := part
		loops = append(loops, func() {
			for !isFull() {
				part()
			}
		})
	}
	together(loops...)
}

// An order is what clients send over HTTP, and get back with a total.
type order struct {
	Customer string
	Lines    []orderLine
	Total    int
}

type orderLine struct {
	Article string
	Count   int
	Price   int
}

// A shop takes orders: each is a user task with regions and a log, and all share a lock.
type shop struct {
	lock  sync.Mutex
	spent map[string]int
}

func (s *shop) ServeHTTP(answer http.ResponseWriter, request *http.Request) {
	ctx, task := trace.NewTask(request.Context(), "order")
	defer task.End()
	var placed order
	var err error
	trace.WithRegion(ctx, "parse", func() { err = json.NewDecoder(request.Body).Decode(&placed) })
	if err != nil {
		http.Error(answer, err.Error(), http.StatusBadRequest)
		return
	}
	for _, line := range placed.Lines {
		placed.Total += line.Count * line.Price
	}
	trace.Logf(ctx, "total", "%s: %d", placed.Customer, placed.Total)
	trace.WithRegion(ctx, "book", func() {
		s.lock.Lock()
		defer s.lock.Unlock()
		s.spent[placed.Customer] += placed.Total
	})
	if placed.Total%16 == 0 {
		// Some must ask elsewhere first.
		time.Sleep(time.Millisecond)
	}
	trace.WithRegion(ctx, "answer", func() { err = json.NewEncoder(answer).Encode(placed) })
}

// serveOrders has a server and some clients that place a hundred orders each.
func serveOrders() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	try(err)
	server := &http.Server{Handler: &shop{spent: make(map[string]int)}}
	url := "http://" + listener.Addr().String()
	var clients []func()
	for number := 0; number < 4; number++ {
		customer := "customer " + strconv.Itoa(number)
		clients = append(clients, func() { placeOrders(url, customer) })
	}
	go func() {
		// Ends with an error always: that it was closed.
		_ = server.Serve(listener)
	}()
	together(clients...)
	try(server.Close())
}

func placeOrders(url, customer string) {
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	for number := 0; number < 100; number++ {
		placed := order{Customer: customer}
		for line := 0; line <= number%8; line++ {
			placed.Lines = append(placed.Lines, orderLine{"article " + strconv.Itoa(line), line + 1, 100 + number})
		}
		body, err := json.Marshal(placed)
		try(err)
		answer, err := client.Post(url, "application/json", bytes.NewReader(body))
		try(err)
		_, err = io.Copy(io.Discard, answer.Body)
		try(err)
		try(answer.Body.Close())
	}
}

// contend has goroutines wait for each other in all the ways that the sync package and channels have.
func contend() {
	var lock sync.Mutex
	var readers sync.RWMutex
	turns := sync.NewCond(&sync.Mutex{})
	turn, sum := 0, 0
	jobs, results := make(chan int, 8), make(chan int)
	players := []func(){
		func() {
			defer close(jobs)
			for job := 0; job < 300; job++ {
				jobs <- job
			}
		},
		func() { takeResults(results, 300) },
	}
	for number := 0; number < 3; number++ {
		number := number
		players = append(players, func() {
			for job := range jobs {
				results <- work(job)
			}
		}, func() {
			for round := 0; round < 100; round++ {
				lock.Lock()
				sum += work(200)
				lock.Unlock()
			}
		}, func() {
			for round := 0; round < 100; round++ {
				if number == 0 {
					readers.Lock()
					work(200)
					readers.Unlock()
				} else {
					readers.RLock()
					work(50)
					readers.RUnlock()
				}
			}
		}, func() {
			for round := 0; round < 50; round++ {
				turns.L.Lock()
				for turn%3 != number {
					turns.Wait()
				}
				turn++
				turns.Broadcast()
				turns.L.Unlock()
			}
		})
	}
	together(players...)
}

// takeResults waits for the next result or for a timer, whichever comes first.
func takeResults(results <-chan int, count int) {
	ticker := time.NewTicker(200 * time.Microsecond)
	defer ticker.Stop()
	for count > 0 {
		select {
		case <-results:
			count--
		case <-ticker.C:
		}
	}
}

// work takes some time and no memory.
//
//go:noinline
func work(rounds int) int {
	hash := uint32(2166136261)
	for round := 0; round < rounds; round++ {
		hash = (hash ^ uint32(round)) * 16777619
	}
	return int(hash)
}

// A tree is garbage with pointers, for the collector to follow.
type tree struct{ left, right *tree }

func grow(depth int) *tree {
	if depth == 0 {
		return new(tree)
	}
	return &tree{grow(depth - 1), grow(depth - 1)}
}

// collect keeps the garbage collector busy, assists included.
func collect() {
	gardener := func() {
		var garden [8]*tree
		for round := 0; round < 32; round++ {
			garden[round%len(garden)] = grow(11)
		}
	}
	together(gardener, gardener)
}

// crowd has goroutines start goroutines, and a thousand wait for the same moment.
func crowd() {
	var everybody sync.WaitGroup
	var descend func(depth int)
	descend = func(depth int) {
		defer everybody.Done()
		for child := 0; depth > 0 && child < 5; child++ {
			everybody.Add(1)
			go descend(depth - 1)
		}
	}
	everybody.Add(1)
	go descend(4)
	gate := make(chan struct{})
	for waiting := 0; waiting < 1000; waiting++ {
		everybody.Add(1)
		go func() {
			defer everybody.Done()
			<-gate
		}()
	}
	time.Sleep(time.Millisecond)
	close(gate)
	everybody.Wait()
}

// echo sends messages to and fro on some connections.
func echo() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	try(err)
	accept := func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				// Closed below.
				return
			}
			go func() {
				// The other side closes it.
				_, _ = io.Copy(connection, connection)
				_ = connection.Close()
			}()
		}
	}
	call := func() {
		connection, err := net.Dial("tcp", listener.Addr().String())
		try(err)
		message := make([]byte, 256)
		for round := 0; round < 100; round++ {
			_, err = connection.Write(message)
			try(err)
			_, err = io.ReadFull(connection, message)
			try(err)
		}
		try(connection.Close())
	}
	go accept()
	together(call, call, call)
	try(listener.Close())
}

// writeFiles makes system calls that take their time, in a user task that nobody else has a part in.
func writeFiles() {
	ctx, task := trace.NewTask(context.Background(), "write files")
	defer task.End()
	file, err := os.CreateTemp("", "exectrace-bigtrace")
	try(err)
	defer os.Remove(file.Name())
	block := bytes.Repeat([]byte("exectrace"), 4096)
	for number := 0; number < 20; number++ {
		region := trace.StartRegion(ctx, fmt.Sprint("block ", number%4))
		_, err = file.Write(block)
		try(err)
		region.End()
	}
	trace.WithRegion(ctx, "sync", func() { try(file.Sync()) })
	try(file.Close())
}
