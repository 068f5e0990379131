package main

import (
	"slices"
	"strings"
	"sync"
)

// enroll opens a node's namespace. The same process under the same name is no
// error; a name whose process still runs is not given to another.
func (a *agent) enroll(name string, pid int, wantStart *uint64) (enrolled, error) {
	if name == "" {
		return enrolled{}, fail("bad-request", "enroll: a node has no name")
	}
	n, err := enrollNode(a, name, pid, wantStart)
	if err != nil {
		return enrolled{}, err
	}
	a.mu.Lock()
	old := a.nodes[name]
	if old != nil && old.running() {
		a.mu.Unlock()
		n.close()
		if old.pid == pid && old.startTime == n.startTime {
			return old.describe(nil), nil
		}
		return enrolled{}, fail("already-enrolled", "node %s is process %d already; release it first", name, old.pid)
	}
	a.nodes[name] = n
	a.mu.Unlock()
	swept, err := n.sweepLeftovers()
	if err != nil {
		a.mu.Lock()
		delete(a.nodes, name)
		a.mu.Unlock()
		n.close()
		return enrolled{}, err
	}
	go a.watch(n)
	return n.describe(swept), nil
}

func (n *node) describe(swept []string) enrolled {
	e := enrolled{Name: n.name, StartTime: n.startTime, IP: n.ip(), IPs: []string{}, IPv6: []string{}, SweptTables: []string{}}
	for _, prefix := range n.addresses {
		e.IPs = append(e.IPs, prefix.Addr().String())
	}
	e.IPv6 = append(e.IPv6, n.ipv6...)
	e.SweptTables = append(e.SweptTables, swept...)
	return e
}

// sweepLeftovers removes tables that a killed agent left in the namespace. A
// living agent shows by its bound queues, and is not disturbed.
func (n *node) sweepLeftovers() (swept []string, err error) {
	err = n.withNamespace(func(nsFd int) error {
		if err := refuseBusy(n.name, nsFd); err != nil {
			return err
		}
		swept, err = sweepNamespace(nsFd)
		return err
	})
	return swept, err
}

// refuseBusy fails when some process serves our queues in the namespace.
func refuseBusy(name string, nsFd int) error {
	return inNamespace(nsFd, func() error {
		queues, err := readKernelQueues()
		if err != nil {
			return err
		}
		for _, num := range []uint16{queueIn, queueOut} {
			if _, bound := queues[num]; bound {
				return fail("queue-busy", "node %s: another agent serves queue %d there; expected one agent a bed", name, num)
			}
		}
		return nil
	})
}

func (a *agent) nodeStates() []nodeState {
	a.mu.Lock()
	var nodes []*node
	for _, n := range a.nodes {
		nodes = append(nodes, n)
	}
	a.mu.Unlock()
	states := make([]nodeState, 0, len(nodes))
	var mu sync.Mutex
	// A node that cannot be read says so in its own state.
	if err := bounded(ruleChangesAtOnce, nodes, func(n *node) error {
		s := n.state()
		mu.Lock()
		states = append(states, s)
		mu.Unlock()
		return nil
	}); err != nil {
		panic(err) // fn returns none
	}
	slices.SortFunc(states, func(x, y nodeState) int { return strings.Compare(x.Name, y.Name) })
	return states
}

func (a *agent) faultStates() []faultState {
	states := []faultState{}
	for _, f := range a.allFaults() {
		states = append(states, f.state())
	}
	slices.SortFunc(states, func(x, y faultState) int { return strings.Compare(x.ID, y.ID) })
	return states
}
