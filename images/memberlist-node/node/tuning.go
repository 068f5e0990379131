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
	gcPercent        = 400
	memoryLimitBytes = 96 << 20
	threads          = 1
)

// tuneRuntime leaves alone what the environment says.
func tuneRuntime(getenv func(string) string) {
	if getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimitBytes)
	}
	if getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(threads)
	}
}
