package main

import (
	"errors"
	"time"
)

// overhead is what passing through the queue costs a packet, both system
// calls of the agent included.
type overhead struct {
	Name       string  `json:"name"`
	PassP50Us  float64 `json:"passP50Us"`
	PassP99Us  float64 `json:"passP99Us"`
	PassMaxUs  float64 `json:"passMaxUs"`
	Packets    uint64  `json:"packets"`
	Unmeasured string  `json:"unmeasured,omitempty"`
}

const (
	// overheadAtOnce nodes are measured side by side: few, so that they do not
	// measure one another.
	overheadAtOnce   = 8
	overheadPackets  = 50
	overheadInterval = 200 * time.Microsecond
	overheadTimeout  = time.Second
)

// measureOverhead sends probes one after the other through each node's queue,
// a few nodes at a time. A queue that shows none of them does not work.
func (a *agent) measureOverhead(nodes []*node) ([]overhead, error) {
	return gather(overheadAtOnce, nodes, a.overheadOf)
}

func (a *agent) overheadOf(n *node) (r overhead, err error) {
	r.Name = n.name
	t, err := openProbe(n, nil)
	if err != nil {
		r.Unmeasured = err.Error()
		return r, nil
	}
	id := a.probes.add(t)
	defer func() { err = errors.Join(err, a.closeProbes([]*probeTrack{t}, []uint32{id})) }()
	for range overheadPackets {
		t.send(id)
		time.Sleep(overheadInterval)
	}
	for deadline := time.Now().Add(overheadTimeout); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		t.mu.Lock()
		done := t.latency.total >= t.sent
		t.mu.Unlock()
		if done {
			break
		}
	}
	return t.overhead(r)
}

func (t *probeTrack) overhead(r overhead) (overhead, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r.Packets = t.latency.total
	r.PassP50Us = float64(t.latency.quantile(0.5)) / 1e3
	r.PassP99Us = float64(t.latency.quantile(0.99)) / 1e3
	r.PassMaxUs = float64(t.latency.maxNs) / 1e3
	if t.sent == 0 {
		r.Unmeasured = "no probe could be sent"
		return r, nil
	}
	if t.seen == 0 {
		return r, fail("queue-silent", "node %s: none of %d probes came through its queue within %v; "+
			"expected all, so the rules do not act here", r.Name, t.sent, overheadTimeout)
	}
	return r, nil
}
