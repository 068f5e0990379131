package main

import (
	"encoding/binary"
	"errors"
	"net"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// sendNumbered sends count numbered datagrams in bursts of 10 every 5 ms,
// without ever waiting for the socket: a full socket buffer would come back as
// EAGAIN. (A withheld packet stays charged; senderPackets of these fill it.)
func sendNumbered(conn *net.UDPConn, to *net.UDPAddr, from, count int) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	sa := &unix.SockaddrInet4{Port: to.Port, Addr: [4]byte(to.IP.To4())}
	var b [64]byte
	for i := from; i < from+count; i++ {
		if (i-from)%10 == 9 {
			time.Sleep(5 * time.Millisecond)
		}
		binary.BigEndian.PutUint32(b[:], uint32(i))
		var failure error
		if err := raw.Control(func(fd uintptr) {
			failure = unix.Sendto(int(fd), b[:], unix.MSG_DONTWAIT, sa)
		}); err != nil || failure != nil {
			return errors.Join(err, failure)
		}
	}
	return nil
}

// mustSend is sendNumbered from a socket that must not notice anything.
func mustSend(t testing.TB, conn *net.UDPConn, to *net.UDPAddr, from, count int) {
	t.Helper()
	if err := sendNumbered(conn, to, from, count); err != nil {
		t.Fatalf("the sender noticed: %v", err)
	}
}

// arrival is one numbered datagram and when it was read.
type arrival struct {
	number int
	atNs   int64
	data   []byte
}

const (
	// patience is how long a datagram that must come is waited for.
	patience = 20 * time.Second
	// surplus is how long one that must not come is.
	surplus = 100 * time.Millisecond
)

// arrivals reads want datagrams, and those that come beyond them.
func arrivals(conn *net.UDPConn, want int) []arrival {
	var got []arrival
	b := make([]byte, 65_536)
	for {
		wait := surplus
		if len(got) < want {
			wait = patience
		}
		if err := conn.SetReadDeadline(time.Now().Add(wait)); err != nil {
			return got
		}
		n, _, err := conn.ReadFromUDP(b)
		if err != nil {
			return got
		}
		if n >= 4 {
			data := append([]byte(nil), b[:n]...)
			got = append(got, arrival{int(binary.BigEndian.Uint32(b)), monoNs(), data})
		}
	}
}

// numbers is arrivals without their times.
func numbers(conn *net.UDPConn, want int) []int {
	return numbersOf(arrivals(conn, want))
}

func numbersOf(list []arrival) []int {
	var got []int
	for _, a := range list {
		got = append(got, a.number)
	}
	return got
}

// wantSequence reads count datagrams, numbered from from, and no more.
func wantSequence(t testing.TB, conn *net.UDPConn, from, count int) {
	t.Helper()
	wantOrder(t, numbers(conn, count), from, count)
}

func wantOrder(t testing.TB, got []int, from, count int) {
	t.Helper()
	if len(got) != count {
		t.Fatalf("%d datagrams arrived; expected %d", len(got), count)
	}
	for i, n := range got {
		if n != from+i {
			t.Fatalf("datagram %d arrived in place %d; expected them in order", n, i)
		}
	}
}

func wantNone(t testing.TB, conn *net.UDPConn, why string) {
	t.Helper()
	time.Sleep(2 * surplus)
	if got := numbers(conn, 0); len(got) != 0 {
		t.Fatalf("%d datagrams arrived; expected none: %s", len(got), why)
	}
}

// bigBuffer makes room for a whole release.
func bigBuffer(t testing.TB, conn *net.UDPConn) {
	t.Helper()
	setOption(t, conn, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, 64<<20)
}

func setOption(t testing.TB, conn *net.UDPConn, level, option, value int) {
	t.Helper()
	raw, err := conn.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var failure error
	if err := raw.Control(func(fd uintptr) { failure = unix.SetsockoptInt(int(fd), level, option, value) }); err != nil {
		t.Fatal(err)
	}
	if failure != nil {
		t.Fatal(failure)
	}
}

// pair is a bed of two nodes, an agent on the first, and a flow each way.
type pair struct {
	*controller
	bed           *testBed
	own, peer     *testNode
	out, outEnd   *net.UDPConn // own sends to peer:7000
	in, inEnd     *net.UDPConn // peer sends to own:7001
	toPeer, toOwn *net.UDPAddr
}

func newPair(t testing.TB) *pair {
	t.Helper()
	b := newBed(t, 2)
	p := &pair{controller: startAgent(t, b.nodes[0]), bed: b, own: b.nodes[0], peer: b.nodes[1]}
	p.out, p.outEnd, p.toPeer = p.own.udp(t, 0), p.peer.udp(t, 7000), p.peer.addr(7000)
	p.in, p.inEnd, p.toOwn = p.peer.udp(t, 0), p.own.udp(t, 7001), p.own.addr(7001)
	setOption(t, p.out, unix.SOL_SOCKET, unix.SO_SNDBUF, senderPackets*832/2) // the kernel doubles it
	bigBuffer(t, p.outEnd)
	bigBuffer(t, p.inEnd)
	return p
}

// inflict arms one fault on the own node and applies it.
func (p *pair) inflict(id, kind string, fields map[string]any) {
	p.t.Helper()
	p.arm(faultOn(id, kind, fields, p.own))
	p.apply(id)
}

// judged waits until a fault has decided about count packets.
func (p *pair) judged(id string, count int) (w countsReport) {
	p.t.Helper()
	decided := 0
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		w = p.witness(id, p.own)
		if decided = int(w.DroppedIn + w.DroppedOut + w.Passed + w.Corrupted + w.Duplicated); decided >= count {
			return w
		}
	}
	p.t.Fatalf("%d of %d packets were judged: %v", decided, count, w)
	return w
}

// heldOut waits until a fault has held count outbound packets.
func (p *pair) heldOut(id string, count int) {
	p.t.Helper()
	eventually(p.t, patience, "all packets are held", func() bool { return int(p.witness(id, p.own).HeldOut) >= count })
}

// senderPackets is about how many small datagrams fill a sender's buffer: four
// times the default, so that an agent that a busy host keeps waiting does not
// look like one that withholds.
const senderPackets = 1024
