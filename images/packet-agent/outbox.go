package main

import (
	"encoding/json"
	"io"
	"log"
	"sync"
	"time"
)

// outbox writes JSON lines to the controller from one goroutine, so that a
// controller that stops reading delays answers and never a packet.
type outbox struct {
	mu     sync.Mutex
	ready  *sync.Cond
	lines  [][]byte
	closed bool
	idle   chan struct{}
	onFail func(error)
}

func newOutbox(w io.Writer, onFail func(error)) *outbox {
	o := &outbox{idle: make(chan struct{}), onFail: onFail}
	o.ready = sync.NewCond(&o.mu)
	go o.write(w)
	return o
}

func (o *outbox) write(w io.Writer) {
	defer close(o.idle)
	for {
		o.mu.Lock()
		for len(o.lines) == 0 && !o.closed {
			o.ready.Wait()
		}
		lines := o.lines
		o.lines = nil
		o.mu.Unlock()
		if len(lines) == 0 {
			return
		}
		for _, line := range lines {
			if _, err := w.Write(line); err != nil {
				o.close()
				o.onFail(err)
				return
			}
		}
	}
}

func (o *outbox) put(message any) {
	line, err := json.Marshal(message)
	if err != nil {
		log.Printf("outbox: message not encodable: %v", err)
		return
	}
	o.mu.Lock()
	if !o.closed {
		o.lines = append(o.lines, append(line, '\n'))
	}
	o.mu.Unlock()
	o.ready.Signal()
}

// close lets what is queued be written; idle is closed when it was.
func (o *outbox) close() {
	o.mu.Lock()
	o.closed = true
	o.mu.Unlock()
	o.ready.Broadcast()
}

// lastWordsTimeout bounds the wait for a controller that does not read.
const lastWordsTimeout = 200 * time.Millisecond

// finish closes the outbox and lets the last lines out.
func (o *outbox) finish() {
	o.close()
	select {
	case <-o.idle:
	case <-time.After(lastWordsTimeout):
	}
}
