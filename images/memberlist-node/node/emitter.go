package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"unicode/utf8"
)

const (
	// Log drivers split a line at 16 KiB.
	maxLineBytes = 16 << 10
	// Names and addresses come from the network, so they are cut.
	maxTextBytes = 512
)

// emitter writes events as JSON lines. Emit only appends to a buffer, so it may
// be called with locks held; one goroutine writes, as soon as there is something
// to write. The buffer has no bound: a line is never lost while the process lives.
type emitter struct {
	mu      sync.Mutex
	pending []byte
	seq     uint64
	wake    chan struct{}
	stopped chan struct{}
	closing bool
}

// field is one key of an event beside event, monoNs and seq.
type field struct {
	key   string
	value any
}

// startEmitter continues the sequence after lastSeq.
func startEmitter(out io.Writer, lastSeq uint64) *emitter {
	e := &emitter{seq: lastSeq, wake: make(chan struct{}, 1), stopped: make(chan struct{})}
	go e.write(out)
	return e
}

func (e *emitter) Emit(event string, fields ...field) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closing {
		return // after the last word
	}
	e.append(event, fields)
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// Close writes a last event and everything before it, and returns the last seq.
func (e *emitter) Close(event string, fields ...field) uint64 {
	e.mu.Lock()
	if !e.closing {
		e.append(event, fields)
		e.closing = true
		close(e.wake)
	}
	seq := e.seq
	e.mu.Unlock()
	<-e.stopped
	return seq
}

// Seq is the number of the last line.
func (e *emitter) Seq() uint64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.seq
}

func (e *emitter) append(event string, fields []field) {
	e.seq++
	start := len(e.pending)
	head := e.head(event)
	e.pending = append(e.pending, head...)
	for _, f := range fields {
		e.pending = append(e.pending, ',')
		e.pending = appendText(e.pending, f.key)
		e.pending = append(e.pending, ':')
		e.pending = appendValue(e.pending, f.value)
	}
	e.pending = append(e.pending, '}', '\n')
	if size := len(e.pending) - start; size > maxLineBytes {
		e.pending = append(e.pending[:start], head...)
		e.pending = append(e.pending, fmt.Sprintf(",\"droppedFieldsBytes\":%d}\n", size)...)
	}
}

func (e *emitter) head(event string) []byte {
	line := appendText([]byte(`{"event":`), event)
	line = strconv.AppendInt(append(line, `,"monoNs":`...), monotonicNs(), 10)
	return strconv.AppendUint(append(line, `,"seq":`...), e.seq, 10)
}

func (e *emitter) write(out io.Writer) {
	defer close(e.stopped)
	var spare []byte
	for open := true; open; {
		_, open = <-e.wake
		e.mu.Lock()
		e.pending, spare = spare[:0], e.pending
		e.mu.Unlock()
		if len(spare) == 0 {
			continue
		}
		if _, err := out.Write(spare); err != nil {
			fmt.Fprintf(os.Stderr, "events: stdout refused %d bytes: %v\n", len(spare), err)
			os.Exit(1) // a node whose record has a hole must not look healthy
		}
	}
}

func appendValue(b []byte, value any) []byte {
	switch v := value.(type) {
	case string:
		return appendText(b, v)
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case uint32:
		return strconv.AppendUint(b, uint64(v), 10)
	case bool:
		return strconv.AppendBool(b, v)
	}
	text, err := json.Marshal(value)
	if err != nil {
		return appendText(b, "unprintable: "+err.Error())
	}
	return append(b, text...)
}

func appendText(b []byte, text string) []byte {
	if len(text) > maxTextBytes {
		cut := maxTextBytes
		for cut > 0 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut]
	}
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string always has a JSON form
	}
	return append(b, quoted...)
}
