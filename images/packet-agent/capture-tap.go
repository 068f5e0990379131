package main

import (
	"fmt"
	"log"
	"sync"
	"time"
)

// captureTap makes one node's file. It outlives the node's process: a restart
// gives the node a new namespace, and the tap a new ring.
type captureTap struct {
	name     string
	snap     int
	maxBytes uint64
	spool    *captureSpool

	mu sync.Mutex
	// ring listens at node, and is nil while there is nothing to listen at.
	ring *captureRing
	node *node
	// closed taps open no further ring; listeners are those that still read.
	closed    bool
	listeners sync.WaitGroup
	// interfaces are described in the file, those of earlier namespaces too.
	interfaces uint32
	// head has descriptions that packets need before them, piece the packets
	// since the last settle. A piece may be refused; its head then goes with the
	// next one, so that what arrives is a file in any case.
	head, piece  []byte
	piecePackets uint64
	report       captureReport
}

// captureReport is what became of a node's packets.
type captureReport struct {
	Name string `json:"name"`
	// Packets are those handed over for the file, Bytes all of it.
	Packets uint64 `json:"packets"`
	Bytes   uint64 `json:"bytes"`
	// KernelDropped had no room in the ring, by the kernel's own count.
	KernelDropped uint64 `json:"kernelDropped"`
	// Unread had no room because the controller did not read on.
	Unread uint64 `json:"unread"`
	// OverLimit would have made the file longer than it may become.
	OverLimit uint64 `json:"overLimit"`
	Error     string `json:"error,omitempty"`
}

// open begins to listen in the node's namespace.
func (t *captureTap) open(n *node) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil
	}
	t.deafen(captureSettle) // at the node's life before this one
	var ring *captureRing
	err := n.withNamespace(func(nsFd int) (err error) {
		ring, err = openCaptureRing(nsFd, t.snap)
		return err
	})
	if err != nil {
		t.failed(err)
		return fail("capture-failed", "node %s: %v", t.name, err)
	}
	t.ring, t.node = ring, n
	t.listeners.Add(1)
	go t.listen(ring)
	return nil
}

func (t *captureTap) listen(ring *captureRing) {
	defer t.listeners.Done()
	defer close(ring.over)
	err := ring.receive(func(f frame) { t.take(ring, f) }, t.settle)
	stats, statsErr := ring.statistics()
	t.mu.Lock()
	for _, err := range []error{err, statsErr} {
		if err != nil {
			t.failed(err)
		}
	}
	t.report.KernelDropped += stats.dropped
	if t.interfaces > 0 && t.fits(statisticsBytes) {
		// The kernel counts by socket: it stands with the last interface.
		t.piece = appendStatistics(t.piece, t.interfaces-1, uint64(time.Now().UnixNano()), stats)
	}
	t.mu.Unlock()
	t.settle()
	if err := ring.close(); err != nil {
		log.Printf("node %s: capture: %v", t.name, err)
	}
}

// deafen stops listening, if it listens; what was seen by then is still read,
// after the given time. It is called with the lock held.
func (t *captureTap) deafen(after time.Duration) *captureRing {
	ring := t.ring
	if ring == nil {
		return nil
	}
	if err := ring.finish(after); err != nil {
		t.failed(err)
	}
	t.ring, t.node = nil, nil
	return ring
}

// leave stops listening at n, if it does.
func (t *captureTap) leave(n *node, after time.Duration) *captureRing {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.node != n {
		return nil
	}
	return t.deafen(after)
}

// close stops listening for good.
func (t *captureTap) close(after time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	t.deafen(after)
}

// failed is called with the lock held.
func (t *captureTap) failed(err error) {
	if t.report.Error == "" {
		t.report.Error = err.Error()
	}
	log.Printf("node %s: capture: %v", t.name, err)
}

// take adds one packet to the piece.
func (t *captureTap) take(ring *captureRing, f frame) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.fits(packetBytes(len(f.data))) {
		t.report.OverLimit++
		return
	}
	t.piece = appendPacket(t.piece, t.interfaceOf(ring, f), f)
	t.piecePackets++
}

// fits says whether the file may grow by so many bytes; the description of an
// interface has room besides.
func (t *captureTap) fits(bytes int) bool {
	return t.report.Bytes+uint64(len(t.head)+len(t.piece)+bytes+interfaceBytes) <= t.maxBytes
}

// interfaceOf is the number of a packet's interface in the file, which is
// described with its first packet.
func (t *captureTap) interfaceOf(ring *captureRing, f frame) uint32 {
	number, known := ring.numbers[f.ifIndex]
	if known {
		return number
	}
	name := ring.names[f.ifIndex]
	if name == "" {
		name = fmt.Sprintf("if%d", f.ifIndex) // it came later
	}
	t.head = appendInterface(t.head, name, linkOf(f.hardware), t.snap)
	number = t.interfaces
	t.interfaces++
	ring.numbers[f.ifIndex] = number
	return number
}

// settle hands the piece over.
func (t *captureTap) settle() {
	t.mu.Lock()
	defer t.mu.Unlock()
	whole := append(t.head, t.piece...)
	if len(whole) == 0 {
		return
	}
	if t.spool.put(t.name, whole) {
		t.report.Packets += t.piecePackets
		t.report.Bytes += uint64(len(whole))
		t.head = nil
	} else {
		t.report.Unread += t.piecePackets
	}
	t.piece, t.piecePackets = nil, 0
}

func (t *captureTap) result() captureReport {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.report
}
