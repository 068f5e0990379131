package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// captureSettle is from when a ring is deaf until it is read to its end:
	// the kernel has handed its last block over by then.
	captureSettle = 2 * ringRetireMs * time.Millisecond

	captureSnapBytes    = 2048
	captureSnapMaxBytes = 16 << 10
	captureFileBytes    = 8 << 20
	captureFileMinBytes = 4 << 10
	captureHoldBytes    = 32 << 20

	// An answer stays under the line length that controllers take, base64 and
	// all, and over what one block of a ring makes.
	captureAnswerMinBytes = 2 * ringBlockBytes
	captureAnswerBytes    = 256 << 10
	captureAnswerMaxBytes = 512 << 10
	captureMaxWaitMs      = 10_000
)

type captureRequest struct {
	Nodes     []string `json:"nodes"`
	SnapBytes int      `json:"snapBytes,omitempty"`
	FileBytes int      `json:"fileBytes,omitempty"`
	HoldBytes int      `json:"holdBytes,omitempty"`
}

// captureBook has the one capture that the agent makes at a time.
type captureBook struct {
	mu      sync.Mutex
	current *capture
}

// capture listens at some nodes from its start to its stop.
type capture struct {
	spool *captureSpool
	taps  map[string]*captureTap
	// stopping and stopped keep a second stop from being another one.
	stopping sync.Once
	stopped  chan struct{}
}

// startCapture listens at all of the nodes, or at none.
func (a *agent) startCapture(q captureRequest) (*capture, error) {
	if err := q.fill(); err != nil {
		return nil, err
	}
	nodes, err := a.find(q.Nodes)
	if err != nil {
		return nil, err
	}
	c := &capture{spool: newCaptureSpool(q.HoldBytes), taps: map[string]*captureTap{}, stopped: make(chan struct{})}
	for _, n := range nodes {
		if c.taps[n.name] != nil {
			return nil, fail("bad-request", "node %s is listed twice", n.name)
		}
		c.taps[n.name] = &captureTap{
			name: n.name, snap: q.SnapBytes, maxBytes: uint64(q.FileBytes), spool: c.spool,
			head:   appendSection(nil, "squall packet-agent "+version, captureComment(n.name)),
			report: captureReport{Name: n.name},
		}
	}
	if err := a.captures.begin(c); err != nil {
		return nil, err
	}
	err = bounded(ruleChangesAtOnce, nodes, func(n *node) error { return c.taps[n.name].open(n) })
	if err != nil {
		c.stop(0)
		a.captures.end(c)
		return nil, err
	}
	return c, nil
}

func (q *captureRequest) fill() error {
	if len(q.Nodes) == 0 {
		return fail("bad-request", "capture: no nodes; expected at least one")
	}
	for _, size := range []struct {
		name           string
		value          *int
		preset, lo, hi int
	}{
		{"snapBytes", &q.SnapBytes, captureSnapBytes, 64, captureSnapMaxBytes},
		{"fileBytes", &q.FileBytes, captureFileBytes, captureFileMinBytes, 1 << 40},
		{"holdBytes", &q.HoldBytes, captureHoldBytes, captureAnswerMinBytes, 1 << 30},
	} {
		if *size.value == 0 {
			*size.value = size.preset
		}
		if *size.value < size.lo || *size.value > size.hi {
			return fail("bad-request", "capture: %s is %d; expected %d to %d", size.name, *size.value, size.lo, size.hi)
		}
	}
	return nil
}

// begin makes c the current capture. One that was stopped is forgotten, and
// what of it was not read.
func (b *captureBook) begin(c *capture) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.current != nil && !b.current.over() {
		return fail("capture-running", "a capture of %d nodes runs already; expected it to be stopped first", len(b.current.taps))
	}
	b.current = c
	return nil
}

func (b *captureBook) end(c *capture) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.current == c {
		b.current = nil
	}
}

func (b *captureBook) find() (*capture, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.current == nil {
		return nil, fail("no-capture", "nothing is captured; expected a capture that was started")
	}
	return b.current, nil
}

// tap is where the packets of a node go now, if anywhere.
func (b *captureBook) tap(name string) *captureTap {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.current == nil || b.current.over() {
		return nil
	}
	return b.current.taps[name]
}

// follow goes on at a node that was enrolled again, in its new namespace.
func (b *captureBook) follow(n *node) {
	if t := b.tap(n.name); t != nil {
		_ = t.open(n) // the tap's report says what failed
	}
}

// ended reads the last of a node whose process is gone, beside what else its
// end brings about.
func (b *captureBook) ended(n *node) {
	if t := b.tap(n.name); t != nil {
		t.leave(n, captureSettle)
	}
}

// leave closes what listens at a node that is given up.
func (b *captureBook) leave(n *node) {
	if t := b.tap(n.name); t != nil {
		if ring := t.leave(n, 0); ring != nil {
			<-ring.over
		}
	}
}

func (c *capture) over() bool {
	select {
	case <-c.stopped:
		return true
	default:
		return false
	}
}

// stop ends listening everywhere, and is done when all that was seen is in
// the spool.
func (c *capture) stop(settle time.Duration) []captureReport {
	taps := make([]*captureTap, 0, len(c.taps))
	for _, t := range c.taps {
		taps = append(taps, t)
	}
	slices.SortFunc(taps, func(x, y *captureTap) int { return strings.Compare(x.name, y.name) })
	c.stopping.Do(func() {
		_ = bounded(ruleChangesAtOnce, taps, func(t *captureTap) error { t.close(settle); return nil })
		for _, t := range taps {
			t.listeners.Wait()
			t.settle() // the head of one that never listened
		}
		c.spool.close()
		close(c.stopped)
	})
	<-c.stopped
	reports := make([]captureReport, len(taps))
	for i, t := range taps {
		reports[i] = t.result()
	}
	return reports
}

// captureComment lets a reader of the file find the record's clock.
func captureComment(node string) string {
	return fmt.Sprintf("node %s; the time of a packet minus %d µs is CLOCK_MONOTONIC", node, utcMinusMonotonicUs())
}

// utcMinusMonotonicUs is what to add to an instant of ours to have UTC.
func utcMinusMonotonicUs() int64 {
	before := monoNs()
	utcNs := time.Now().UnixNano()
	return (utcNs - before/2 - monoNs()/2) / 1000
}
