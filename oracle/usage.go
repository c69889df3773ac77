package main

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A usage is what the process has taken so far.
type usage struct {
	wall float64
	cpu  float64
}

var started = time.Now()

func now() usage {
	var used syscall.Rusage
	// Fails only for a wrong argument.
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	seconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	return usage{
		wall: time.Since(started).Seconds(),
		cpu:  seconds(used.Utime) + seconds(used.Stime),
	}
}

// since is what was taken from then on.
func (u usage) since(begun usage) usage {
	return usage{wall: u.wall - begun.wall, cpu: u.cpu - begun.cpu}
}

// peakBytes is the most memory that the process had; the one that rusage tells begins with that of the parent.
func peakBytes() (int64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	_, line, _ := strings.Cut(string(status), "VmHWM:")
	line, _, _ = strings.Cut(line, "kB")
	kib, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
	return kib << 10, err
}
