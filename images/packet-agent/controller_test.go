package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func lockThread() { runtime.LockOSThread() }

// controller speaks to an agent process as the harness does.
type controller struct {
	t      testing.TB
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout io.Closer

	mu      sync.Mutex
	next    int
	pending map[int]chan message
	events  []message
	ended   chan struct{}
}

type message map[string]json.RawMessage

func (m message) read(key string, into any) error {
	raw, there := m[key]
	if !there {
		return fmt.Errorf("no %q in %v", key, m)
	}
	return json.Unmarshal(raw, into)
}

func (m message) text(key string) string {
	var s string
	_ = m.read(key, &s) // an absent text is empty
	return s
}

// startAgent runs the agent and enrolls the nodes.
func startAgent(t testing.TB, nodes ...*testNode) *controller {
	t.Helper()
	c := &controller{t: t, cmd: exec.Command(agentBinary), pending: map[int]chan message{}, ended: make(chan struct{})}
	c.cmd.Stderr = os.Stderr
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: unix.SIGKILL}
	stdin, err := c.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.stdin, c.stdout = stdin, stdout
	if err := startLocked(c.cmd); err != nil {
		t.Fatal(err)
	}
	go c.readAll(stdout)
	t.Cleanup(c.close)
	if len(nodes) > 0 {
		c.enroll(nodes...)
	}
	return c
}

func (c *controller) readAll(r io.Reader) {
	defer close(c.ended)
	lines := bufio.NewReaderSize(r, 1<<20)
	for {
		line, err := readLine(lines)
		if err != nil {
			return
		}
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			c.t.Errorf("agent said what is not JSON: %s", line)
			return
		}
		c.mu.Lock()
		var id int
		if m.read("id", &id) == nil && m["event"] == nil {
			if ch := c.pending[id]; ch != nil {
				ch <- m
			}
			delete(c.pending, id)
		}
		if m["event"] != nil {
			c.events = append(c.events, m)
		}
		c.mu.Unlock()
	}
}

// send makes a request and returns its answer, whatever it is.
func (c *controller) send(op string, fields map[string]any) message {
	c.t.Helper()
	select {
	case m := <-c.begin(op, fields):
		return m
	case <-c.ended:
		c.t.Fatalf("%s: the agent ended", op)
	case <-time.After(60 * time.Second):
		c.t.Fatalf("%s: no answer within 60 s", op)
	}
	return nil
}

// begin makes a request without waiting for its answer.
func (c *controller) begin(op string, fields map[string]any) chan message {
	c.t.Helper()
	request := map[string]any{"op": op}
	for k, v := range fields {
		request[k] = v
	}
	ch := make(chan message, 1)
	c.mu.Lock()
	c.next++
	request["id"] = c.next
	c.pending[c.next] = ch
	c.mu.Unlock()
	line, err := json.Marshal(request)
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := c.stdin.Write(append(line, '\n')); err != nil {
		c.t.Fatalf("%s: %v", op, err)
	}
	return ch
}

// ask makes a request that must succeed.
func (c *controller) ask(op string, fields map[string]any) message {
	c.t.Helper()
	m := c.send(op, fields)
	c.must(op, m)
	return m
}

func (c *controller) must(op string, m message) {
	c.t.Helper()
	var ok bool
	if err := m.read("ok", &ok); err != nil || !ok {
		c.t.Fatalf("%s was refused: %s", op, m["error"])
	}
}

// refused makes a request that must fail, and returns the error's code.
func (c *controller) refused(op string, fields map[string]any) string {
	c.t.Helper()
	m := c.send(op, fields)
	var e opError
	if err := m.read("error", &e); err != nil {
		c.t.Fatalf("%s was not refused: %v", op, m)
	}
	return e.Code
}

func (c *controller) enroll(nodes ...*testNode) {
	c.t.Helper()
	var list []map[string]any
	for _, n := range nodes {
		list = append(list, map[string]any{"name": n.name, "pid": n.pid()})
	}
	c.ask("enroll", map[string]any{"nodes": list})
}

// fault is the fields of a fault, with defaults for tests.
func faultOn(id, kind string, fields map[string]any, nodes ...*testNode) map[string]any {
	f := map[string]any{"id": id, "kind": kind, "seed": 1}
	var list []string
	for _, n := range nodes {
		list = append(list, n.name)
	}
	f["nodes"] = list
	for k, v := range fields {
		f[k] = v
	}
	return f
}

func (c *controller) arm(faults ...map[string]any) {
	c.t.Helper()
	c.ask("arm", map[string]any{"faults": faults})
}

func (c *controller) apply(ids ...string) { c.t.Helper(); c.ask("apply", map[string]any{"ids": ids}) }
func (c *controller) lift(ids ...string)  { c.t.Helper(); c.ask("lift", map[string]any{"ids": ids}) }

// witness is one fault's counts at one node.
func (c *controller) witness(id string, n *testNode) countsReport {
	c.t.Helper()
	var faults []faultWitness
	if err := c.ask("witness", map[string]any{"ids": []string{id}}).read("faults", &faults); err != nil {
		c.t.Fatal(err)
	}
	return *faults[0].PerNode[n.name]
}

// String keeps failures readable.
func (r countsReport) String() string {
	text, err := json.Marshal(r)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// state is a node as the agent reads it back from the kernel.
func (c *controller) state(n *testNode) nodeState {
	c.t.Helper()
	var nodes []nodeState
	if err := c.ask("snapshot", nil).read("nodes", &nodes); err != nil {
		c.t.Fatal(err)
	}
	for _, s := range nodes {
		if s.Name == n.name {
			return s
		}
	}
	c.t.Fatalf("%s is not in the snapshot", n.name)
	return nodeState{}
}

// event waits for an event of a name, with an id where one is given.
func (c *controller) event(name, id string, within time.Duration) message {
	c.t.Helper()
	var found message
	eventually(c.t, within, "event "+name+" "+id, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, m := range c.events {
			if m.text("event") == name && (id == "" || m.text("id") == id) {
				found = m
				return true
			}
		}
		return false
	})
	return found
}

// close ends the agent by its deadman.
func (c *controller) close() {
	c.stdin.Close()
	c.await(10 * time.Second)
}

func (c *controller) await(within time.Duration) {
	c.t.Helper()
	select {
	case <-c.ended:
	case <-time.After(within):
		c.t.Errorf("the agent did not end within %v", within)
		_ = c.cmd.Process.Kill() // the error above says so already
	}
	_ = c.cmd.Wait() // its exit code is looked at by the tests that care
}

// tables lists our tables in a node's namespace, without the agent.
func (n *testNode) tables(t testing.TB) []string {
	t.Helper()
	names, err := ourTables(n.nsFd)
	if err != nil {
		t.Fatal(err)
	}
	return names
}
