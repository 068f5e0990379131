package main

import (
	"io"
	"net"
	"slices"
	"testing"
	"time"
)

// readAll reads one connection to its end.
func readAll(l net.Listener) []byte {
	conn, err := l.Accept()
	if err != nil {
		return nil
	}
	defer conn.Close()
	data, err := io.ReadAll(conn)
	if err != nil {
		return nil
	}
	return data
}

// lateness sends one datagram every 5 ms and says how late each arrived.
func lateness(t testing.TB, p *pair, count int) (got []arrival, late []time.Duration) {
	t.Helper()
	ends := make(chan []arrival)
	go func() { ends <- arrivals(p.outEnd, count) }()
	sent := make([]int64, count)
	for i := range count {
		sent[i] = monoNs()
		mustSend(t, p.out, p.toPeer, i, 1)
		time.Sleep(5 * time.Millisecond)
	}
	got = <-ends
	for _, a := range got {
		late = append(late, time.Duration(a.atNs-sent[a.number]))
	}
	return got, late
}

func TestADelayedPacketArrivesNoSoonerAndInOrder(t *testing.T) {
	p := newPair(t)
	p.inflict("d", "delay", map[string]any{"delayMs": 60, "direction": "out"})
	got, late := lateness(t, p, 100)
	wantOrder(t, numbersOf(got), 0, 100)
	if least := slices.Min(late); least < 60*time.Millisecond {
		t.Fatalf("one arrived after %v; expected 60 ms or more", least)
	}
	w := p.witness("d", p.own)
	if w.Delayed != 100 || w.DelayP50Ms < 60*0.94 || w.DelayMaxMs < 60 {
		t.Fatalf("witness %+v; expected 100 delayed by 60 ms", w)
	}
}

