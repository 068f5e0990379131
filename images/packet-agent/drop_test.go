package main

import (
	"net"
	"testing"
	"time"
)

func TestADropIsSilentToTheSender(t *testing.T) {
	p := newPair(t)
	p.inflict("d", "drop", nil)
	mustSend(t, p.out, p.toPeer, 0, 500)
	mustSend(t, p.in, p.toOwn, 0, 500)
	wantNone(t, p.outEnd, "dropped")
	wantNone(t, p.inEnd, "dropped")
	if w := p.witness("d", p.own); w.DroppedOut < 500 || w.DroppedIn < 500 || w.HeldIn+w.HeldOut != 0 {
		t.Fatalf("witness %+v; expected 500 dropped each way", w)
	}
	p.lift("d")
	mustSend(t, p.out, p.toPeer, 500, 10)
	wantSequence(t, p.outEnd, 500, 10)
}

func TestAOneWayDropLetsTheOtherDirectionPass(t *testing.T) {
	for _, direction := range []string{"in", "out"} {
		t.Run(direction, func(t *testing.T) {
			p := newPair(t)
			p.inflict("d", "drop", map[string]any{"direction": direction})
			mustSend(t, p.out, p.toPeer, 0, 100)
			mustSend(t, p.in, p.toOwn, 0, 100)
			passing, dropped := p.outEnd, p.inEnd
			if direction == "out" {
				passing, dropped = p.inEnd, p.outEnd
			}
			wantSequence(t, passing, 0, 100)
			wantNone(t, dropped, "its direction is dropped")
		})
	}
}

func TestADropCanBeLimited(t *testing.T) {
	for _, c := range []struct {
		name    string
		fields  map[string]any
		dropped bool
	}{
		{"to a peer", map[string]any{"peers": []string{"198.18.200.3"}}, true},
		{"to another peer", map[string]any{"peers": []string{"198.18.200.9"}}, false},
		{"to a range of peers", map[string]any{"peers": []string{"198.18.200.0/24"}}, true},
		{"to all but the peer", map[string]any{"exceptPeers": []string{"198.18.200.3"}}, false},
		{"to all but another peer", map[string]any{"exceptPeers": []string{"198.18.200.9"}}, true},
		{"to the port", map[string]any{"ports": []int{7000}}, true},
		{"to other ports", map[string]any{"ports": []int{7002, 7003}}, false},
		{"to UDP", map[string]any{"protocol": "udp"}, true},
		{"to TCP", map[string]any{"protocol": "tcp"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPair(t)
			p.inflict("d", "drop", c.fields)
			mustSend(t, p.out, p.toPeer, 0, 50)
			if c.dropped {
				wantNone(t, p.outEnd, "dropped "+c.name)
			} else {
				wantSequence(t, p.outEnd, 0, 50)
			}
		})
	}
}

func TestADropByPortTakesEveryFragmentOfADatagram(t *testing.T) {
	p := newPair(t)
	p.inflict("d", "drop", map[string]any{"ports": []int{7001}, "direction": "in"})
	big := make([]byte, 20_000)
	for range 5 {
		if _, err := p.in.WriteToUDP(big, p.toOwn); err != nil {
			t.Fatal(err)
		}
	}
	wantNone(t, p.inEnd, "its port is dropped")
	if w := p.witness("d", p.own); w.DroppedIn < 5 || w.Passed != 0 {
		t.Fatalf("witness %+v; expected all fragments dropped", w)
	}
}

func TestABlackHoleSwallowsConnectionAttemptsAndLeavesLivingConnectionsAlone(t *testing.T) {
	p := newPair(t)
	l := p.peer.listen(t, p.peer.ip+":8000")
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				b := make([]byte, 16)
				for n, err := conn.Read(b); err == nil; n, err = conn.Read(b) {
					if _, err := conn.Write(b[:n]); err != nil {
						return
					}
				}
			}()
		}
	}()
	living, err := p.own.dial(p.peer.ip+":8000", 5*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer living.Close()
	p.inflict("b", "blackhole-connect", map[string]any{"direction": "out"})
	_, err = p.own.dial(p.peer.ip+":8000", 1500*time.Millisecond)
	if e, ok := err.(net.Error); !ok || !e.Timeout() {
		t.Fatalf("connecting gave %v; expected to hang until its timeout", err)
	}
	if _, err := living.Write([]byte("still here")); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 16)
	if err := living.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if n, err := living.Read(b); err != nil || string(b[:n]) != "still here" {
		t.Fatalf("the living connection gave %q, %v", b[:n], err)
	}
	if w := p.witness("b", p.own); w.DroppedTcp < 2 || w.DroppedOut != w.DroppedTcp || w.DroppedIn != 0 {
		t.Fatalf("witness %+v; expected at least 2 connection attempts dropped and nothing else", w)
	}
}
