package main

import (
	"sync"
	"time"
)

// captureSpool keeps what was captured until the controller asks for it. It
// has a fixed room: what comes when it is full is refused, and counted by the
// one who brought it.
type captureSpool struct {
	mu     sync.Mutex
	room   int
	held   int
	pieces []capturePiece
	closed bool
	// more is signalled when something came, or nothing will.
	more chan struct{}
}

// capturePiece is whole blocks of one node's file.
type capturePiece struct {
	node string
	data []byte
}

func newCaptureSpool(room int) *captureSpool {
	return &captureSpool{room: room, more: make(chan struct{}, 1)}
}

// put takes data over, or refuses it.
func (s *captureSpool) put(node string, data []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.held+len(data) > s.room {
		return false
	}
	s.held += len(data)
	s.pieces = append(s.pieces, capturePiece{node, data})
	s.signal()
	return true
}

// close says that nothing comes any more; what is held can still be taken.
func (s *captureSpool) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.signal()
}

func (s *captureSpool) signal() {
	select {
	case s.more <- struct{}{}:
	default:
	}
}

// take waits until a whole answer is there, or for a while, or until stop, and
// hands over what there is then: at most maxBytes, the oldest first, each
// node's in one piece. ended: nothing is left and nothing will come.
func (s *captureSpool) take(maxBytes int, wait time.Duration, stop <-chan struct{}) (taken []capturePiece, ended bool) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for waiting := true; waiting && !s.full(maxBytes); {
		select {
		case <-s.more:
		case <-timer.C:
			waiting = false
		case <-stop:
			waiting = false
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	places := map[string]int{}
	bytes := 0
	for len(s.pieces) > 0 && bytes+len(s.pieces[0].data) <= maxBytes {
		p := s.pieces[0]
		s.pieces = s.pieces[1:]
		bytes += len(p.data)
		if at, there := places[p.node]; there {
			taken[at].data = append(taken[at].data, p.data...)
			continue
		}
		places[p.node] = len(taken)
		taken = append(taken, p)
	}
	s.held -= bytes
	return taken, s.closed && len(s.pieces) == 0
}

// full: a further wait would not make the next answer larger.
func (s *captureSpool) full(maxBytes int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed || s.held >= maxBytes
}

func (s *captureSpool) waitingBytes() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held
}