func TestADelayBothWaysAddsUp(t *testing.T) {
	p := newPair(t)
	p.inflict("d", "delay", map[string]any{"delayMs": 40})
	l := p.peer.listen(t, p.peer.ip+":8000")
	go readAll(l)
	started := time.Now()
	conn, err := p.own.dial(p.peer.ip+":8000", 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	if took := time.Since(started); took < 80*time.Millisecond {
		t.Fatalf("a connection took %v; expected 80 ms or more for a round trip", took)
	}
}

func TestJitterSpreadsTheDelayAndKeepsTheOrder(t *testing.T) {
	p := newPair(t)
	p.inflict("d", "delay", map[string]any{"delayMs": 60, "jitterMs": 40, "direction": "out"})
	got, late := lateness(t, p, 200)
	if !slices.IsSortedFunc(got, func(a, b arrival) int { return a.number - b.number }) || len(got) != 200 {
		t.Fatalf("%d arrived, or out of order; expected 200 in order", len(got))
	}
	if least, most := slices.Min(late), slices.Max(late); least < 20*time.Millisecond || most-least < 20*time.Millisecond {
		t.Fatalf("delays run from %v to %v; expected them spread over 20 to 100 ms", least, most)
	}
}

func TestJitterWithReorderOvertakes(t *testing.T) {
	p := newPair(t)
	p.inflict("d", "delay", map[string]any{"delayMs": 60, "jitterMs": 40, "reorder": true, "direction": "out"})
	got, _ := lateness(t, p, 200)
	if len(got) != 200 || slices.IsSortedFunc(got, func(a, b arrival) int { return a.number - b.number }) {
		t.Fatalf("%d arrived, in order; expected 200 out of order", len(got))
	}
}

func TestReorderMakesTheChosenLateAndNoOther(t *testing.T) {
	p := newPair(t)
	p.inflict("r", "reorder", map[string]any{"ratio": 0.2, "delayMs": 100, "direction": "out"})
	got, _ := lateness(t, p, 200)
	if len(got) != 200 {
		t.Fatalf("%d arrived; expected 200", len(got))
	}
	highest, overtaken := -1, 0
	for _, a := range got {
		if a.number < highest {
			overtaken++
		}
		highest = max(highest, a.number)
	}
	// The last ones may be late without being overtaken.
	w := p.witness("r", p.own)
	if overtaken == 0 || overtaken > int(w.Reordered) || overtaken+25 < int(w.Reordered) {
		t.Fatalf("%d were overtaken and %d chosen; expected about as many", overtaken, w.Reordered)
	}
	wantShare(t, "chosen", int(w.Reordered), 200, 0.2)
}

func TestALossOfNothingCountsTheBytesOfAStream(t *testing.T) {
	p := newPair(t)
	p.inflict("c", "loss", map[string]any{"ratio": 0, "seed": 1, "protocol": "tcp"})
	l := p.peer.listen(t, p.peer.ip+":8000")
	got := make(chan []byte)
	go func() { got <- readAll(l) }()
	conn, err := p.own.dial(p.peer.ip+":8000", 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	const sent = 300_000
	if _, err := conn.Write(make([]byte, sent)); err != nil {
		t.Fatal(err)
	}
	conn.Close()
	if n := len(<-got); n != sent {
		t.Fatalf("%d bytes arrived; expected %d", n, sent)
	}
	// A segment that the kernel repeats counts again.
	w := p.witness("c", p.own)
	if w.TcpBytesOut < sent || w.TcpBytesOut > sent*101/100 || w.TcpBytesIn != 0 || w.DroppedOut != 0 || w.Passed == 0 {
		t.Fatalf("witness %+v; expected %d bytes out, none in, and nothing dropped", w, sent)
	}
}

func TestARateLimitsTheThroughput(t *testing.T) {
	p := newPair(t)
	// 92 bytes a packet on the wire: 500 of them take 1 s after a burst of 40.
	p.inflict("r", "rate", map[string]any{
		"bytesPerSecond": 46_000, "burstBytes": 3680, "queuePackets": 2000, "direction": "out"})
	ends := make(chan []arrival)
	go func() { ends <- arrivals(p.outEnd, 540) }()
	mustSend(t, p.out, p.toPeer, 0, 540)
	got := <-ends
	wantOrder(t, numbersOf(got), 0, 540)
	if took := time.Duration(got[539].atNs - got[40].atNs); took < 900*time.Millisecond {
		t.Fatalf("500 packets took %v; expected about 1 s", took)
	}
}

func TestACopyNeedsRoomOfItsOwnInANarrowLink(t *testing.T) {
	p := newPair(t)
	p.inflict("d", "duplicate", map[string]any{"ratio": 1, "direction": "out"})
	// 92 bytes a packet on the wire, and as many for its copy: 250 take 1 s.
	p.inflict("r", "rate", map[string]any{"bytesPerSecond": 46_000, "burstBytes": 0, "direction": "out"})
	ends := make(chan []arrival)
	go func() { ends <- arrivals(p.outEnd, 500) }()
	mustSend(t, p.out, p.toPeer, 0, 250)
	got := <-ends
	if len(got) != 500 {
		t.Fatalf("%d arrived; expected 250 twice", len(got))
	}
	if took := time.Duration(got[499].atNs - got[0].atNs); took < 900*time.Millisecond {
		t.Fatalf("250 packets and their copies took %v; expected about 1 s", took)
	}
}

func TestARateDropsWhatItsLineHasNoRoomFor(t *testing.T) {
	p := newPair(t)
	p.inflict("r", "rate", map[string]any{
		"bytesPerSecond": 9200, "burstBytes": 920, "queuePackets": 20, "direction": "out"})
	mustSend(t, p.out, p.toPeer, 0, 400)
	var w countsReport
	eventually(t, patience, "the line is empty", func() bool {
		w = p.witness("r", p.own)
		return w.DroppedOut+w.Delayed+w.Passed == 400 && w.WaitingOut == 0
	})
	got := numbers(p.outEnd, 400-int(w.DroppedOut))
	if w.DroppedOut == 0 || int(w.DroppedOut)+len(got) != 400 || w.Overflowed != 0 {
		t.Fatalf("%d arrived, witness %+v; expected the rest dropped, as on any narrow link", len(got), w)
	}
}

func TestATransferThroughANarrowLinkArrivesWhole(t *testing.T) {
	p := newPair(t)
	l := p.peer.listen(t, p.peer.ip+":8000")
	p.inflict("r", "rate", map[string]any{"bytesPerSecond": 500_000})
	got := make(chan []byte, 1)
	go func() { got <- readAll(l) }()
	conn, err := p.own.dial(p.peer.ip+":8000", 5*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	started := time.Now()
	if _, err := conn.Write(make([]byte, 500_000)); err != nil {
		t.Fatal(err)
	}
	conn.Close()
	if n := len(<-got); n != 500_000 {
		t.Fatalf("%d bytes arrived; expected 500000", n)
	}
	if took := time.Since(started); took < 900*time.Millisecond {
		t.Fatalf("500 kB took %v at 500 kB/s", took)
	}
}

func TestALiftedDelayLetsWhatWaitsGoAtOnceAndInOrder(t *testing.T) {
	p := newPair(t)
	p.inflict("d", "delay", map[string]any{"delayMs": 60_000})
	mustSend(t, p.out, p.toPeer, 0, 200)
	mustSend(t, p.in, p.toOwn, 0, 200)
	wantNone(t, p.outEnd, "delayed by a minute")
	p.lift("d")
	mustSend(t, p.out, p.toPeer, 200, 50)
	wantSequence(t, p.outEnd, 0, 250)
	wantSequence(t, p.inEnd, 0, 200)
}

func TestFaultsCombineOnOneNode(t *testing.T) {
	p := newPair(t)
	const count = 1000
	p.arm(
		faultOn("loss", "loss", map[string]any{"ratio": 0.2, "direction": "out"}, p.own),
		faultOn("dup", "duplicate", map[string]any{"ratio": 0.2, "direction": "out"}, p.own),
		faultOn("delay", "delay", map[string]any{"delayMs": 30, "direction": "out"}, p.own),
		faultOn("hold", "hold", map[string]any{"direction": "out"}, p.own),
	)
	p.apply("loss", "dup", "delay")
	settled := func(sent uint64) {
		t.Helper()
		eventually(t, patience, "nothing is delayed any more", func() bool {
			lost, w := p.witness("loss", p.own), p.witness("delay", p.own)
			return lost.DroppedOut+w.Delayed == sent && w.WaitingOut == 0
		})
	}
	mustSend(t, p.out, p.toPeer, 0, count/2)
	settled(count / 2)
	p.apply("hold")
	mustSend(t, p.out, p.toPeer, count/2, count/2)
	settled(count)
	before := numbers(p.outEnd, 0)
	if len(before) == 0 || slices.Max(before) >= count/2 {
		t.Fatalf("%d arrived before the release; expected only those sent before the hold", len(before))
	}
	p.lift("hold")
	loss, dup := p.witness("loss", p.own), p.witness("dup", p.own)
	delay, hold := p.witness("delay", p.own), p.witness("hold", p.own)
	want := count - int(loss.DroppedOut) + int(dup.Duplicated)
	all := append(before, numbers(p.outEnd, want-len(before))...)
	if !slices.IsSorted(all) {
		t.Fatal("packets arrived out of order; expected delay and hold to keep it")
	}
	if len(all) != want {
		t.Fatalf("%d arrived; expected %d", len(all), want)
	}
	if delay.Delayed != count-loss.DroppedOut || hold.HeldOut == 0 || hold.HeldOut != hold.ReleasedOut {
		t.Fatalf("delay %+v hold %+v; expected all that was not lost delayed, and some of it held", delay, hold)
	}
	p.lift("loss", "dup", "delay")
	if tables := p.own.tables(t); len(tables) != 0 {
		t.Fatalf("tables %v are left; expected none", tables)
	}
}
