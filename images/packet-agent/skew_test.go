package main

import (
	"fmt"
	"math"
	"testing"
	"time"
)

const (
	// skewLimit is the most that may lie between the first and the last node.
	skewLimit = 20 * time.Millisecond
	// coarsestGap is the longest time between the two probes on either side of
	// a node's edge with which a measurement counts: the instant of the edge is
	// known no better than that, so that with longer ones any skew would pass.
	coarsestGap = 20 * time.Millisecond
	// skewMeasurements is how often it is measured again on a host that lets
	// probes wait.
	skewMeasurements = 8
)

func TestThirtyTwoNodesAreCutOffAndReleasedAtOneInstant(t *testing.T) {
	const count = 32
	b := newBed(t, count)
	c := startAgent(t, b.nodes...)
	best := time.Duration(math.MaxInt64)
	for i := 1; i <= skewMeasurements; i++ {
		r, gap := cutOffAndRelease(t, c, b, fmt.Sprintf("h%d", i))
		t.Logf("measurement %d: longest gap at an edge %v", i, gap)
		if best = min(best, gap); gap > coarsestGap {
			continue
		}
		apply, lift := time.Duration(*r.ApplyFirstToLastNs), time.Duration(*r.LiftFirstToLastNs)
		t.Logf("apply %v, lift %v", apply, lift)
		if most := skewLimit + gap; apply > most || lift > most {
			t.Fatalf("skew %v and %v; expected at most %v beyond the gap of %v", apply, lift, skewLimit, gap)
		}
		return
	}
	t.Fatalf("not measured: in %d measurements the longest gap between the probes around an edge was %v or more; "+
		"expected at most %v in one of them. The host lets probes wait: run this test on a quieter one",
		skewMeasurements, best, coarsestGap)
}

// cutOffAndRelease holds all nodes for a while under a probe. The gap is the
// longest between the two probes on either side of an edge, of all nodes.
func cutOffAndRelease(t *testing.T, c *controller, b *testBed, id string) (r skewReport, gap time.Duration) {
	t.Helper()
	var list []string
	for _, n := range b.nodes {
		list = append(list, n.name)
	}
	c.arm(faultOn(id, "hold", nil, b.nodes...))
	probing := c.begin("probe", map[string]any{"nodes": list, "ids": []string{id}, "ratePps": 500, "forMs": 3000})
	c.ask("apply", map[string]any{"ids": []string{id}, "afterMs": 700, "forMs": 1500})
	answer := <-probing
	c.must("probe", answer)
	var perFault map[string]skewReport
	if err := answer.read("perFault", &perFault); err != nil {
		t.Fatal(err)
	}
	r = perFault[id]
	var appliedNs int64
	if err := c.event("applied", id, time.Second).read("atNs", &appliedNs); err != nil {
		t.Fatal(err)
	}
	c.event("lifted", id, 5*time.Second)
	for _, n := range b.nodes {
		if w := c.witness(id, n); w.HeldOut != 0 {
			t.Fatalf("%s: %d held; expected none, since probes are not counted", n.name, w.HeldOut)
		}
	}
	if r.ApplyFirstToLastNs == nil || r.LiftFirstToLastNs == nil {
		return r, math.MaxInt64 // a node was not probed on both sides
	}
	for name, n := range r.PerNode {
		if n.LastBeforeNs > appliedNs || n.FirstFaultedNs < appliedNs {
			t.Fatalf("%s: last probe that passed %d, first faulted %d; expected the flip at %d between them",
				name, n.LastBeforeNs, n.FirstFaultedNs, appliedNs)
		}
		gap = max(gap, time.Duration(n.FirstFaultedNs-n.LastBeforeNs), time.Duration(n.FirstPassedNs-n.LastFaultedNs))
	}
	return r, gap
}

func TestArmingTellsWhatPassingCosts(t *testing.T) {
	p := newPair(t)
	answer := p.ask("arm", map[string]any{"faults": []any{faultOn("d", "drop", map[string]any{"protocol": "tcp"}, p.own)}})
	var measured []overhead
	if err := answer.read("nodes", &measured); err != nil {
		t.Fatal(err)
	}
	if len(measured) != 1 || measured[0].Packets == 0 || measured[0].PassP50Us <= 0 || measured[0].PassP99Us < measured[0].PassP50Us {
		t.Fatalf("overhead %+v; expected a median and a 99th percentile", measured)
	}
}
