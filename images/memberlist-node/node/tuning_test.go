package main

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
)

func TestTuneRuntime(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	t.Cleanup(func() {
		runtime.GOMAXPROCS(before)
		debug.SetGCPercent(100)
		debug.SetMemoryLimit(math.MaxInt64)
	})
	runtime.GOMAXPROCS(2)
	debug.SetGCPercent(77)
	debug.SetMemoryLimit(77 << 20)

	tuneRuntime(func(string) string { return "set" })
	if got := runtime.GOMAXPROCS(0); got != 2 {
		t.Errorf("GOMAXPROCS in the environment: got %d threads, want 2", got)
	}
	if got := debug.SetMemoryLimit(-1); got != 77<<20 {
		t.Errorf("GOMEMLIMIT in the environment: got %d, want %d", got, 77<<20)
	}
	if got := debug.SetGCPercent(77); got != 77 {
		t.Errorf("GOGC in the environment: got %d, want 77", got)
	}

	tuneRuntime(func(string) string { return "" })
	if got := runtime.GOMAXPROCS(0); got != threads {
		t.Errorf("got %d threads, want %d", got, threads)
	}
	if got := debug.SetMemoryLimit(-1); got != memoryLimitBytes {
		t.Errorf("got a limit of %d, want %d", got, memoryLimitBytes)
	}
	if got := debug.SetGCPercent(gcPercent); got != gcPercent {
		t.Errorf("got GOGC %d, want %d", got, gcPercent)
	}
}
