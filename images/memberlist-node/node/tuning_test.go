package main

import (
	"math"
	"runtime"
	"runtime/debug"
	"strings"
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

	s := settings{GCPercent: 300, MemoryLimitBytes: 50 << 20, Threads: 3}
	tuneRuntime(func(string) string { return "set" }, s)
	if got := runtime.GOMAXPROCS(0); got != 2 {
		t.Errorf("GOMAXPROCS in the environment: got %d threads, want 2", got)
	}
	if got := debug.SetMemoryLimit(-1); got != 77<<20 {
		t.Errorf("GOMEMLIMIT in the environment: got %d, want %d", got, 77<<20)
	}
	if got := debug.SetGCPercent(77); got != 77 {
		t.Errorf("GOGC in the environment: got %d, want 77", got)
	}

	tuneRuntime(func(string) string { return "" }, s)
	if got := runtime.GOMAXPROCS(0); got != 3 {
		t.Errorf("got %d threads, want 3", got)
	}
	if got := debug.SetMemoryLimit(-1); got != 50<<20 {
		t.Errorf("got a limit of %d, want %d", got, 50<<20)
	}
	if got := debug.SetGCPercent(100); got != 300 {
		t.Errorf("got GOGC %d, want 300", got)
	}
}

func TestTheRuntimeIsTunedAsMeasuredWhereNothingIsSaid(t *testing.T) {
	s, err := loadSettings(from(nil))
	if err != nil {
		t.Fatal(err)
	}
	if s.GCPercent != 400 || s.MemoryLimitBytes != 96<<20 || s.Threads != 1 {
		t.Errorf("got GOGC %d, a limit of %d, %d threads; want 400, 96 MiB, 1", s.GCPercent, s.MemoryLimitBytes, s.Threads)
	}
	_, err = loadSettings(from(map[string]string{
		"SQUALL_GC_PERCENT": "off", "SQUALL_MEMORY_LIMIT_BYTES": "1000", "SQUALL_THREADS": "0",
	}))
	for _, name := range []string{"SQUALL_GC_PERCENT", "SQUALL_MEMORY_LIMIT_BYTES", "SQUALL_THREADS"} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("nothing is said of %s: %v", name, err)
		}
	}
}
