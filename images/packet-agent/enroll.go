package main

import (
	"slices"
	"strings"
)

// enroll opens a node's namespace. The same process under the same name is no
// error; a name whose process still runs is not given to another.
func (a *agent) enroll(want nodeToEnroll) (enrolled, error) {
	if want.Name == "" {
		return enrolled{}, fail("bad-request", "enroll: a node has no name")
	}
	n, err := enrollNode(a, want.Name, want.Pid, want.StartTime)
	if err != nil {
		return enrolled{}, err
	}
	a.mu.Lock()
	old := a.nodes[n.name]
	if old != nil && old.running() {
		a.mu.Unlock()
		n.close()
		if old.pid == n.pid && old.startTime == n.startTime {
			if err := old.addAddresses(want.Addresses); err != nil {
				return enrolled{}, err
			}
			return old.describe(nil), nil
		}
		return enrolled{}, fail("already-enrolled", "node %s is process %d already; release it first", n.name, old.pid)
	}
	a.nodes[n.name] = n
	a.mu.Unlock()
	swept, err := n.sweepLeftovers()
	if err == nil {
		err = n.addAddresses(want.Addresses)
	}
	if err != nil {
		a.mu.Lock()
		delete(a.nodes, n.name)
		a.mu.Unlock()
		n.close()
		return enrolled{}, err
	}
	go a.watch(n)
	a.captures.follow(n)
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

func (a *agent) nodeStates() ([]nodeState, error) {
	nodes := a.allNodes()
	// A node that cannot be read says so in its own state.
	return gather(ruleChangesAtOnce, nodes, func(n *node) (nodeState, error) { return n.state(), nil })
}

// allNodes lists what is enrolled, by name.
func (a *agent) allNodes() []*node {
	a.mu.Lock()
	defer a.mu.Unlock()
	var nodes []*node
	for _, n := range a.nodes {
		nodes = append(nodes, n)
	}
	slices.SortFunc(nodes, func(x, y *node) int { return strings.Compare(x.name, y.name) })
	return nodes
}

func (a *agent) faultStates() []faultState {
	states := []faultState{}
	for _, f := range a.allFaults() {
		states = append(states, f.state())
	}
	slices.SortFunc(states, func(x, y faultState) int { return strings.Compare(x.ID, y.ID) })
	return states
}
