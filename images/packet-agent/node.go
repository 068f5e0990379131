package main

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// node is one enrolled network namespace and the process it was found by.
type node struct {
	agent     *agent
	name      string
	pid       int
	startTime uint64
	pidFd     *os.File
	addresses []netip.Prefix
	ipv6      []string
	lanes     [2]*lane

	// nsMu guards nsFd, which is -1 once closed.
	nsMu sync.Mutex
	nsFd int

	// ctl lets one change of rules and queues run at a time.
	ctl     sync.Mutex
	open    bool
	probing int

	// figuresMu guards what the closed queues of this node have counted.
	figuresMu sync.Mutex
	past      nodeFigures
	last      nodeFigures
}

// enrollNode opens the namespace of a process and makes sure that it is the
// process that was meant: a PID may have been given to another one meanwhile.
func enrollNode(a *agent, name string, pid int, wantStart *uint64) (*node, error) {
	if pid <= 0 {
		return nil, fail("bad-pid", "node %s: pid is %d; expected the host's PID of a running process", name, pid)
	}
	n := &node{agent: a, name: name, pid: pid, nsFd: -1}
	n.lanes = [2]*lane{newLane(n, inbound), newLane(n, outbound)}
	if err := n.identify(wantStart); err != nil {
		n.close()
		return nil, err
	}
	if err := n.readAddresses(); err != nil {
		n.close()
		return nil, fail("namespace-unreadable", "node %s: read addresses: %v", name, err)
	}
	return n, nil
}

func (n *node) identify(wantStart *uint64) error {
	noProcess := func(err error) error {
		if errors.Is(err, unix.ESRCH) || errors.Is(err, os.ErrNotExist) {
			return fail("no-process", "node %s: no process %d; is the agent in the host's PID namespace?", n.name, n.pid)
		}
		return fail("namespace-unreadable", "node %s: process %d: %v", n.name, n.pid, err)
	}
	pidFd, err := unix.PidfdOpen(n.pid, unix.PIDFD_NONBLOCK)
	if err != nil {
		return noProcess(err)
	}
	n.pidFd = os.NewFile(uintptr(pidFd), fmt.Sprintf("pidfd:%d", n.pid))
	before, err := startTime(n.pid)
	if err != nil {
		return noProcess(err)
	}
	fd, err := unix.Open(fmt.Sprintf("/proc/%d/ns/net", n.pid), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return noProcess(err)
	}
	n.nsFd = fd
	after, err := startTime(n.pid)
	if err != nil {
		return noProcess(err)
	}
	if before != after || (wantStart != nil && *wantStart != after) {
		want := before
		if wantStart != nil {
			want = *wantStart
		}
		return fail("pid-reused", "node %s: process %d started at tick %d; expected %d, so this is another process",
			n.name, n.pid, after, want).with("startTime", after)
	}
	n.startTime = after
	return n.refuseHost()
}

// refuseHost keeps faults away from the host's own network, which is where its
// first process is, and every kernel thread. Some hosts show neither to us.
func (n *node) refuseHost() error {
	var own unix.Stat_t
	if err := unix.Fstat(n.nsFd, &own); err != nil {
		return fail("namespace-unreadable", "node %s: %v", n.name, err)
	}
	seen := false
	for _, path := range []string{"/proc/1/ns/net", "/proc/2/ns/net"} {
		var host unix.Stat_t
		if unix.Stat(path, &host) != nil {
			continue
		}
		seen = true
		if own.Ino == host.Ino && own.Dev == host.Dev {
			return fail("host-network", "node %s: process %d is in the host's network namespace; "+
				"expected one of its own, since a fault would cut off the host", n.name, n.pid)
		}
	}
	if !seen {
		return fail("no-host-pids", "the host's network namespace cannot be seen; expected pid=host and SYS_PTRACE")
	}
	return nil
}

func (n *node) readAddresses() error {
	return n.inside(func() error {
		interfaces, err := net.Interfaces()
		if err != nil {
			return err
		}
		for _, i := range interfaces {
			if i.Flags&net.FlagLoopback != 0 {
				continue
			}
			addresses, err := i.Addrs()
			if err != nil {
				return err
			}
			for _, a := range addresses {
				prefix, err := netip.ParsePrefix(a.String())
				if err != nil {
					continue
				}
				if prefix.Addr().Is4() {
					n.addresses = append(n.addresses, prefix)
				} else if prefix.Addr().IsGlobalUnicast() {
					n.ipv6 = append(n.ipv6, prefix.Addr().String())
				}
			}
		}
		return nil
	})
}

// withNamespace hands over a descriptor of the namespace that stays open
// during the call, whatever happens to the node meanwhile.
func (n *node) withNamespace(fn func(nsFd int) error) error {
	n.nsMu.Lock()
	if n.nsFd < 0 {
		n.nsMu.Unlock()
		return fail("namespace-gone", "node %s: its namespace is gone or was released", n.name)
	}
	fd, err := unix.FcntlInt(uintptr(n.nsFd), unix.F_DUPFD_CLOEXEC, 0)
	n.nsMu.Unlock()
	if err != nil {
		return fmt.Errorf("node %s: duplicate the namespace's descriptor: %w", n.name, err)
	}
	defer unix.Close(fd)
	return fn(fd)
}

// inside runs fn on a thread in the node's namespace.
func (n *node) inside(fn func() error) error {
	return n.withNamespace(func(nsFd int) error { return inNamespace(nsFd, fn) })
}

// exited waits until the node's process is gone, or until close.
func (n *node) exited() bool {
	raw, err := n.pidFd.SyscallConn()
	if err != nil {
		return false
	}
	ended := false
	err = raw.Read(func(fd uintptr) bool {
		ended = pidfdReadable(int(fd))
		return ended
	})
	return err == nil && ended
}

// running says whether the node's process still lives.
func (n *node) running() bool {
	raw, err := n.pidFd.SyscallConn()
	if err != nil {
		return false
	}
	ended := true
	if err := raw.Control(func(fd uintptr) { ended = pidfdReadable(int(fd)) }); err != nil {
		return false
	}
	return !ended
}

func pidfdReadable(fd int) bool {
	poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	ready, err := unix.Poll(poll, 0)
	return err == nil && ready > 0
}

func (n *node) close() {
	if n.pidFd != nil {
		n.pidFd.Close()
	}
	n.nsMu.Lock()
	defer n.nsMu.Unlock()
	if n.nsFd >= 0 {
		unix.Close(n.nsFd)
		n.nsFd = -1
	}
}

func (n *node) ip() string {
	if len(n.addresses) == 0 {
		return ""
	}
	return n.addresses[0].Addr().String()
}

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
	// Rules of an agent that was killed may be left; its queues are not.
	_, err := removeTable(nsFd, tableName)
	if err == nil {
		err = installRules(nsFd, n.agent.queueForm(), rules)
	}
	if err != nil {
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
