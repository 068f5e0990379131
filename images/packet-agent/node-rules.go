package main

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// reconcile makes the node's rules and queues what its armed faults and its
// probes need: in place before anything is applied, gone when nothing is armed.
func (n *node) reconcile() error {
	n.ctl.Lock()
	defer n.ctl.Unlock()
	return n.withNamespace(func(nsFd int) error {
		in, inRange := n.lanes[inbound].needs()
		out, outRange := n.lanes[outbound].needs()
		armed := !in.empty() || !out.empty()
		rules := ruleSet{in, out, armed || n.probing > 0}
		if rules.empty() {
			return n.clear(nsFd)
		}
		if !n.open {
			return n.setUp(nsFd, rules)
		}
		return errors.Join(
			n.lanes[inbound].setCopyRange(inRange),
			n.lanes[outbound].setCopyRange(outRange),
			installRules(nsFd, n.agent.queueForm(), rules),
		)
	})
}

// keepForProbes keeps the queues and the probes' rule, whatever is lifted
// meanwhile, until the returned function is called.
func (n *node) keepForProbes() (done func() error, err error) {
	n.ctl.Lock()
	n.probing++
	open := n.open
	n.ctl.Unlock()
	done = func() error {
		n.ctl.Lock()
		n.probing--
		n.ctl.Unlock()
		if n.armed() {
			return nil
		}
		return n.agent.reconcileLiving(n)
	}
	if open {
		return done, nil // every rule set that is not empty has the probes' rule
	}
	return done, n.reconcile()
}

// armed says whether any fault is bound to the node.
func (n *node) armed() bool {
	in, _ := n.lanes[inbound].needs()
	out, _ := n.lanes[outbound].needs()
	return !in.empty() || !out.empty()
}

// setUp binds the queues and then installs the rules, so that no packet is
// ever sent to a queue that nobody serves.
func (n *node) setUp(nsFd int, rules ruleSet) error {
	for _, l := range n.lanes {
		if err := l.open(nsFd); err != nil {
			err = errors.Join(err, n.closeLanes())
			if errors.Is(err, unix.EBUSY) {
				return fail("queue-busy", "node %s: another process owns our queues there; "+
					"expected one agent a bed (%v)", n.name, err)
			}
			return err
		}
	}
	if err := installRules(nsFd, n.agent.queueForm(), rules); err != nil {
		_, removal := removeTable(nsFd, tableName)
		return errors.Join(err, removal, n.closeLanes())
	}
	n.open = true
	return nil
}

func (n *node) closeLanes() error {
	return errors.Join(n.lanes[inbound].close(), n.lanes[outbound].close())
}

// emptyTimeout bounds the wait for packets between the rules' end and the
// queues' end; they pass within microseconds.
const emptyTimeout = 500 * time.Millisecond

// clear takes the rules away without losing a packet: first nothing new is
// queued, then the queues run empty, then the table goes. (Removing its chains
// at once would drop what is queued.)
func (n *node) clear(nsFd int) error {
	if !n.open {
		return nil
	}
	err := installRules(nsFd, n.agent.queueForm(), ruleSet{})
	var counted nodeFigures
	err = errors.Join(err, inNamespace(nsFd, func() error {
		waiting := n.awaitEmpty()
		var reading error
		counted, reading = n.readFigures() // the kernel's counters go with the queues
		return errors.Join(waiting, reading)
	}))
	_, removal := removeTable(nsFd, tableName)
	n.open = false
	err = errors.Join(err, removal, n.closeLanes())
	n.foldQueues(counted)
	return err
}

// awaitEmpty runs inside the namespace.
func (n *node) awaitEmpty() error {
	for deadline := time.Now().Add(emptyTimeout); ; time.Sleep(time.Millisecond) {
		queues, err := readKernelQueues()
		if err != nil {
			return err
		}
		left := queues[queueIn].Total + queues[queueOut].Total
		if left == 0 {
			return nil
		}
		if time.Now().After(deadline) {
			return fail("queue-not-empty", "node %s: %d packets still queued %v after the rules were flushed",
				n.name, left, emptyTimeout)
		}
	}
}
