package main

import (
	"errors"
)

// arm puts faults on their nodes: rules in, queues bound, everything passing.
// Either all faults are armed or none is.
func (a *agent) arm(specs []faultSpec) ([]*fault, error) {
	faults := make([]*fault, 0, len(specs))
	for _, spec := range specs {
		f, err := newFault(spec)
		if err != nil {
			return nil, err
		}
		if f.nodes, err = a.find(f.spec.Nodes); err != nil {
			return nil, err
		}
		if err := a.acceptable(f, faults); err != nil {
			return nil, err
		}
		faults = append(faults, f)
	}
	if a.queueForm(); a.formErr != nil {
		return nil, fail("no-queue", "this kernel loads neither form of queue rule: %v", a.formErr)
	}
	base, err := a.figuresOf(nodesOf(faults)) // the witness starts from these
	if err != nil {
		return nil, err
	}
	for i, f := range faults {
		if err := a.bind(f, base); err != nil {
			return nil, errors.Join(err, a.disarm(faults[:i+1]))
		}
	}
	if err := bounded(ruleChangesAtOnce, nodesOf(faults), (*node).reconcile); err != nil {
		return nil, asOpError(errors.Join(err, a.disarm(faults)))
	}
	return faults, nil
}

func (a *agent) acceptable(f *fault, before []*fault) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	clash := func(o *fault) bool { return o != nil && o.spec.ID == f.spec.ID && o.phase.Load() != phaseLifted }
	for _, o := range append(before, a.faults[f.spec.ID]) {
		if clash(o) {
			return fail("fault-exists", "fault %q is %s already; expected a new id, or disarm it first",
				f.spec.ID, phaseNames[o.phase.Load()])
		}
	}
	seen := map[*node]bool{}
	for _, n := range f.nodes {
		if seen[n] {
			return bad(&f.spec, "node %s is listed twice", n.name)
		}
		seen[n] = true
		if !n.running() {
			return fail("namespace-gone", "node %s: its process %d has ended", n.name, n.pid)
		}
		if len(n.ipv6) > 0 {
			return fail("ipv6-in-use", "node %s has the IPv6 address %s; expected IPv4 alone, since IPv6 would "+
				"pass every fault: switch it off in the bed's networks", n.name, n.ipv6[0])
		}
	}
	return nil
}

// bind adds the fault to the lanes of its nodes.
func (a *agent) bind(f *fault, base map[*node]nodeFigures) error {
	f.bindings = map[*node][]*binding{}
	f.base = base
	for _, n := range f.nodes {
		for _, side := range []struct {
			dir    direction
			wanted bool
		}{{inbound, f.in}, {outbound, f.out}} {
			if !side.wanted {
				continue
			}
			b, err := n.lanes[side.dir].bind(f)
			if err != nil {
				return err
			}
			f.bindings[n] = append(f.bindings[n], b)
		}
	}
	a.mu.Lock()
	a.faults[f.spec.ID] = f
	a.mu.Unlock()
	return nil
}

// disarm lifts faults that still act and forgets them and their counts.
func (a *agent) disarm(faults []*fault) error {
	err := a.lift(faults)
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, f := range faults {
		if a.faults[f.spec.ID] == f {
			delete(a.faults, f.spec.ID)
		}
	}
	return err
}

// nodesOf lists the nodes of faults, each once.
func nodesOf(faults []*fault) []*node {
	var nodes []*node
	seen := map[*node]bool{}
	for _, f := range faults {
		for _, n := range f.nodes {
			if !seen[n] {
				seen[n] = true
				nodes = append(nodes, n)
			}
		}
	}
	return nodes
}

// findFaults looks faults up by id; an unknown one is an error.
func (a *agent) findFaults(ids []string) ([]*fault, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var found []*fault
	for _, id := range ids {
		f, known := a.faults[id]
		if !known {
			return nil, fail("unknown-fault", "fault %q is not armed", id)
		}
		found = append(found, f)
	}
	return found, nil
}

// knownFaults splits ids into the faults that there are and the rest.
func (a *agent) knownFaults(ids []string) (faults []*fault, unknown []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	unknown = []string{}
	for _, id := range ids {
		if f, known := a.faults[id]; known {
			faults = append(faults, f)
		} else {
			unknown = append(unknown, id)
		}
	}
	return faults, unknown
}

// allFaults lists every fault that is known, in no particular order.
func (a *agent) allFaults() []*fault {
	a.mu.Lock()
	defer a.mu.Unlock()
	var all []*fault
	for _, f := range a.faults {
		all = append(all, f)
	}
	return all
}
