package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"
)

func TestALossTakesItsShareOfThePackets(t *testing.T) {
	p := newPair(t)
	const count, ratio = 4000, 0.3
	p.inflict("l", "loss", map[string]any{"ratio": ratio, "protocol": "udp"})
	mustSend(t, p.out, p.toPeer, 0, count)
	mustSend(t, p.in, p.toOwn, 0, count)
	w := p.judged("l", 2*count)
	lostOut := count - len(numbers(p.outEnd, count-int(w.DroppedOut)))
	lostIn := count - len(numbers(p.inEnd, count-int(w.DroppedIn)))
	wantShare(t, "lost outbound", lostOut, count, ratio)
	wantShare(t, "lost inbound", lostIn, count, ratio)
	if int(w.DroppedOut) != lostOut || int(w.DroppedIn) != lostIn || w.DroppedIn+w.DroppedOut+w.Passed != 2*count {
		t.Fatalf("witness %+v; expected every packet lost or passed", w)
	}
}

// wantShare allows five standard deviations of a binomial count: a chance of
// less than one in a million for a right ratio.
func wantShare(t testing.TB, what string, got, of int, ratio float64) {
	t.Helper()
	mean, deviation := ratio*float64(of), math.Sqrt(ratio*(1-ratio)*float64(of))
	if math.Abs(float64(got)-mean) > 5*deviation {
		t.Fatalf("%s: %d of %d; expected %.0f ± %.0f", what, got, of, mean, 5*deviation)
	}
}

func TestTheSameSeedLosesTheSamePackets(t *testing.T) {
	p := newPair(t)
	lost := func(id string, seed any) []int {
		p.inflict(id, "loss", map[string]any{"ratio": 0.5, "seed": seed, "protocol": "udp", "direction": "out"})
		mustSend(t, p.out, p.toPeer, 0, 300)
		w := p.judged(id, 300)
		p.lift(id)
		return numbers(p.outEnd, int(w.Passed))
	}
	first, again := lost("a", 7), lost("b", 7)
	if !slices.Equal(first, again) {
		t.Fatal("the same seed lost other packets")
	}
	if slices.Equal(first, lost("c", 8)) {
		t.Fatal("another seed lost the same packets")
	}
	if !slices.Equal(lost("d", "seven/1"), lost("e", "seven/1")) {
		t.Fatal("the same text as a seed lost other packets")
	}
}

func TestTheDirectionsOfALossAreIndependent(t *testing.T) {
	p := newPair(t)
	p.inflict("l", "loss", map[string]any{"ratio": 0.5, "protocol": "udp"})
	mustSend(t, p.out, p.toPeer, 0, 300)
	mustSend(t, p.in, p.toOwn, 0, 300)
	w := p.judged("l", 600)
	if slices.Equal(numbers(p.outEnd, 300-int(w.DroppedOut)), numbers(p.inEnd, 300-int(w.DroppedIn))) {
		t.Fatal("both directions lost the same packets")
	}
}

func TestADuplicateArrivesTwice(t *testing.T) {
	p := newPair(t)
	const count, ratio = 2000, 0.25
	p.inflict("d", "duplicate", map[string]any{"ratio": ratio, "direction": "out"})
	mustSend(t, p.out, p.toPeer, 0, count)
	w := p.judged("d", count)
	seen := map[int]int{}
	for _, n := range numbers(p.outEnd, count+int(w.Duplicated)) {
		seen[n]++
	}
	twice := 0
	for n := range count {
		switch seen[n] {
		case 1:
		case 2:
			twice++
		default:
			t.Fatalf("datagram %d arrived %d times; expected once or twice", n, seen[n])
		}
	}
	wantShare(t, "duplicated", twice, count, ratio)
	if int(w.Duplicated) != twice {
		t.Fatalf("witness %+v; expected %d duplicated", w, twice)
	}
}

func TestAnInboundDuplicateIsRefusedWithTheReason(t *testing.T) {
	p := newPair(t)
	for _, direction := range []string{"in", "both"} {
		code := p.refused("arm", map[string]any{"faults": []any{
			faultOn("d", "duplicate", map[string]any{"ratio": 0.5, "direction": direction}, p.own)}})
		if code != "bad-fault" {
			t.Fatalf("direction %s: %s; expected bad-fault", direction, code)
		}
	}
}

