package main

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// testNode is a network namespace kept by an idle process, with one address
// on the bed's bridge.
type testNode struct {
	name string
	ip   string
	cmd  *exec.Cmd
	nsFd int
}

func (n *testNode) pid() int { return n.cmd.Process.Pid }

// testBed is a bridge in a namespace of its own and nodes around it: nothing
// of it shows in the host's network.
type testBed struct {
	t      testing.TB
	bridge *testNode
	nodes  []*testNode
}

// newBed makes a bed with count nodes, a-1 … a-count, in 198.18.200.0/22. Beds
// know nothing of one another, so tests run side by side.
func newBed(t testing.TB, count int) *testBed {
	t.Helper()
	if t, isTest := t.(*testing.T); isTest {
		t.Parallel()
	}
	b := &testBed{t: t, bridge: newNamespace(t, "bridge")}
	b.bridge.ip4(t, "link add br0 type bridge", "addr add 198.18.200.1/22 dev br0", "link set br0 up")
	for i := 1; i <= count; i++ {
		b.add(i)
	}
	b.settle()
	return b
}

func (b *testBed) add(i int) {
	b.t.Helper()
	n := newNamespace(b.t, fmt.Sprintf("a-%d", i))
	n.ip = fmt.Sprintf("198.18.200.%d", i+1)
	b.bridge.ip4(b.t,
		fmt.Sprintf("link add v%d type veth peer name eth0 netns %d", i, n.pid()),
		fmt.Sprintf("link set v%d master br0 up", i))
	n.ip4(b.t, "addr add "+n.ip+"/22 dev eth0", "link set lo up", "link set eth0 up",
		"route add default via 198.18.200.1")
	b.nodes = append(b.nodes, n)
}

// settle waits until every node reaches the bridge and the next node, so that
// no test begins with an address that is still being asked for.
func (b *testBed) settle() {
	b.t.Helper()
	for i, n := range b.nodes {
		for _, ip := range []string{"198.18.200.1", b.nodes[(i+1)%len(b.nodes)].ip} {
			eventually(b.t, 5*time.Second, n.name+" reaches "+ip, func() bool {
				_, err := n.dial(ip+":9", time.Second)
				return errors.Is(err, unix.ECONNREFUSED)
			})
		}
	}
}

// newNamespace starts an idle process in a new network namespace.
func newNamespace(t testing.TB, name string) *testNode {
	t.Helper()
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), roleVariable+"=idle")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNET, Pdeathsig: unix.SIGKILL}
	if err := startLocked(cmd); err != nil {
		t.Fatalf("namespace %s: %v", name, err)
	}
	n := &testNode{name: name, cmd: cmd, nsFd: -1}
	t.Cleanup(n.stop)
	fd, err := unix.Open(fmt.Sprintf("/proc/%d/ns/net", cmd.Process.Pid), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatalf("namespace %s: %v", name, err)
	}
	n.nsFd = fd
	return n
}

// startLocked starts children from one thread that lives as long as the
// tests, since Pdeathsig is about the thread and not the process.
func startLocked(cmd *exec.Cmd) error {
	done := make(chan error)
	starter <- func() { done <- cmd.Start() }
	return <-done
}

var starter = func() chan func() {
	work := make(chan func())
	go func() {
		lockThread()
		for fn := range work {
			fn()
		}
	}()
	return work
}()

func (n *testNode) stop() {
	if n.nsFd >= 0 {
		unix.Close(n.nsFd)
		n.nsFd = -1
	}
	if n.cmd.ProcessState == nil {
		_ = n.cmd.Process.Kill() // it may have ended
		_ = n.cmd.Wait()         // "signal: killed" is what we want
	}
}

// ip4 runs ip(8) commands in the namespace in one go.
func (n *testNode) ip4(t testing.TB, commands ...string) {
	t.Helper()
	cmd := exec.Command("nsenter", "-t", fmt.Sprint(n.pid()), "-n", "ip", "-batch", "-")
	cmd.Stdin = strings.NewReader(strings.Join(commands, "\n") + "\n")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: ip %v: %v\n%s", n.name, commands, err, out)
	}
}

// inside runs fn on a thread in the namespace.
func (n *testNode) inside(t testing.TB, fn func() error) {
	t.Helper()
	if err := inNamespace(n.nsFd, fn); err != nil {
		t.Fatalf("%s: %v", n.name, err)
	}
}

// udp opens a UDP socket on the node's address; port 0 picks one.
func (n *testNode) udp(t testing.TB, port int) *net.UDPConn {
	t.Helper()
	var conn *net.UDPConn
	n.inside(t, func() (err error) {
		conn, err = net.ListenUDP("udp4", &net.UDPAddr{IP: net.ParseIP(n.ip), Port: port})
		return err
	})
	t.Cleanup(func() { conn.Close() })
	return conn
}

// udpOn opens a UDP socket on another address of the node.
func (n *testNode) udpOn(t testing.TB, ip string) *net.UDPConn {
	t.Helper()
	other := *n
	other.ip = ip
	return other.udp(t, 0)
}

// listen accepts TCP connections on the node.
func (n *testNode) listen(t testing.TB, address string) net.Listener {
	t.Helper()
	var l net.Listener
	n.inside(t, func() (err error) {
		l, err = net.Listen("tcp4", address)
		return err
	})
	t.Cleanup(func() { l.Close() })
	return l
}

// dial connects from the node.
func (n *testNode) dial(address string, timeout time.Duration) (conn net.Conn, err error) {
	err = inNamespace(n.nsFd, func() (err error) {
		conn, err = (&net.Dialer{Timeout: timeout}).Dial("tcp4", address)
		return err
	})
	return conn, err
}

func (n *testNode) addr(port int) *net.UDPAddr {
	return net.UDPAddrFromAddrPort(netip.MustParseAddrPort(fmt.Sprintf("%s:%d", n.ip, port)))
}

// eventually waits for a condition, looking often.
func eventually(t testing.TB, within time.Duration, what string, met func() bool) {
	t.Helper()
	for deadline := time.Now().Add(within); !met(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s", within, what)
		}
	}
}
