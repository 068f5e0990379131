package main

import (
	"testing"
	"time"
)

func TestThirtyTwoNodesAreCutOffAndReleasedAtOneInstant(t *testing.T) {
	const count = 32
	b := newBed(t, count)
	c := startAgent(t, b.nodes...)
	var list []string
	for _, n := range b.nodes {
		list = append(list, n.name)
	}
	c.arm(faultOn("h", "hold", nil, b.nodes...))
	// So long that each node is probed in it, also by a host that lets a probe wait for a second.
	probing := c.begin("probe", map[string]any{"nodes": list, "ids": []string{"h"}, "ratePps": 500, "forMs": 5500})
	c.ask("apply", map[string]any{"ids": []string{"h"}, "afterMs": 700, "forMs": 3500})
	answer := <-probing
	c.must("probe", answer)
	var perFault map[string]skewReport
	if err := answer.read("perFault", &perFault); err != nil {
		t.Fatal(err)
	}
	r := perFault["h"]
	var appliedNs int64
	if err := c.event("applied", "h", time.Second).read("atNs", &appliedNs); err != nil {
		t.Fatal(err)
	}
	var gap int64
	for name, n := range r.PerNode {
		gap = max(gap, n.MaxGapNs)
		if n.LastBeforeNs > appliedNs || n.FirstFaultedNs < appliedNs {
			t.Fatalf("%s: last probe that passed %d, first faulted %d; expected the flip at %d between them",
				name, n.LastBeforeNs, n.FirstFaultedNs, appliedNs)
		}
	}
	if r.ApplyFirstToLastNs == nil || r.LiftFirstToLastNs == nil {
		t.Fatalf("report %+v; expected every node to be seen on both sides", r)
	}
	t.Logf("apply %v, lift %v, longest probe gap %v", time.Duration(*r.ApplyFirstToLastNs),
		time.Duration(*r.LiftFirstToLastNs), time.Duration(gap))
	// The instants are known to the probe's own gap only, which grows on a busy host.
	if limit := int64(20e6) + gap; *r.ApplyFirstToLastNs > limit || *r.LiftFirstToLastNs > limit {
		t.Fatalf("skew %v and %v; expected at most 20 ms beyond the probe's gap of %v",
			time.Duration(*r.ApplyFirstToLastNs), time.Duration(*r.LiftFirstToLastNs), time.Duration(gap))
	}
	for _, n := range b.nodes {
		if w := c.witness("h", n); w.HeldOut != 0 {
			t.Fatalf("%s: %d held; expected none, since probes are not counted", n.name, w.HeldOut)
		}
	}
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
