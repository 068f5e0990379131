package main

import (
	"strings"
	"testing"
)

func TestOnlyTheProtocolsThatFaultsNeedAreQueued(t *testing.T) {
	p := newPair(t)
	queued := func() uint64 {
		for _, q := range p.state(p.own).Queues {
			if q.Num == queueIn {
				return q.Sequence
			}
		}
		t.Fatal("the inbound queue is not bound")
		return 0
	}
	p.arm(faultOn("d", "drop", map[string]any{"protocol": "tcp"}, p.own))
	before := queued()
	mustSend(t, p.in, p.toOwn, 0, 100)
	wantSequence(t, p.inEnd, 0, 100)
	if n := queued() - before; n != 0 {
		t.Fatalf("%d UDP packets were queued for a TCP fault; expected none", n)
	}
	p.arm(faultOn("e", "drop", map[string]any{"protocol": "udp"}, p.own))
	mustSend(t, p.in, p.toOwn, 0, 100)
	wantSequence(t, p.inEnd, 0, 100)
	if n := queued() - before; n < 100 {
		t.Fatalf("%d packets were queued for a UDP fault; expected 100", n)
	}
}

func TestBadFaultsAreRefused(t *testing.T) {
	p := newPair(t)
	for _, c := range []struct {
		name, code string
		fault      map[string]any
	}{
		{"an unknown kind", "bad-fault", map[string]any{"kind": "vanish"}},
		{"an unknown field", "bad-request", map[string]any{"kind": "drop", "percent": 3}},
		{"a field of another kind", "bad-fault", map[string]any{"kind": "drop", "ratio": 0.5}},
		{"no nodes", "bad-fault", map[string]any{"kind": "drop", "nodes": []string{}}},
		{"a node that is not enrolled", "unknown-node", map[string]any{"kind": "drop", "nodes": []string{"a-2"}}},
		{"a node twice", "bad-fault", map[string]any{"kind": "drop", "nodes": []string{"a-1", "a-1"}}},
		{"a direction that is none", "bad-fault", map[string]any{"kind": "drop", "direction": "up"}},
		{"a protocol that is none", "bad-fault", map[string]any{"kind": "drop", "protocol": "sctp"}},
		{"a peer that is none", "bad-fault", map[string]any{"kind": "drop", "peers": []string{"relay-1"}}},
		{"an IPv6 peer", "bad-fault", map[string]any{"kind": "drop", "peers": []string{"fd00::1"}}},
		{"a port out of range", "bad-fault", map[string]any{"kind": "drop", "ports": []int{70000}}},
		{"a ratio above one", "bad-fault", map[string]any{"kind": "loss", "ratio": 1.5}},
		{"a loss without a ratio", "bad-fault", map[string]any{"kind": "loss"}},
		{"a loss without a seed", "bad-fault", map[string]any{"kind": "loss", "ratio": 0.5, "seed": nil}},
		{"a corruption that does not say which", "bad-fault", map[string]any{"kind": "corrupt", "ratio": 0.5}},
		{"a negative delay", "bad-fault", map[string]any{"kind": "delay", "delayMs": -1}},
		{"a jitter above the delay", "bad-fault", map[string]any{"kind": "delay", "delayMs": 5, "jitterMs": 6}},
		{"a rate of nothing", "bad-fault", map[string]any{"kind": "rate", "bytesPerSecond": 0}},
		{"a hold that holds nothing", "bad-fault", map[string]any{"kind": "hold", "udp": "pass", "tcp": "pass", "other": "pass"}},
		{"a hold action that is none", "bad-fault", map[string]any{"kind": "hold", "udp": "keep"}},
		{"a pace of nothing", "bad-fault", map[string]any{"kind": "hold", "pacePps": 0}},
		{"a black hole for UDP", "bad-fault", map[string]any{"kind": "blackhole-connect", "protocol": "udp"}},
		{"no id", "bad-fault", map[string]any{"kind": "drop", "id": ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := faultOn("x", "drop", c.fault, p.own)
			if seed, set := c.fault["seed"]; set && seed == nil {
				delete(f, "seed")
			}
			if code := p.refused("arm", map[string]any{"faults": []any{f}}); code != c.code {
				t.Fatalf("refused with %s; expected %s", code, c.code)
			}
		})
	}
	if tables := p.own.tables(t); len(tables) != 0 {
		t.Fatalf("tables %v after refusals; expected none", tables)
	}
	p.arm(faultOn("x", "drop", nil, p.own))
	if code := p.refused("arm", map[string]any{"faults": []any{faultOn("x", "drop", nil, p.own)}}); code != "fault-exists" {
		t.Fatalf("the same id again: %s; expected fault-exists", code)
	}
}

func TestArmingIsAllOrNothing(t *testing.T) {
	p := newPair(t)
	p.refused("arm", map[string]any{"faults": []any{
		faultOn("good", "drop", nil, p.own), faultOn("bad", "vanish", nil, p.own)}})
	var faults []faultState
	if err := p.ask("snapshot", nil).read("faults", &faults); err != nil || len(faults) != 0 {
		t.Fatalf("faults %+v, %v; expected none", faults, err)
	}
}

func TestANodeWithIpv6IsRefused(t *testing.T) {
	b := newBed(t, 1)
	b.nodes[0].ip4(t, "addr add fd00:5a::2/64 dev eth0 nodad")
	c := startAgent(t, b.nodes[0])
	code := c.refused("arm", map[string]any{"faults": []any{faultOn("d", "drop", nil, b.nodes[0])}})
	if code != "ipv6-in-use" {
		t.Fatalf("refused with %s; expected ipv6-in-use", code)
	}
}

func TestHelloSaysWhatTheKernelCanDo(t *testing.T) {
	c := startAgent(t)
	var capabilities map[string]capability
	if err := c.ask("hello", nil).read("capabilities", &capabilities); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"nfqueue", "nftTable", "nat", "rawSocket", "namespaces", "udpCounters", "hostPids"} {
		if !capabilities[name].OK {
			t.Errorf("%s: %+v; expected ok on a kernel that runs these tests", name, capabilities[name])
		}
	}
}

func TestWhatIsNotAProtocolLineIsAnsweredWithAnError(t *testing.T) {
	c := startAgent(t)
	if code := c.refused("dance", nil); code != "unknown-op" {
		t.Fatalf("refused with %s; expected unknown-op", code)
	}
	if code := c.refused("witness", map[string]any{"fault": "x"}); code != "bad-request" {
		t.Fatalf("refused with %s; expected bad-request", code)
	}
	for _, line := range []string{"not json\n", "[1,2]\n", "{}\n", "\n", strings.Repeat("[", 10_000) + "\n"} {
		if _, err := c.stdin.Write([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	c.ask("hello", nil)
}
