package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// serveAdmin runs an HTTP server on the node's loopback.
func serveAdmin(t testing.TB, n *testNode, handler http.HandlerFunc) int {
	t.Helper()
	l := n.listen(t, "127.0.0.1:0")
	server := &http.Server{Handler: handler}
	go server.Serve(l)
	t.Cleanup(func() { server.Close() })
	return l.Addr().(*net.TCPAddr).Port
}

func (c *controller) get(n *testNode, port int, path string, more map[string]any) message {
	c.t.Helper()
	fields := map[string]any{"node": n.name, "port": port, "method": "GET", "path": path, "timeoutMs": 5000}
	for k, v := range more {
		fields[k] = v
	}
	return c.send("http", fields)
}

func TestHttpReachesANodesLoopbackWhileItIsCutOff(t *testing.T) {
	p := newPair(t)
	port := serveAdmin(t, p.own, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Method", r.Method)
		w.WriteHeader(http.StatusTeapot)
		fmt.Fprintf(w, "%s?%s %s ünï", r.URL.Path, r.URL.RawQuery, body)
	})
	p.inflict("d", "drop", nil)
	p.inflict("h", "hold", nil)
	m := p.get(p.own, port, "/state?deep=1", map[string]any{"method": "POST", "body": "hello"})
	var response httpResponse
	for key, into := range map[string]any{
		"status": &response.Status, "headers": &response.Headers, "body": &response.Body, "encoding": &response.Encoding,
	} {
		if err := m.read(key, into); err != nil {
			t.Fatal(err)
		}
	}
	if response.Status != 418 || response.Headers["x-method"] != "POST" || response.Body != "/state?deep=1 hello ünï" {
		t.Fatalf("answer %+v", response)
	}
}

func TestHttpFailuresSayWhatHappened(t *testing.T) {
	p := newPair(t)
	hang := make(chan struct{})
	port := serveAdmin(t, p.own, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/slow":
			<-hang
		case "/big":
			for range 17 {
				if _, err := w.Write(make([]byte, 1<<20)); err != nil {
					return
				}
			}
		case "/away":
			http.Redirect(w, r, "http://198.18.200.1/", http.StatusFound)
		}
	})
	defer close(hang)
	for _, c := range []struct {
		name, path, code string
		more             map[string]any
	}{
		{"nobody listens", "/", "http-failed", map[string]any{"port": 1}},
		{"no answer in time", "/slow", "http-timeout", map[string]any{"timeoutMs": 200}},
		{"a body without end", "/big", "body-too-large", nil},
		{"a path that is none", "state", "bad-request", nil},
		{"a node that is none", "/", "unknown-node", map[string]any{"node": "nobody"}},
		{"a field that is none", "/", "bad-request", map[string]any{"timeout": 5}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var e opError
			m := p.get(p.own, port, c.path, c.more)
			if err := m.read("error", &e); err != nil || e.Code != c.code {
				t.Fatalf("answer %v; expected the error %s", m, c.code)
			}
		})
	}
	var status int
	if err := p.get(p.own, port, "/away", nil).read("status", &status); err != nil || status != http.StatusFound {
		t.Fatalf("status %d, %v; expected the redirection itself", status, err)
	}
}

func TestManyHttpRequestsRunSideBySide(t *testing.T) {
	p := newPair(t)
	var together sync.WaitGroup
	together.Add(50)
	port := serveAdmin(t, p.own, func(w http.ResponseWriter, r *http.Request) {
		together.Done()
		together.Wait() // nobody is answered before all are here
	})
	var answers []chan message
	for range 50 {
		answers = append(answers, p.begin("http", map[string]any{
			"node": p.own.name, "port": port, "method": "GET", "path": "/", "timeoutMs": 20_000}))
	}
	for _, answer := range answers {
		p.must("http", <-answer)
	}
}

