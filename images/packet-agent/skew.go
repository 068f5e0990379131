package main

import (
	"slices"
	"sync"
	"time"
)

// skewReport is how far apart the nodes saw a fault begin and end.
type skewReport struct {
	// From the first faulted probe of the first node to that of the last.
	// Absent when a node is missing.
	ApplyFirstToLastNs *int64 `json:"applyFirstToLastNs,omitempty"`
	// From the first probe that passed again to that of the last node.
	LiftFirstToLastNs *int64              `json:"liftFirstToLastNs,omitempty"`
	PerNode           map[string]nodeSkew `json:"perNode"`
	// Missing nodes saw no probe on a side of that edge.
	MissingApply []string `json:"missingApply"`
	MissingLift  []string `json:"missingLift"`
}

type nodeSkew struct {
	LastBeforeNs   int64  `json:"lastBeforeNs"`
	FirstFaultedNs int64  `json:"firstFaultedNs"`
	LastFaultedNs  int64  `json:"lastFaultedNs"`
	FirstPassedNs  int64  `json:"firstPassedNs"`
	Sent           uint64 `json:"sent"`
	Unsent         uint64 `json:"unsent"`
	Seen           uint64 `json:"seen"`
	// MaxGapNs is the longest time between two probes: the resolution.
	MaxGapNs int64 `json:"maxGapNs"`
}

// runProbe sends ratePps probes a second out of every node for forMs and says
// when each node's first probe met, and first missed, each fault.
func (a *agent) runProbe(nodes []*node, faults []*fault, ratePps float64, forMs float64) (map[string]any, error) {
	if ratePps < probeMinPps || ratePps > probeMaxPps {
		return nil, fail("bad-request", "ratePps is %v; expected %d to %d", ratePps, probeMinPps, probeMaxPps)
	}
	if forMs <= 0 || forMs > probeMaxMs {
		return nil, fail("bad-request", "forMs is %v; expected more than 0 and at most %d", forMs, probeMaxMs)
	}
	if len(nodes) == 0 {
		return nil, fail("bad-request", "no nodes; expected at least one")
	}
	tracks, ids, err := a.openProbes(nodes, faults)
	defer a.closeProbes(tracks, ids)
	if err != nil {
		return nil, err
	}
	start := monoNs()
	end := start + msToNs(forMs)
	interval := int64(1e9 / ratePps)
	for round := int64(0); ; round++ {
		due := start + round*interval
		if now := monoNs(); now > due+interval {
			round = (now - start) / interval // too late for some: no catching up in a burst
			due = start + round*interval
		}
		if due >= end || a.closing() {
			break
		}
		a.sleep(untilNs(due))
		for i, t := range tracks {
			t.send(ids[i])
		}
	}
	a.sleep(probeQuietTime)
	return skewAnswer(tracks, faults), nil
}

// skewAnswer has each fault's report, and above them the worst of each skew
// when every fault has one.
func skewAnswer(tracks []*probeTrack, faults []*fault) map[string]any {
	perFault := map[string]skewReport{}
	var applied, lifted []int64
	for i, f := range faults {
		r := skewOf(tracks, i)
		perFault[f.spec.ID] = r
		if r.ApplyFirstToLastNs != nil {
			applied = append(applied, *r.ApplyFirstToLastNs)
		}
		if r.LiftFirstToLastNs != nil {
			lifted = append(lifted, *r.LiftFirstToLastNs)
		}
	}
	result := map[string]any{"perFault": perFault}
	if len(applied) == len(faults) {
		result["applyFirstToLastNs"] = slices.Max(applied)
	}
	if len(lifted) == len(faults) {
		result["liftFirstToLastNs"] = slices.Max(lifted)
	}
	return result
}

func (a *agent) openProbes(nodes []*node, faults []*fault) (tracks []*probeTrack, ids []uint32, err error) {
	for _, n := range nodes {
		t, err := openProbe(n, faults)
		if err != nil {
			return tracks, ids, err
		}
		tracks = append(tracks, t)
		ids = append(ids, a.probes.add(t))
	}
	return tracks, ids, nil
}

func (a *agent) closeProbes(tracks []*probeTrack, ids []uint32) {
	for i, t := range tracks {
		a.probes.remove(ids[i])
		t.close()
	}
}

func skewOf(tracks []*probeTrack, fault int) skewReport {
	r := skewReport{PerNode: map[string]nodeSkew{}, MissingApply: []string{}, MissingLift: []string{}}
	var applied, lifted []int64
	for _, t := range tracks {
		t.mu.Lock()
		e := t.edges[fault]
		r.PerNode[t.node.name] = nodeSkew{
			LastBeforeNs: e.lastBeforeNs, FirstFaultedNs: e.firstFaultedNs, LastFaultedNs: e.lastFaultedNs,
			FirstPassedNs: e.firstPassedNs, Sent: t.sent, Unsent: t.unsent, Seen: t.seen, MaxGapNs: t.maxGap,
		}
		t.mu.Unlock()
		// An edge counts only when the probe saw both of its sides.
		if e.lastBeforeNs != 0 && e.firstFaultedNs != 0 {
			applied = append(applied, e.firstFaultedNs)
		} else {
			r.MissingApply = append(r.MissingApply, t.node.name)
		}
		if e.firstPassedNs != 0 {
			lifted = append(lifted, e.firstPassedNs)
		} else {
			r.MissingLift = append(r.MissingLift, t.node.name)
		}
	}
	if len(r.MissingApply) == 0 {
		r.ApplyFirstToLastNs = spread(applied)
	}
	if len(r.MissingLift) == 0 {
		r.LiftFirstToLastNs = spread(lifted)
	}
	return r
}

func spread(instants []int64) *int64 {
	width := slices.Max(instants) - slices.Min(instants)
	return &width
}

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
	overheadPackets  = 50
	overheadInterval = 200 * time.Microsecond
	overheadTimeout  = time.Second
)

// measureOverhead sends probes one after the other through each node's queue,
// a few nodes at a time. A queue that shows none of them does not work.
func (a *agent) measureOverhead(nodes []*node) ([]overhead, error) {
	results := make([]overhead, len(nodes))
	var mu sync.Mutex
	at := map[*node]int{}
	for i, n := range nodes {
		at[n] = i
	}
	err := bounded(4, nodes, func(n *node) error {
		result, err := a.overheadOf(n)
		mu.Lock()
		results[at[n]] = result
		mu.Unlock()
		return err
	})
	return results, err
}

func (a *agent) overheadOf(n *node) (overhead, error) {
	r := overhead{Name: n.name}
	t, err := openProbe(n, nil)
	if err != nil {
		r.Unmeasured = err.Error()
		return r, nil
	}
	id := a.probes.add(t)
	defer a.closeProbes([]*probeTrack{t}, []uint32{id})
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
			"expected all, so the rules do not act here", n.name, t.sent, overheadTimeout)
	}
	return r, nil
}
