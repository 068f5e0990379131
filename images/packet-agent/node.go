package main

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"sync"

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