func TestBinaryBodiesComeAsBase64(t *testing.T) {
	p := newPair(t)
	port := serveAdmin(t, p.own, func(w http.ResponseWriter, r *http.Request) { w.Write([]byte{0xff, 0xfe, 0}) })
	m := p.get(p.own, port, "/", nil)
	if m.text("encoding") != "base64" || m.text("body") != "//4A" {
		t.Fatalf("answer %v; expected base64", m)
	}
}

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
			wantSequence(t, numbers(p.inEnd, quiet), 0, 200)
			wantSequence(t, numbers(p.outEnd, quiet), 0, 200)
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
	wantSequence(t, numbers(p.inEnd, quiet), 0, 200)
	wantSequence(t, numbers(p.outEnd, quiet), 0, 200)
}

func TestThirtyTwoNodesAreCutOffAndReleasedAtOneInstant(t *testing.T) {
	const count = 32
	b := newBed(t, count)
	c := startAgent(t, b.nodes...)
	var list []string
	for _, n := range b.nodes {
		list = append(list, n.name)
	}
	c.arm(faultOn("h", "hold", nil, b.nodes...))
	probing := c.begin("probe", map[string]any{"nodes": list, "ids": []string{"h"}, "ratePps": 500, "forMs": 2500})
	c.ask("apply", map[string]any{"ids": []string{"h"}, "afterMs": 700, "forMs": 800})
	answer := <-probing
	c.must("probe", answer)
	var perFault map[string]skewReport
	if err := answer.read("perFault", &perFault); err != nil {
		t.Fatal(err)
	}
	r := perFault["h"]
	var appliedNs int64
	if err := c.event("applied", "h", time.Second).read("atNs", &appliedNs); err != nil {
		t.Fatal(err)
	}
	var gap int64
	for name, n := range r.PerNode {
		gap = max(gap, n.MaxGapNs)
		if n.LastBeforeNs > appliedNs || n.FirstFaultedNs < appliedNs {
			t.Fatalf("%s: last probe that passed %d, first faulted %d; expected the flip at %d between them",
				name, n.LastBeforeNs, n.FirstFaultedNs, appliedNs)
		}
	}
	if r.ApplyFirstToLastNs == nil || r.LiftFirstToLastNs == nil {
		t.Fatalf("report %+v; expected every node to be seen on both sides", r)
	}
	t.Logf("apply %v, lift %v, longest probe gap %v", time.Duration(*r.ApplyFirstToLastNs),
		time.Duration(*r.LiftFirstToLastNs), time.Duration(gap))
	// The instants are known to the probe's own gap only, which grows on a busy host.
	if limit := int64(20e6) + gap; *r.ApplyFirstToLastNs > limit || *r.LiftFirstToLastNs > limit {
		t.Fatalf("skew %v and %v; expected at most 20 ms beyond the probe's gap of %v",
			time.Duration(*r.ApplyFirstToLastNs), time.Duration(*r.LiftFirstToLastNs), time.Duration(gap))
	}
	for _, n := range b.nodes {
		if w := c.witness("h", n); w.HeldOut != 0 {
			t.Fatalf("%s: %d held; expected none, since probes are not counted", n.name, w.HeldOut)
		}
	}
}

func TestArmingTellsWhatPassingCosts(t *testing.T) {
	p := newPair(t)
	answer := p.ask("arm", map[string]any{"faults": []any{faultOn("d", "drop", map[string]any{"protocol": "tcp"}, p.own)}})
	var measured []overhead
	if err := answer.read("nodes", &measured); err != nil {
		t.Fatal(err)
	}
	if len(measured) != 1 || measured[0].Packets == 0 || measured[0].PassP50Us <= 0 || measured[0].PassP99Us < measured[0].PassP50Us {
		t.Fatalf("overhead %+v; expected a median and a 99th percentile", measured)
	}
}

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
	wantSequence(t, numbers(p.inEnd, quiet), 0, 100)
	if n := queued() - before; n != 0 {
		t.Fatalf("%d UDP packets were queued for a TCP fault; expected none", n)
	}
	p.arm(faultOn("e", "drop", map[string]any{"protocol": "udp"}, p.own))
	mustSend(t, p.in, p.toOwn, 0, 100)
	wantSequence(t, numbers(p.inEnd, quiet), 0, 100)
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
