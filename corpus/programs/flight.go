//go:build go1.25

// The last seconds of a flight recorder, which begin in the middle of everything.
package main

import (
	"os"
	"runtime/trace"
	"time"
)

func main() {
	recorder := trace.NewFlightRecorder(trace.FlightRecorderConfig{MinAge: time.Second})
	if err := recorder.Start(); err != nil {
		panic(err)
	}
	for begun := time.Now(); time.Since(begun) < 2200*time.Millisecond; {
		done := make(chan struct{})
		go close(done)
		<-done
		time.Sleep(10 * time.Millisecond)
	}
	if _, err := recorder.WriteTo(os.Stdout); err != nil {
		panic(err)
	}
	recorder.Stop()
}
