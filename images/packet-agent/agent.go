package main

import (
	"errors"
	"log"
	"sync"
	"time"
)

// agent is the state of the whole bed: its nodes, its faults, its controller.
type agent struct {
	out *outbox

	// ops runs what changes state one request at a time, in the order of
	// arrival.
	mu     sync.Mutex
	nodes  map[string]*node
	faults map[string]*fault

	formOnce sync.Once
	form     queueForm
	formErr  error

	probes    probeSessions
	redirects redirectBook
	captures  captureBook

	// ending is closed when the deadman acts: nothing waits after that.
	ending  chan struct{}
	endOnce sync.Once
}

func newAgent() *agent {
	return &agent{nodes: map[string]*node{}, faults: map[string]*fault{}, ending: make(chan struct{})}
}

func (a *agent) closing() bool {
	select {
	case <-a.ending:
		return true
	default:
		return false
	}
}

// sleep waits for d, or until the deadman acts.
func (a *agent) sleep(d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-a.ending:
	}
}

// event tells the controller something that it did not ask for.
func (a *agent) event(name string, fields map[string]any) {
	fields["event"] = name
	fields["monoNs"] = monoNs()
	a.out.put(fields)
}

// queueForm is the first form of queue rule that this kernel loads.
func (a *agent) queueForm() queueForm {
	a.formOnce.Do(func() { a.form, a.formErr = findQueueForm() })
	return a.form
}

// findQueueForm tries the rules in an empty namespace of their own.
func findQueueForm() (queueForm, error) {
	var failures []error
	for _, form := range []queueForm{nativeQueue, compatQueue} {
		err := inScratchNamespace(func(nsFd int) error {
			return installRules(nsFd, form, ruleSet{protocolSet{all: true}, protocolSet{udp: true, tcp: true}, true})
		})
		if err == nil {
			return form, nil
		}
		failures = append(failures, err)
	}
	return compatQueue, errors.Join(failures...)
}

// find looks nodes up by name.
func (a *agent) find(names []string) ([]*node, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var found []*node
	for _, name := range names {
		n, known := a.nodes[name]
		if !known {
			return nil, fail("unknown-node", "node %q is not enrolled", name)
		}
		found = append(found, n)
	}
	return found, nil
}

// watch waits for the end of a node's process; its faults end with it.
func (a *agent) watch(n *node) {
	if !n.exited() {
		return // released meanwhile
	}
	for _, l := range n.lanes {
		l.abandoned.Store(true)
	}
	a.event("namespace-gone", map[string]any{"node": n.name, "pid": n.pid})
	a.captures.ended(n)
	if err := a.release(n); err != nil {
		log.Printf("node %s: after its process ended: %v", n.name, err)
	}
}

// release ends every fault on a node and closes its descriptors.
func (a *agent) release(n *node) error {
	a.mu.Lock()
	if a.nodes[n.name] == n {
		delete(a.nodes, n.name)
	}
	var bound []*binding
	for _, f := range a.faults {
		bound = append(bound, f.bindings[n]...)
	}
	a.mu.Unlock()
	if !a.closing() {
		n.figures() // the last look, for who asks for a witness later
		a.captures.leave(n)
	}
	for _, b := range bound {
		b.end(0)
	}
	err := errors.Join(n.reconcile(), a.redirects.drop(n))
	n.close()
	return err
}

// bounded runs fn for every item with at most limit at a time, and joins the
// errors.
func bounded[T any](limit int, items []T, fn func(T) error) error {
	errs := make([]error, len(items))
	slots := make(chan struct{}, limit)
	var wait sync.WaitGroup
	for i, item := range items {
		wait.Add(1)
		slots <- struct{}{}
		go func() {
			defer wait.Done()
			defer func() { <-slots }()
			errs[i] = fn(item)
		}()
	}
	wait.Wait()
	return errors.Join(errs...)
}

// gather runs fn for every item like bounded and keeps what each gave, in the
// order of the items.
func gather[T, R any](limit int, items []T, fn func(T) (R, error)) ([]R, error) {
	results := make([]R, len(items))
	places := make([]int, len(items))
	for i := range places {
		places[i] = i
	}
	err := bounded(limit, places, func(i int) (err error) {
		results[i], err = fn(items[i])
		return err
	})
	return results, err
}

// ruleChangesAtOnce bounds how many namespaces are changed side by side: most
// of a change is waiting for the kernel.
const ruleChangesAtOnce = 32
