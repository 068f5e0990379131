package main

import (
	"fmt"
	"io"
	"testing"
	"time"
)

// greet connects from the node and reads what the other end says.
func greet(n *testNode, address string) (string, error) {
	conn, err := n.dial(address, 3*time.Second)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	b, err := io.ReadAll(conn)
	return string(b), err
}

func serveGreeting(t testing.TB, n *testNode, port int, greeting string) {
	t.Helper()
	l := n.listen(t, fmt.Sprintf("%s:%d", n.ip, port))
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			fmt.Fprint(conn, greeting)
			conn.Close()
		}
	}()
}

func redirects(t testing.TB, c *controller) []redirectRule {
	t.Helper()
	var rules []redirectRule
	if err := c.ask("snapshot", nil).read("redirects", &rules); err != nil {
		t.Fatal(err)
	}
	return rules
}

func TestARedirectionLeadsOneNodesConnectionsElsewhereAndCountsThem(t *testing.T) {
	b := newBed(t, 4)
	own, meant, proxy, other := b.nodes[0], b.nodes[1], b.nodes[2], b.nodes[3]
	c := startAgent(t, own, other)
	serveGreeting(t, meant, 8000, "meant")
	serveGreeting(t, meant, 8001, "meant too")
	serveGreeting(t, proxy, 9000, "proxy")
	serveGreeting(t, other, 9000, "other proxy")
	want := func(n *testNode, port int, greeting string) {
		t.Helper()
		got, err := greet(n, fmt.Sprintf("%s:%d", meant.ip, port))
		if err != nil || got != greeting {
			t.Fatalf("%s to port %d: %q, %v; expected %q", n.name, port, got, err, greeting)
		}
	}
	rule := map[string]any{"node": own.name, "dstIp": meant.ip, "dstPort": 8000, "protocol": "tcp", "toIp": proxy.ip, "toPort": 9000}
	c.ask("redirect", map[string]any{"rules": []any{rule}})
	want(own, 8000, "proxy")
	want(own, 8000, "proxy")
	want(own, 8001, "meant too")
	want(other, 8000, "meant")
	if rules := redirects(t, c); len(rules) != 1 || rules[0].Connections != 2 {
		t.Fatalf("redirections %+v; expected one with 2 connections", rules)
	}

	second := map[string]any{"node": own.name, "dstIp": meant.ip, "dstPort": 8001, "protocol": "tcp", "toIp": proxy.ip, "toPort": 9000}
	c.ask("redirect", map[string]any{"rules": []any{second}})
	want(own, 8001, "proxy")
	for _, r := range redirects(t, c) {
		if want := map[int]uint64{8000: 2, 8001: 1}[r.DstPort]; r.Connections != want {
			t.Fatalf("redirection %+v; expected %d connections", r, want)
		}
	}

	rule["toIp"] = other.ip
	c.ask("redirect", map[string]any{"rules": []any{rule}})
	want(own, 8000, "other proxy")

	c.ask("unredirect", map[string]any{"rules": []any{
		map[string]any{"node": own.name, "dstIp": meant.ip, "dstPort": 8000, "protocol": "tcp"}, second}})
	want(own, 8000, "meant")
	want(own, 8001, "meant too")
	if rules := redirects(t, c); len(rules) != 0 {
		t.Fatalf("redirections %+v; expected none", rules)
	}
	c.close()
	if tables := own.tables(t); len(tables) != 0 {
		t.Fatalf("tables %v are left; expected none", tables)
	}
}

func TestChangingRedirectionsLosesNothingThatIsHeld(t *testing.T) {
	for _, before := range []bool{true, false} {
		t.Run(fmt.Sprintf("redirected before the hold %v", before), func(t *testing.T) {
			p := newPair(t)
			rule := func(port int) map[string]any {
				return map[string]any{"node": p.own.name, "dstIp": p.peer.ip, "dstPort": port, "protocol": "tcp",
					"toIp": p.peer.ip, "toPort": 9000}
			}
			if before {
				p.ask("redirect", map[string]any{"rules": []any{rule(8000)}})
			}
			p.inflict("h", "hold", nil)
			mustSend(t, p.in, p.toOwn, 0, 200)
			mustSend(t, p.out, p.toPeer, 0, 200)
			p.ask("redirect", map[string]any{"rules": []any{rule(8001)}})
			p.ask("unredirect", map[string]any{"rules": []any{rule(8000), rule(8001)}})
			p.lift("h")
			wantSequence(t, p.inEnd, 0, 200)
			wantSequence(t, p.outEnd, 0, 200)
			t.Logf("%+v", p.witness("h", p.own).HeldIn)
		})
	}
}

func TestArmingAndLiftingOtherFaultsLosesNothingThatIsHeld(t *testing.T) {
	p := newPair(t)
	p.inflict("h", "hold", map[string]any{"protocol": "udp"})
	mustSend(t, p.in, p.toOwn, 0, 200)
	mustSend(t, p.out, p.toPeer, 0, 200)
	p.inflict("c", "corrupt", map[string]any{"ratio": 1, "detected": true, "protocol": "tcp"})
	p.lift("c")
	p.inflict("d", "delay", map[string]any{"delayMs": 1})
	p.lift("d")
	p.lift("h")
	wantSequence(t, p.inEnd, 0, 200)
	wantSequence(t, p.outEnd, 0, 200)
}
