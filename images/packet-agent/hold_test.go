package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestAHeldSenderSendsFiveThousandDatagramsWithoutEagainAndAllArriveLateInOrder(t *testing.T) {
	p := newPair(t)
	p.arm(faultOn("h", "hold", map[string]any{"udp": "hold", "tcp": "drop"}, p.own))
	mustSend(t, p.out, p.toPeer, 0, 10)
	wantSequence(t, p.outEnd, 0, 10)

	p.apply("h")
	mustSend(t, p.out, p.toPeer, 10, 5000)
	wantNone(t, p.outEnd, "the sender is held")
	p.heldOut("h", 5000)
	if w := p.witness("h", p.own); w.HeldOut != 5000 || w.WaitingOut != 5000 {
		t.Fatalf("witness %+v; expected 5000 held", w)
	}
	p.lift("h")
	wantSequence(t, p.outEnd, 10, 5000)
	w := p.witness("h", p.own)
	if w.ReleasedOut != 5000 || w.WaitingOut != 0 || w.SendErrors != 0 || w.Overflowed != 0 ||
		w.KernelDropped != 0 || w.Enobufs != 0 || w.VerdictErrors != 0 {
		t.Fatalf("witness %+v; expected 5000 released and nothing lost", w)
	}
	if tables := p.own.tables(t); len(tables) != 0 {
		t.Fatalf("tables %v are left; expected none", tables)
	}
}

func TestAHeldReceiverGetsEverythingLateInOrder(t *testing.T) {
	p := newPair(t)
	p.inflict("h", "hold", nil)
	mustSend(t, p.in, p.toOwn, 0, 5000)
	wantNone(t, p.inEnd, "the receiver is held")
	p.lift("h")
	wantSequence(t, p.inEnd, 0, 5000)
	if w := p.witness("h", p.own); w.HeldIn < 5000 || w.ReleasedIn != w.HeldIn || w.VerdictErrors != 0 {
		t.Fatalf("witness %+v; expected at least 5000 held inbound, and all released", w)
	}
}

