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

// numbers reads numbered datagrams until none came for quiet.
func numbers(conn *net.UDPConn, quiet time.Duration) []int {
	var got []int
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
			got = append(got, int(binary.BigEndian.Uint32(b)))
		}
	}
}

func wantSequence(t *testing.T, got []int, from, count int) {
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

// bigBuffer makes room for a whole release.
func bigBuffer(t *testing.T, conn *net.UDPConn) {
	t.Helper()
	raw, err := conn.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if err := raw.Control(func(fd uintptr) {
		err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, 64<<20)
	}); err != nil {
		t.Fatal(err)
	}
}

func TestAHeldSenderSendsFiveThousandDatagramsWithoutEagainAndAllArriveLateInOrder(t *testing.T) {
	b := newBed(t, 2)
	held, free := b.nodes[0], b.nodes[1]
	c := startAgent(t, held)
	sender, receiver := held.udp(t, 0), free.udp(t, 7000)
	bigBuffer(t, receiver)

	c.arm(faultOn("h", "hold", map[string]any{"udp": "hold", "tcp": "drop"}, held))
	if err := sendNumbered(sender, free.addr(7000), 0, 10); err != nil {
		t.Fatal(err)
	}
	wantSequence(t, numbers(receiver, 300*time.Millisecond), 0, 10)

	c.apply("h")
	if err := sendNumbered(sender, free.addr(7000), 10, 5000); err != nil {
		t.Fatalf("the held sender noticed: %v", err)
	}
	if early := numbers(receiver, 500*time.Millisecond); len(early) != 0 {
		t.Fatalf("%d datagrams arrived during the hold; expected none", len(early))
	}
	if w := c.witness("h", held); w.HeldOut != 5000 || w.WaitingOut != 5000 {
		t.Fatalf("witness %+v; expected 5000 held", w)
	}
	c.lift("h")
	wantSequence(t, numbers(receiver, 300*time.Millisecond), 10, 5000)
	w := c.witness("h", held)
	if w.ReleasedOut != 5000 || w.WaitingOut != 0 || w.SendErrors != 0 || w.Overflowed != 0 || w.KernelDropped != 0 || w.Enobufs != 0 {
		t.Fatalf("witness %+v; expected 5000 released and nothing lost", w)
	}
	if tables := held.tables(t); len(tables) != 0 {
		t.Fatalf("tables %v are left; expected none", tables)
	}
}

func TestAHeldReceiverGetsEverythingLateInOrder(t *testing.T) {
	b := newBed(t, 2)
	held, free := b.nodes[0], b.nodes[1]
	c := startAgent(t, held)
	sender, receiver := free.udp(t, 0), held.udp(t, 7000)
	bigBuffer(t, receiver)
	c.arm(faultOn("h", "hold", nil, held))
	c.apply("h")
	if err := sendNumbered(sender, held.addr(7000), 0, 5000); err != nil {
		t.Fatal(err)
	}
	if early := numbers(receiver, 300*time.Millisecond); len(early) != 0 {
		t.Fatalf("%d datagrams arrived during the hold; expected none", len(early))
	}
	c.lift("h")
	wantSequence(t, numbers(receiver, 300*time.Millisecond), 0, 5000)
	if w := c.witness("h", held); w.HeldIn < 5000 || w.ReleasedIn != w.HeldIn {
		t.Fatalf("witness %+v; expected at least 5000 held inbound, and all released", w)
	}
}