// sendPattern sends count datagrams of a number and a payload that shows any
// change.
func sendPattern(t testing.TB, p *pair, inboundToo bool, count int) {
	t.Helper()
	for i := range count {
		b := patterned(i)
		if _, err := p.out.WriteToUDP(b, p.toPeer); err != nil {
			t.Fatal(err)
		}
		if !inboundToo {
			continue
		}
		if _, err := p.in.WriteToUDP(b, p.toOwn); err != nil {
			t.Fatal(err)
		}
	}
}

func patterned(i int) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(i)), fmt.Appendf(nil, "payload of %d, odd%s", i, "!"[:i%2])...)
}

func TestDetectedCorruptionIsDiscardedByTheReceivingKernel(t *testing.T) {
	p := newPair(t)
	const count, ratio = 1000, 0.4
	before := udpErrors(t, p.peer)
	p.inflict("c", "corrupt", map[string]any{"ratio": ratio, "detected": true, "protocol": "udp"})
	sendPattern(t, p, true, count)
	w := p.judged("c", 2*count)
	// What was judged has arrived or been discarded by now.
	out, in := arrivals(p.outEnd, 0), arrivals(p.inEnd, 0)
	wantShare(t, "discarded outbound", count-len(out), count, ratio)
	wantShare(t, "discarded inbound", count-len(in), count, ratio)
	for _, a := range append(out, in...) {
		if !bytes.Equal(a.data, patterned(a.number)) {
			t.Fatalf("a changed datagram came through: %q", a.data)
		}
	}
	if int(w.Corrupted) != 2*count-len(out)-len(in) {
		t.Fatalf("witness %+v; expected %d corrupted", w, 2*count-len(out)-len(in))
	}
	if got := int(udpErrors(t, p.peer) - before); got != count-len(out) {
		t.Fatalf("the peer's kernel counts %d bad checksums; expected %d", got, count-len(out))
	}
	if got := int(p.witness("c", p.own).UdpInCsumErrors); got != count-len(in) {
		t.Fatalf("the node's kernel counts %d bad checksums; expected %d", got, count-len(in))
	}
}

func udpErrors(t testing.TB, n *testNode) uint64 {
	t.Helper()
	var c udpCounters
	n.inside(t, func() (err error) {
		c, err = readUdpCounters()
		return err
	})
	return c.InCsumErrors
}

func TestUndetectedCorruptionReachesTheApplication(t *testing.T) {
	p := newPair(t)
	const count, ratio = 1000, 0.4
	p.inflict("c", "corrupt", map[string]any{"ratio": ratio, "detected": false, "protocol": "udp"})
	sendPattern(t, p, true, count)
	changed := 0
	for _, end := range [][]arrival{arrivals(p.outEnd, count), arrivals(p.inEnd, count)} {
		if len(end) != count {
			t.Fatalf("%d of %d arrived; expected all, since every checksum is right", len(end), count)
		}
		for i, a := range end {
			if !bytes.Equal(a.data, patterned(i)) {
				changed++
			}
		}
	}
	wantShare(t, "changed", changed, 2*count, ratio)
	if w := p.witness("c", p.own); int(w.Corrupted) != changed {
		t.Fatalf("witness %+v; expected %d corrupted", w, changed)
	}
}

func TestCorruptedTcpIsRepairedByRetransmission(t *testing.T) {
	p := newPair(t)
	l := p.peer.listen(t, p.peer.ip+":8000")
	p.inflict("c", "corrupt", map[string]any{"ratio": 0.1, "detected": true, "protocol": "tcp"})
	data := bytes.Repeat([]byte("0123456789"), 50_000)
	got := make(chan []byte, 1)
	go func() { got <- readAll(l) }()
	conn, err := p.own.dial(p.peer.ip+":8000", 30e9)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Write(data); err != nil {
		t.Fatal(err)
	}
	conn.Close()
	if !bytes.Equal(<-got, data) {
		t.Fatal("the stream arrived changed")
	}
	if w := p.witness("c", p.own); w.Corrupted == 0 {
		t.Fatalf("witness %+v; expected some corrupted", w)
	}
}