func TestABlockingSenderInATightLoopIsNotStalledByAHold(t *testing.T) {
	p := newPair(t)
	p.inflict("h", "hold", nil)
	done := make(chan error, 1)
	go func() {
		var b [64]byte
		for range 5000 {
			if _, err := p.out.WriteToUDP(b[:], p.toPeer); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	select {
	case err := <-done:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the sender is stalled while held")
	}
	eventually(t, 5*time.Second, "all 5000 are held", func() bool { return p.witness("h", p.own).HeldOut == 5000 })
}

func TestArrivalsDuringAReleaseJoinTheTail(t *testing.T) {
	p := newPair(t)
	p.inflict("h", "hold", map[string]any{"pacePps": 4000})
	mustSend(t, p.out, p.toPeer, 0, 2000)
	mustSend(t, p.in, p.toOwn, 0, 2000)
	lifting := p.begin("lift", map[string]any{"ids": []string{"h"}})
	mustSend(t, p.out, p.toPeer, 2000, 1000)
	mustSend(t, p.in, p.toOwn, 2000, 1000)
	p.must("lift", <-lifting)
	mustSend(t, p.out, p.toPeer, 3000, 10)
	wantSequence(t, p.outEnd, 0, 3010)
	wantSequence(t, p.inEnd, 0, 3000)
}

func TestAPacedReleaseLeavesAtItsPace(t *testing.T) {
	p := newPair(t)
	p.inflict("h", "hold", map[string]any{"pacePps": 500, "direction": "out"})
	mustSend(t, p.out, p.toPeer, 0, 400)
	got := make(chan []arrival)
	go func() { got <- arrivals(p.outEnd, 400) }()
	p.lift("h")
	all := <-got
	if len(all) != 400 {
		t.Fatalf("%d datagrams arrived; expected 400", len(all))
	}
	if took := time.Duration(all[399].atNs - all[0].atNs); took < 700*time.Millisecond {
		t.Fatalf("400 datagrams left within %v; expected about 800 ms at 500 a second", took)
	}
}

func TestAHoldOfOnePeerLetsOthersPass(t *testing.T) {
	b := newBed(t, 3)
	own, peer, other := b.nodes[0], b.nodes[1], b.nodes[2]
	c := startAgent(t, own)
	out, peerEnd, otherEnd := own.udp(t, 0), peer.udp(t, 7000), other.udp(t, 7000)
	c.arm(faultOn("h", "hold", map[string]any{"peers": []string{peer.ip}}, own))
	c.apply("h")
	mustSend(t, out, peer.addr(7000), 0, 50)
	mustSend(t, out, other.addr(7000), 0, 50)
	wantSequence(t, otherEnd, 0, 50)
	wantNone(t, peerEnd, "the peer is behind the hold")
	c.lift("h")
	wantSequence(t, peerEnd, 0, 50)
}

func TestTwoHoldsOverOneAnotherReleaseWhenBothAreLifted(t *testing.T) {
	p := newPair(t)
	p.inflict("first", "hold", nil)
	mustSend(t, p.out, p.toPeer, 0, 100)
	p.inflict("second", "hold", nil)
	mustSend(t, p.out, p.toPeer, 100, 100)
	p.heldOut("first", 200)
	p.lift("first")
	wantSequence(t, p.outEnd, 0, 100)
	mustSend(t, p.out, p.toPeer, 200, 100)
	wantNone(t, p.outEnd, "the second hold acts still")
	p.lift("second")
	wantSequence(t, p.outEnd, 100, 200)
	if w := p.witness("first", p.own); w.HeldOut != 200 || w.ReleasedOut != 200 {
		t.Fatalf("first: %+v; expected 200 held and let go", w)
	}
}

func TestAHeldDatagramLargerThanTheMtuArrivesWhole(t *testing.T) {
	p := newPair(t)
	p.inflict("h", "hold", nil)
	big := bytes.Repeat([]byte("0123456789abcdef"), 1500) // 24,000 bytes: 17 fragments
	for _, way := range []struct {
		name     string
		from, to *net.UDPConn
		addr     *net.UDPAddr
	}{{"out", p.out, p.outEnd, p.toPeer}, {"in", p.in, p.inEnd, p.toOwn}} {
		// Without path MTU discovery the datagram may be cut on its way.
		setOption(t, way.from, unix.SOL_IP, unix.IP_MTU_DISCOVER, unix.IP_PMTUDISC_DONT)
		for range 3 {
			if _, err := way.from.WriteToUDP(big, way.addr); err != nil {
				t.Fatal(err)
			}
		}
	}
	wantNone(t, p.outEnd, "held")
	p.lift("h")
	for _, end := range []*net.UDPConn{p.outEnd, p.inEnd} {
		got := arrivals(end, 3)
		if len(got) != 3 {
			t.Fatalf("%d large datagrams arrived; expected 3", len(got))
		}
		for _, a := range got {
			if !bytes.Equal(a.data, big) {
				t.Fatalf("a datagram of %d bytes arrived changed", len(a.data))
			}
		}
	}
}

func TestAHeldDatagramThatMustNotBeFragmentedArrives(t *testing.T) {
	p := newPair(t)
	setOption(t, p.out, unix.SOL_IP, unix.IP_MTU_DISCOVER, unix.IP_PMTUDISC_DO)
	p.inflict("h", "hold", nil)
	full := make([]byte, 1500-28)
	if _, err := p.out.WriteToUDP(full, p.toPeer); err != nil {
		t.Fatal(err)
	}
	p.lift("h")
	if got := arrivals(p.outEnd, 1); len(got) != 1 || len(got[0].data) != len(full) {
		t.Fatalf("%d datagrams arrived; expected the one of %d bytes", len(got), len(full))
	}
}

func TestTcpUnderAHoldThatDropsItRetransmitsAndSeesNoError(t *testing.T) {
	p := newPair(t)
	p.peer.listen(t, p.peer.ip+":8000")
	p.inflict("h", "hold", map[string]any{"udp": "hold", "tcp": "drop"})
	conn, err := p.own.dial(p.peer.ip+":8000", 8*time.Second)
	if err == nil {
		conn.Close()
		t.Fatal("connected through a hold that drops TCP")
	}
	if e, ok := err.(net.Error); !ok || !e.Timeout() {
		t.Fatalf("the dialler saw %v; expected its own timeout and no error", err)
	}
	if w := p.witness("h", p.own); w.DroppedTcp < 5 || w.DroppedOut < 5 {
		t.Fatalf("witness %+v; expected at least 5 connection attempts in 8 s", w)
	}
}

func TestTcpUnderAHoldRetransmitsAndConnectsAfterTheRelease(t *testing.T) {
	p := newPair(t)
	p.peer.listen(t, p.peer.ip+":8000")
	p.inflict("h", "hold", map[string]any{"direction": "out"})
	dialled := make(chan error, 1)
	go func() {
		conn, err := p.own.dial(p.peer.ip+":8000", 60*time.Second)
		if err == nil {
			conn.Close()
		}
		dialled <- err
	}()
	// What is withheld counts as sent for TCP only when it left the host's queues.
	eventually(t, 30*time.Second, "5 connection attempts are held", func() bool { return p.witness("h", p.own).HeldOut >= 5 })
	p.lift("h")
	if err := <-dialled; err != nil {
		t.Fatalf("after the release: %v", err)
	}
}

func TestAnEstablishedStreamSurvivesAHoldIntact(t *testing.T) {
	p := newPair(t)
	l := p.peer.listen(t, p.peer.ip+":8000")
	sum := make(chan string, 1)
	go func() {
		conn, err := l.Accept()
		if err != nil {
			sum <- err.Error()
			return
		}
		h := sha256.New()
		n, err := io.Copy(h, conn)
		sum <- fmt.Sprintf("%d %v %x", n, err, h.Sum(nil))
	}()
	conn, err := p.own.dial(p.peer.ip+":8000", 5*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	p.inflict("h", "hold", nil)
	data := bytes.Repeat([]byte("the quick brown fox "), 200_000) // 4 MB
	written := make(chan error, 1)
	go func() {
		_, err := conn.Write(data)
		written <- err
		conn.Close()
	}()
	eventually(t, 10*time.Second, "segments are held", func() bool { return p.witness("h", p.own).HeldOut > 0 })
	time.Sleep(500 * time.Millisecond)
	p.lift("h")
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	if got, want := <-sum, fmt.Sprintf("%d %v %x", len(data), nil, sha256.Sum256(data)); got != want {
		t.Fatalf("received %s; expected %s", got, want)
	}
}

func TestAnOverflowIsReported(t *testing.T) {
	p := newPair(t)
	p.inflict("h", "hold", nil)
	const extra = 100
	var b [16]byte
	for range queueMaxPackets + extra {
		if _, err := p.out.WriteToUDP(b[:], p.toPeer); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, 20*time.Second, "the overflow is counted", func() bool {
		w := p.witness("h", p.own)
		return w.Overflowed == extra && w.HeldOut == queueMaxPackets
	})
	p.event("overflow", "h", time.Second)
	p.lift("h")
	if w := p.witness("h", p.own); w.ReleasedOut != queueMaxPackets {
		t.Fatalf("witness %+v; expected everything that was held to leave", w)
	}
}

func TestAReleaseThatOverrunsTheReceiverIsSeen(t *testing.T) {
	p := newPair(t)
	p.own.udp(t, 7002) // nobody reads it, and its buffer is small
	p.inflict("h", "hold", map[string]any{"direction": "in"})
	mustSend(t, p.in, p.own.addr(7002), 0, 3000)
	eventually(t, 10*time.Second, "all are held", func() bool { return p.witness("h", p.own).HeldIn >= 3000 })
	p.lift("h")
	if w := p.witness("h", p.own); w.ReleasedIn < 3000 || w.UdpRcvbufErrors == 0 || w.UdpRcvbufErrors >= 3000 {
		t.Fatalf("witness %+v; expected receive-buffer errors for a part of the release", w)
	}
}

func TestAnInboundOverflowIsCountedByTheKernel(t *testing.T) {
	p := newPair(t)
	p.inflict("h", "hold", map[string]any{"protocol": "udp", "direction": "in"})
	const extra = 100
	var b [16]byte
	for i := range queueMaxPackets + extra {
		if i%4096 == 0 { // the agent keeps up, so that only the queue's length matters
			eventually(t, 20*time.Second, "the agent keeps up", func() bool { return p.witness("h", p.own).HeldIn == uint64(i) })
		}
		if _, err := p.in.WriteToUDP(b[:], p.toOwn); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, 20*time.Second, "the kernel's drops are counted", func() bool {
		w := p.witness("h", p.own)
		return w.KernelDropped == extra && w.HeldIn == queueMaxPackets
	})
	p.lift("h")
	if w := p.witness("h", p.own); w.KernelDropped != extra || w.ReleasedIn != queueMaxPackets {
		t.Fatalf("witness %+v; expected the drops to be remembered after the queue is gone", w)
	}
}
