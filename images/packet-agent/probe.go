package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// A probe packet is a small UDP datagram that the agent sends inside a node's
// namespace, marked, to the discard port of a neighbour address. It takes the
// node's output path into the queue like any other packet, is looked at there,
// and ends there: it never leaves the namespace and no fault counts it.
const (
	discardPort    = 9
	probeMagic     = 0x535155414c4c5052
	probeBytes     = 8 + 4 + 4 + 8
	probeMinPps    = 500
	probeMaxPps    = 5000
	probeMaxMs     = 600_000
	probeQuietTime = 100 * time.Millisecond
)

// probeArrival is a probe packet that waits for its verdict to have been sent.
type probeArrival struct {
	track  *probeTrack
	sentNs int64
}

// probeTrack is what one session sees of one node.
type probeTrack struct {
	node   *node
	faults []*fault
	fd     int
	done   func() error

	mu      sync.Mutex
	sent    uint64
	unsent  uint64
	seen    uint64
	lastNs  int64
	maxGap  int64
	latency histogram
	edges   []probeEdge // one a fault
}

// probeEdge are the first probes on either side of a fault's two edges.
type probeEdge struct {
	lastBeforeNs   int64
	firstFaultedNs int64
	lastFaultedNs  int64
	firstPassedNs  int64
}

type probeSessions struct {
	mu     sync.Mutex
	next   uint32
	tracks map[uint32]*probeTrack
}

func (s *probeSessions) add(t *probeTrack) uint32 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tracks == nil {
		s.tracks = map[uint32]*probeTrack{}
	}
	s.next++
	s.tracks[s.next] = t
	return s.next
}

func (s *probeSessions) remove(id uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.tracks, id)
}

func (s *probeSessions) find(id uint32) *probeTrack {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tracks[id]
}

// probe looks at one probe packet in the queue. The lane's lock is held.
func (l *lane) probe(p *packet) {
	now := monoNs()
	l.verdict(p.id, nfDrop, nil)
	t := p.transport()
	if len(t) < 8+probeBytes || binary.BigEndian.Uint64(t[8:]) != probeMagic {
		return
	}
	track := l.node.agent.probes.find(binary.BigEndian.Uint32(t[16:]))
	if track == nil || track.node != l.node {
		return // of a session that has ended
	}
	track.observe(now)
	l.probes = append(l.probes, probeArrival{track, int64(binary.BigEndian.Uint64(t[24:]))})
}

// settleProbes times the probes of a batch whose verdicts have just been sent.
func (l *lane) settleProbes() {
	if len(l.probes) == 0 {
		return
	}
	now := monoNs()
	for _, arrival := range l.probes {
		arrival.track.mu.Lock()
		arrival.track.latency.add(now - arrival.sentNs)
		arrival.track.mu.Unlock()
	}
	l.probes = l.probes[:0]
}

func (t *probeTrack) observe(now int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.seen++
	if t.lastNs != 0 {
		t.maxGap = max(t.maxGap, now-t.lastNs)
	}
	t.lastNs = now
	for i, f := range t.faults {
		e := &t.edges[i]
		switch inForce := f.inForceOn(t.node); {
		case inForce && e.firstFaultedNs == 0:
			e.firstFaultedNs, e.lastFaultedNs = now, now
		case inForce:
			e.lastFaultedNs = now
		case e.firstFaultedNs == 0:
			e.lastBeforeNs = now
		case e.firstPassedNs == 0:
			e.firstPassedNs = now
		}
	}
}

func (f *fault) inForceOn(n *node) bool {
	for _, b := range f.bindings[n] {
		if b.inForce() {
			return true
		}
	}
	return false
}

// openProbe makes the socket that a node's probes leave from, and keeps the
// node's queue open for them.
func openProbe(n *node, faults []*fault) (*probeTrack, error) {
	t := &probeTrack{node: n, faults: faults, fd: -1, edges: make([]probeEdge, len(faults))}
	target, err := n.neighbour()
	if err != nil {
		return nil, err
	}
	if t.done, err = n.keepForProbes(); err != nil {
		return nil, errors.Join(err, t.close())
	}
	err = n.inside(func() error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
		if err != nil {
			return err
		}
		t.fd = fd
		if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_MARK, int(markProbe)); err != nil {
			return err
		}
		return unix.Connect(fd, &unix.SockaddrInet4{Port: discardPort, Addr: target.As4()})
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("node %s: probe socket: %w", n.name, err), t.close())
	}
	return t, nil
}

func (t *probeTrack) close() error {
	var err error
	if t.fd >= 0 {
		err = unix.Close(t.fd)
		t.fd = -1
	}
	return errors.Join(err, t.done())
}

func (t *probeTrack) send(session uint32) {
	var b [probeBytes]byte
	binary.BigEndian.PutUint64(b[0:], probeMagic)
	binary.BigEndian.PutUint32(b[8:], session)
	binary.BigEndian.PutUint32(b[12:], uint32(t.sent))
	binary.BigEndian.PutUint64(b[16:], uint64(monoNs()))
	_, err := unix.Write(t.fd, b[:])
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil {
		t.unsent++
		return
	}
	t.sent++
}

// neighbour is an address of the node's own subnet that is not its own: the
// first, which is the gateway in a container network, or else the second.
func (n *node) neighbour() (netip.Addr, error) {
	for _, prefix := range n.addresses {
		if prefix.Bits() > 30 {
			continue
		}
		first := prefix.Masked().Addr().Next()
		if first == prefix.Addr() {
			first = first.Next()
		}
		return first, nil
	}
	return netip.Addr{}, fail("no-network", "node %s has no IPv4 subnet of its own; "+
		"expected one, since a probe must be sent somewhere", n.name)
}
