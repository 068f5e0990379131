package main

import (
	"errors"
	"slices"
	"sync"
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
	if err != nil {
		return nil, errors.Join(err, a.closeProbes(tracks, ids))
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
	if err := a.closeProbes(tracks, ids); err != nil {
		return nil, err
	}
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
	var mu sync.Mutex
	err = bounded(ruleChangesAtOnce, nodes, func(n *node) error {
		t, err := openProbe(n, faults)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		tracks = append(tracks, t)
		ids = append(ids, a.probes.add(t))
		return nil
	})
	return tracks, ids, err
}

func (a *agent) closeProbes(tracks []*probeTrack, ids []uint32) error {
	for _, id := range ids {
		a.probes.remove(id)
	}
	return bounded(ruleChangesAtOnce, tracks, (*probeTrack).close)
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
