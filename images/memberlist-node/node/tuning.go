package main

import (
	"runtime"
	"runtime/debug"
)

// The library takes 64 KiB for each datagram that it reads, so a release of held
// packets is mostly garbage, in hundreds of nodes at once on one machine. Collected
// at the runtime's own pace (a heap of 4 MiB) by as many threads as there are
// CPUs, it took most of the CPU that a release takes, and the nodes came to the held
// packets seconds late; the folder's README has the figures.
const (
	defaultGCPercent        = 400
	defaultMemoryLimitBytes = 96 << 20
	defaultThreads          = 1

	// Below this the heap of a node that does nothing is collected all the time.
	leastMemoryLimitBytes = 16 << 20
)

// tuneRuntime leaves alone what the runtime's own variables say.
func tuneRuntime(getenv func(string) string, s settings) {
	if getenv("GOGC") == "" {
		debug.SetGCPercent(s.GCPercent)
	}
	if getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(int64(s.MemoryLimitBytes))
	}
	if getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(s.Threads)
	}
}
