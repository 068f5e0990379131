package main

import (
	"encoding/binary"
	"errors"
	"net"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// sendNumbered sends count numbered datagrams in bursts of 20 every 5 ms,
// without ever waiting for the socket: a full socket buffer would come back as
// EAGAIN. (A withheld packet stays charged, and 256 of these fill the buffer.)
func sendNumbered(conn *net.UDPConn, to *net.UDPAddr, from, count int) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	sa := &unix.SockaddrInet4{Port: to.Port, Addr: [4]byte(to.IP.To4())}
	var b [64]byte
	for i := from; i < from+count; i++ {
		if (i-from)%20 == 19 {
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

// arrivals reads datagrams until none came for quiet.
func arrivals(conn *net.UDPConn, quiet time.Duration) []arrival {
	var got []arrival
	b := make([]byte, 65_536)
	for {
		if err := conn.SetReadDeadline(time.Now().Add(quiet)); err != nil {
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
func numbers(conn *net.UDPConn, quiet time.Duration) []int {
	var got []int
	for _, a := range arrivals(conn, quiet) {
		got = append(got, a.number)
	}
	return got
}

func wantSequence(t testing.TB, got []int, from, count int) {
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
	if got := numbers(conn, 300*time.Millisecond); len(got) != 0 {
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

const quiet = 300 * time.Millisecond
