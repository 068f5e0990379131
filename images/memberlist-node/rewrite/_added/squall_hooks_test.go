package memberlist

import (
	"errors"
	"io"
	"log"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

var squallAddress = net.IPv4(127, 0, 0, 9).To4()

// squallDeaf is a network that takes every packet, delivers none and connects
// nobody: that of a node that is cut off.
type squallDeaf struct {
	packets chan *Packet
	streams chan net.Conn
}

func (squallDeaf) FinalAdvertiseAddr(string, int) (net.IP, int, error) {
	return squallAddress, 7946, nil
}
func (squallDeaf) WriteTo([]byte, string) (time.Time, error) { return time.Now(), nil }
func (d squallDeaf) PacketCh() <-chan *Packet                { return d.packets }
func (d squallDeaf) StreamCh() <-chan net.Conn               { return d.streams }
func (squallDeaf) Shutdown() error                           { return nil }
func (squallDeaf) DialTimeout(_ string, timeout time.Duration) (net.Conn, error) {
	time.Sleep(timeout)
	return nil, errors.New("cut off")
}

// squallDeafNode is a node that neither probes nor gossips by itself.
func squallDeafNode(t *testing.T, awarenessMax int) *Memberlist {
	c := DefaultLANConfig()
	c.Name = "me"
	c.SuspicionMult = 5
	c.AwarenessMaxMultiplier = awarenessMax
	c.Transport = squallDeaf{make(chan *Packet), make(chan net.Conn)}
	c.Logger = log.New(io.Discard, "", 0)
	m, err := newMemberlist(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.setAlive(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Shutdown(); err != nil {
			t.Error(err)
		}
	})
	return m
}

func squallMeet(m *Memberlist, names ...string) {
	for _, name := range names {
		m.aliveNode(&alive{Incarnation: 1, Node: name, Addr: squallAddress, Port: 1, Vsn: m.config.BuildVsnArray()}, nil, false)
	}
}

func TestSquall_TellsWhoAccusedWhomAndHowItEnded(t *testing.T) {
	heard := squallHear(t)
	synctest.Test(t, func(t *testing.T) {
		m := squallDeafNode(t, 8)
		squallMeet(m, "victim", "a", "b", "c", "d", "e")
		vsn := m.config.BuildVsnArray()
		m.suspectNode(&suspect{Incarnation: 1, Node: "victim", From: "a"})
		m.suspectNode(&suspect{Incarnation: 1, Node: "victim", From: "b"})
		m.suspectNode(&suspect{Incarnation: 1, Node: "victim", From: "b"}) // says nothing new
		m.aliveNode(&alive{Incarnation: 2, Node: "victim", Addr: squallAddress, Port: 1, Vsn: vsn}, nil, false)
		m.suspectNode(&suspect{Incarnation: 2, Node: "victim", From: "c"})
		m.deadNode(&dead{Incarnation: 2, Node: "victim", From: "d"})
		m.deadNode(&dead{Incarnation: 2, Node: "victim", From: "e"}) // is dead already
		m.aliveNode(&alive{Incarnation: 3, Node: "victim", Addr: squallAddress, Port: 1, Vsn: vsn}, nil, false)
		m.deadNode(&dead{Incarnation: 3, Node: "victim", From: "victim"})
		time.Sleep(time.Minute) // longer than the dead are gossiped to
		m.resetNodes()

		type said struct{ kind, by, before string }
		expected := []said{
			{"alive", "", ""},
			{"suspected", "a", ""}, {"confirmed", "b", ""}, {"alive", "", "suspect"},
			{"suspected", "c", ""}, {"dead", "d", "suspect"}, {"alive", "", "dead"},
			{"left", "victim", "alive"}, {"forgotten", "", "left"},
		}
		var got []said
		for _, e := range *heard {
			if e.Member == "victim" {
				got = append(got, said{e.Kind, e.By, e.Before})
			}
		}
		if len(got) != len(expected) {
			t.Fatalf("said %v, expected %v", got, expected)
		}
		for i := range got {
			if got[i] != expected[i] {
				t.Errorf("%d: said %v, expected %v", i, got[i], expected[i])
			}
		}
	})
}

func TestSquall_TellsWhatItRefutedAndWhoSaidIt(t *testing.T) {
	heard := squallHear(t)
	synctest.Test(t, func(t *testing.T) {
		m := squallDeafNode(t, 8)
		squallMeet(m, "a")
		m.suspectNode(&suspect{Incarnation: 1, Node: "me", From: "a"})
		m.deadNode(&dead{Incarnation: 2, Node: "me", From: "a"})
		m.aliveNode(&alive{Incarnation: 9, Node: "me", Addr: squallAddress, Port: 7946, Vsn: m.config.BuildVsnArray()}, nil, false)
		expected := []SquallEvent{
			{Reason: "suspect", By: "a", Incarnation: 2, Score: 1},
			{Reason: "dead", By: "a", Incarnation: 3, Score: 2},
			{Reason: "alive", By: "", Incarnation: 10, Score: 3},
		}
		i := 0
		for _, e := range *heard {
			if e.Kind != "self-refuted" {
				continue
			}
			if x := expected[i]; e.Reason != x.Reason || e.By != x.By || e.Incarnation != x.Incarnation || e.Score != x.Score {
				t.Errorf("refutation %d: %+v, expected %+v", i, e, x)
			}
			i++
		}
		if i != len(expected) {
			t.Errorf("%d refutations, expected %d", i, len(expected))
		}
		if e := squallLast(*heard, "health"); e.ScoreBefore != 2 || e.Score != 3 {
			t.Errorf("last health change %+v, expected from 2 to 3", e)
		}
	})
}
