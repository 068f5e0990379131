package main

import (
	"encoding/json"
	"io"
	"sync"
	"syscall"
	"unsafe"
)

type fields map[string]any

// teller writes events as JSON lines. A line stays below the 4 KiB that a pipe
// takes in one piece, since the node writes to the same pipe.
type teller struct {
	mu  sync.Mutex
	out io.Writer
	seq uint64
}

func (t *teller) tell(event string, more fields) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.seq++
	line := fields{}
	for key, value := range more {
		line[key] = value
	}
	line["event"], line["monoNs"], line["seq"] = event, monotonicNs(), t.seq
	text, err := json.Marshal(line)
	if err != nil {
		panic(err) // only plain values are told
	}
	_, _ = t.out.Write(append(text, '\n')) // Without a reader there is nobody to tell.
}

const clockMonotonic = 1

// monotonicNs reads CLOCK_MONOTONIC, which every container of one kernel shares.
func monotonicNs() int64 {
	var t syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockMonotonic, uintptr(unsafe.Pointer(&t)), 0)
	return t.Nano()
}
