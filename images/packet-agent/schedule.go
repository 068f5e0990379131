package main

import (
	"errors"
	"log"
	"sync"
)

// apply plans faults for one instant afterMs from now, and their end forMs
// later, both on the agent's own clock: a controller that stalls changes
// nothing. It answers with the planned instants.
func (a *agent) apply(faults []*fault, afterMs float64, forMs *float64) (applyNs, liftNs int64, err error) {
	for _, f := range faults {
		if p := f.phase.Load(); p != phaseArmed {
			return 0, 0, fail("not-armed", "fault %q is %s; expected it armed and not yet applied: arm a new one to repeat it",
				f.spec.ID, phaseNames[p])
		}
		if len(f.living()) == 0 {
			return 0, 0, fail("namespace-gone", "fault %q: none of its nodes lives", f.spec.ID)
		}
	}
	for _, f := range faults {
		f.phase.Store(phaseScheduled)
	}
	applyNs = monoNs() + msToNs(afterMs)
	if forMs != nil {
		liftNs = applyNs + msToNs(*forMs)
	}
	if afterMs <= 0 {
		a.flip(faults, applyNs)
	}
	go func() {
		if afterMs > 0 {
			a.sleep(untilNs(applyNs))
			a.flip(faults, applyNs)
		}
		if forMs == nil {
			return
		}
		a.sleep(untilNs(liftNs))
		if a.closing() {
			return // the deadman lifts everything itself
		}
		if err := a.lift(faults); err != nil {
			log.Printf("planned lift: %v", err)
		}
	}()
	return applyNs, liftNs, nil
}

// flip makes scheduled faults act on all their nodes: one word each. A fault
// that was lifted before its time stays lifted.
func (a *agent) flip(faults []*fault, plannedNs int64) {
	if a.closing() {
		return
	}
	var acting []*fault
	for _, f := range faults {
		if f.phase.CompareAndSwap(phaseScheduled, phaseApplied) {
			f.appliedNs.Store(monoNs())
			acting = append(acting, f)
		}
	}
	for _, f := range acting {
		a.event("applied", map[string]any{
			"id": f.spec.ID, "kind": f.spec.Kind, "plannedNs": plannedNs, "atNs": f.appliedNs.Load(), "nodes": names(f.nodes),
		})
	}
}

// liftReport is how the end of a fault went.
type liftReport struct {
	AtNs      int64                 `json:"atNs"`
	DrainedNs int64                 `json:"drainedNs"`
	PerNode   map[string]nodeLifted `json:"perNode"`
	// Error is set when something could not be undone.
	Error string `json:"error,omitempty"`
}

type nodeLifted struct {
	ReleasedIn      uint64 `json:"releasedIn"`
	ReleasedOut     uint64 `json:"releasedOut"`
	FirstReleasedNs int64  `json:"firstReleasedNs,omitempty"`
	DrainedNs       int64  `json:"drainedNs"`
}

// lift ends faults: all flip at one instant, each lane drains in order, and
// the rules go where nothing else is armed. It waits until that is done, also
// for faults that somebody else is lifting. Lifting twice is no error.
func (a *agent) lift(faults []*fault) error {
	var mine []*fault
	for _, f := range faults {
		if f.beginLift() {
			mine = append(mine, f)
		}
	}
	drained := make([]map[*node]int64, len(mine))
	var wait sync.WaitGroup
	for i, f := range mine {
		wait.Add(1)
		go func() {
			defer wait.Done()
			drained[i] = f.end()
		}()
	}
	wait.Wait()
	err := bounded(ruleChangesAtOnce, nodesOf(mine), a.reconcileLiving)
	for i, f := range mine {
		f.closeReport(drained[i], err)
		close(f.over)
		if f.appliedNs.Load() == 0 {
			continue // it never began, so it is no news that it ended
		}
		a.event("lifted", map[string]any{
			"id": f.spec.ID, "kind": f.spec.Kind, "atNs": f.report.AtNs, "drainedNs": f.report.DrainedNs,
			"perNode": f.report.PerNode, "error": f.report.Error,
		})
	}
	for _, f := range faults {
		<-f.over
		if f.report.Error != "" {
			err = errors.Join(err, fail("lift-failed", "fault %q: %s", f.spec.ID, f.report.Error))
		}
	}
	return err
}

// reconcileLiving skips a node whose namespace is gone: gone counts as lifted.
func (a *agent) reconcileLiving(n *node) error {
	err := n.reconcile()
	if err != nil && asOpError(err).Code == "namespace-gone" {
		return nil
	}
	return err
}

// beginLift is true for the one caller that has to lift the fault.
func (f *fault) beginLift() bool {
	for {
		p := f.phase.Load()
		if p == phaseLifting || p == phaseLifted {
			return false
		}
		if f.phase.CompareAndSwap(p, phaseLifting) {
			f.liftedNs.Store(monoNs())
			return true
		}
	}
}

// end drains the fault on all its nodes side by side and says when each was
// done.
func (f *fault) end() map[*node]int64 {
	var pace float64
	if f.spec.PacePps != nil {
		pace = *f.spec.PacePps
	}
	done := map[*node]int64{}
	var mu sync.Mutex
	var wait sync.WaitGroup
	for n, bindings := range f.bindings {
		for _, b := range bindings {
			wait.Add(1)
			go func() {
				defer wait.Done()
				b.end(pace)
				mu.Lock()
				done[n] = max(done[n], monoNs())
				mu.Unlock()
			}()
		}
	}
	wait.Wait()
	f.drainedNs.Store(monoNs())
	f.phase.Store(phaseLifted)
	return done
}

// end lets go of what the fault keeps in this lane and takes it off the lane.
func (b *binding) end(pacePps float64) {
	b.ending.Do(func() {
		if b.fault.spec.Kind == kindHold {
			b.lane.drain(b, pacePps)
		} else {
			b.lane.expire(b)
		}
		b.lane.unbind(b)
	})
}

func (f *fault) closeReport(done map[*node]int64, err error) {
	f.report = liftReport{AtNs: f.liftedNs.Load(), DrainedNs: f.drainedNs.Load(), PerNode: map[string]nodeLifted{}}
	if err != nil {
		f.report.Error = err.Error()
	}
	for n, bindings := range f.bindings {
		r := nodeLifted{DrainedNs: done[n]}
		for _, b := range bindings {
			c := b.snapshot()
			if b.lane.dir == inbound {
				r.ReleasedIn += c.released
			} else {
				r.ReleasedOut += c.released
			}
			if c.firstReleasedNs != 0 && (r.FirstReleasedNs == 0 || c.firstReleasedNs < r.FirstReleasedNs) {
				r.FirstReleasedNs = c.firstReleasedNs
			}
		}
		f.report.PerNode[n.name] = r
	}
}

// living are the nodes of the fault whose process has not ended.
func (f *fault) living() []*node {
	var nodes []*node
	for _, n := range f.nodes {
		if n.running() {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

func names(nodes []*node) []string {
	list := make([]string, len(nodes))
	for i, n := range nodes {
		list[i] = n.name
	}
	return list
}
