package main

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestTheEndOfItsInputReleasesInOrderAndLeavesNoTable(t *testing.T) {
	p := newPair(t)
	p.inflict("h", "hold", map[string]any{"pacePps": 10}) // a pace does not delay the deadman
	mustSend(t, p.out, p.toPeer, 0, 1000)
	mustSend(t, p.in, p.toOwn, 0, 1000)
	wantNone(t, p.outEnd, "held")
	p.close()
	wantSequence(t, p.outEnd, 0, 1000)
	wantSequence(t, p.inEnd, 0, 1000)
	if tables := p.own.tables(t); len(tables) != 0 {
		t.Fatalf("tables %v are left; expected none", tables)
	}
	if code := p.cmd.ProcessState.ExitCode(); code != 0 {
		t.Fatalf("the agent exited with %d; expected 0", code)
	}
}

func TestASignalLiftsEverythingAndEnds(t *testing.T) {
	p := newPair(t)
	p.inflict("h", "hold", nil)
	mustSend(t, p.out, p.toPeer, 0, 1000)
	if err := p.cmd.Process.Signal(unix.SIGTERM); err != nil {
		t.Fatal(err)
	}
	p.await(10 * time.Second) // how long it takes is measured by BenchmarkBedOf128
	wantSequence(t, p.outEnd, 0, 1000)
	if tables := p.own.tables(t); len(tables) != 0 {
		t.Fatalf("tables %v are left; expected none", tables)
	}
}

func TestByeAnswersWhenEverythingIsLifted(t *testing.T) {
	p := newPair(t)
	p.inflict("h", "hold", nil)
	mustSend(t, p.out, p.toPeer, 0, 100)
	p.ask("bye", nil)
	if tables := p.own.tables(t); len(tables) != 0 {
		t.Fatalf("tables %v are left; expected none", tables)
	}
	wantSequence(t, p.outEnd, 0, 100)
	p.await(5 * time.Second)
}

func TestAControllerThatClosesOurOutputIsTakenForGone(t *testing.T) {
	p := newPair(t)
	p.inflict("h", "hold", nil)
	mustSend(t, p.out, p.toPeer, 0, 100)
	p.stdout.Close()
	p.begin("hello", nil)
	eventually(t, 5*time.Second, "the rules are gone", func() bool { return len(p.own.tables(t)) == 0 })
	wantSequence(t, p.outEnd, 0, 100)
}

func TestAKilledAgentLeavesTrafficFlowingAndItsRulesToBeSwept(t *testing.T) {
	p := newPair(t)
	p.inflict("d", "drop", nil)
	mustSend(t, p.out, p.toPeer, 0, 10)
	wantNone(t, p.outEnd, "dropped")
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.await(5 * time.Second)
	mustSend(t, p.out, p.toPeer, 10, 100)
	mustSend(t, p.in, p.toOwn, 10, 100)
	wantSequence(t, p.outEnd, 10, 100)
	wantSequence(t, p.inEnd, 10, 100)
	if tables := p.own.tables(t); len(tables) != 1 {
		t.Fatalf("tables %v; expected the killed agent's", tables)
	}
	out, err := exec.Command(agentBinary, "sweep", fmt.Sprint(p.own.pid()), fmt.Sprint(p.peer.pid()), "4194303").Output()
	if err != nil {
		t.Fatalf("sweep: %v", err)
	}
	if lines := strings.Count(string(out), "\n"); lines != 3 || !strings.Contains(string(out), `["squall"]`) {
		t.Fatalf("sweep said %q; expected a line each, one of them with a table", out)
	}
	if tables := p.own.tables(t); len(tables) != 0 {
		t.Fatalf("tables %v are left; expected none", tables)
	}
}

func TestANewAgentSweepsWhatAKilledOneLeft(t *testing.T) {
	p := newPair(t)
	p.inflict("d", "drop", nil)
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.await(5 * time.Second)
	next := startAgent(t)
	var nodes []enrolled
	answer := next.ask("enroll", map[string]any{"nodes": []any{map[string]any{"name": "a-1", "pid": p.own.pid()}}})
	if err := answer.read("nodes", &nodes); err != nil || len(nodes[0].SweptTables) != 1 {
		t.Fatalf("enrolled %+v, %v; expected one table swept", nodes, err)
	}
	if tables := p.own.tables(t); len(tables) != 0 {
		t.Fatalf("tables %v are left; expected none", tables)
	}
}

func TestASecondAgentIsRefusedWhileTheFirstServesTheNode(t *testing.T) {
	p := newPair(t)
	p.arm(faultOn("d", "drop", nil, p.own))
	second := startAgent(t)
	code := second.refused("enroll", map[string]any{"nodes": []any{map[string]any{"name": "a-1", "pid": p.own.pid()}}})
	if code != "queue-busy" {
		t.Fatalf("refused with %s; expected queue-busy", code)
	}
	if tables := p.own.tables(t); len(tables) != 1 {
		t.Fatalf("tables %v; expected the first agent's to be left alone", tables)
	}
}

func TestASweepLeavesALivingAgentsRulesAlone(t *testing.T) {
	p := newPair(t)
	p.inflict("d", "drop", nil)
	out, err := exec.Command(agentBinary, "sweep", fmt.Sprint(p.own.pid())).Output()
	if err == nil || !strings.Contains(string(out), "queue-busy") {
		t.Fatalf("sweep said %q, %v; expected it to refuse", out, err)
	}
	mustSend(t, p.out, p.toPeer, 0, 10)
	wantNone(t, p.outEnd, "still dropped")
}

func TestAPlannedFaultIsAppliedAndLiftedWithoutTheController(t *testing.T) {
	p := newPair(t)
	p.arm(faultOn("h", "hold", nil, p.own))
	var planned struct{ atNs, liftsAtNs int64 }
	answer := p.ask("apply", map[string]any{"ids": []string{"h"}, "afterMs": 1500, "forMs": 400})
	if err := answer.read("atNs", &planned.atNs); err != nil {
		t.Fatal(err)
	}
	if err := answer.read("liftsAtNs", &planned.liftsAtNs); err != nil {
		t.Fatal(err)
	}
	if planned.liftsAtNs-planned.atNs != 400e6 {
		t.Fatalf("planned for %d ns; expected 400 ms", planned.liftsAtNs-planned.atNs)
	}
	mustSend(t, p.out, p.toPeer, 0, 5)
	wantSequence(t, p.outEnd, 0, 5)
	p.event("applied", "h", 10*time.Second)
	mustSend(t, p.out, p.toPeer, 5, 5)
	lifted := p.event("lifted", "h", 10*time.Second)
	var atNs, drainedNs int64
	if err := lifted.read("atNs", &atNs); err != nil || atNs < planned.liftsAtNs {
		t.Fatalf("lifted at %d, %v; expected no sooner than %d", atNs, err, planned.liftsAtNs)
	}
	if err := lifted.read("drainedNs", &drainedNs); err != nil || drainedNs < atNs {
		t.Fatalf("drained at %d, %v; expected after %d", drainedNs, err, atNs)
	}
	wantSequence(t, p.outEnd, 5, 5)
}

func TestLiftingIsIdempotentAndCancelsWhatIsPlanned(t *testing.T) {
	p := newPair(t)
	p.arm(faultOn("d", "drop", nil, p.own))
	p.ask("apply", map[string]any{"ids": []string{"d"}, "afterMs": 300})
	p.lift("d")
	p.lift("d")
	p.lift("never heard of")
	time.Sleep(500 * time.Millisecond)
	mustSend(t, p.out, p.toPeer, 0, 10)
	wantSequence(t, p.outEnd, 0, 10)
	if code := p.refused("apply", map[string]any{"ids": []string{"d"}}); code != "not-armed" {
		t.Fatalf("applying a lifted fault: %s; expected not-armed", code)
	}
	p.ask("disarm", map[string]any{"ids": []string{"d"}})
	p.ask("disarm", map[string]any{"ids": []string{"d"}})
	if code := p.refused("apply", map[string]any{"ids": []string{"d"}}); code != "unknown-fault" {
		t.Fatalf("applying a disarmed fault: %s; expected unknown-fault", code)
	}
}

func TestAProcessThatTookOverAPidIsRefused(t *testing.T) {
	b := newBed(t, 1)
	c := startAgent(t)
	start, err := startTime(b.nodes[0].pid())
	if err != nil {
		t.Fatal(err)
	}
	node := map[string]any{"name": "a-1", "pid": b.nodes[0].pid(), "startTime": start + 1}
	if code := c.refused("enroll", map[string]any{"nodes": []any{node}}); code != "pid-reused" {
		t.Fatalf("refused with %s; expected pid-reused", code)
	}
	node["startTime"] = start
	c.ask("enroll", map[string]any{"nodes": []any{node}})
}

func TestTheHostsOwnNetworkIsRefused(t *testing.T) {
	c := startAgent(t)
	for _, pid := range []int{2, c.cmd.Process.Pid} {
		code := c.refused("enroll", map[string]any{"nodes": []any{map[string]any{"name": "host", "pid": pid}}})
		if code != "host-network" {
			t.Fatalf("process %d: refused with %s; expected host-network", pid, code)
		}
	}
}

func TestANamespaceThatIsGoneCountsAsLifted(t *testing.T) {
	b := newBed(t, 2)
	dying, living := b.nodes[0], b.nodes[1]
	c := startAgent(t, dying, living)
	c.arm(faultOn("d", "drop", nil, dying, living))
	c.apply("d")
	dying.stop()
	gone := c.event("namespace-gone", "", 5*time.Second)
	if gone.text("node") != dying.name {
		t.Fatalf("event %v; expected %s", gone, dying.name)
	}
	mustSend(t, living.udp(t, 0), b.nodes[1].addr(9), 0, 1) // the other still works
	c.lift("d")
	if tables := living.tables(t); len(tables) != 0 {
		t.Fatalf("tables %v are left; expected none", tables)
	}
	code := c.refused("arm", map[string]any{"faults": []any{faultOn("e", "drop", nil, dying)}})
	if code != "unknown-node" {
		t.Fatalf("arming a node that is gone: %s; expected unknown-node", code)
	}
}

func TestAHeldNodeThatDiesTakesWhatItSentWithIt(t *testing.T) {
	p := newPair(t)
	p.inflict("h", "hold", nil)
	mustSend(t, p.out, p.toPeer, 0, 100)
	mustSend(t, p.in, p.toOwn, 0, 100)
	eventually(t, 5*time.Second, "all are held", func() bool {
		w := p.witness("h", p.own)
		return w.HeldOut >= 100 && w.HeldIn >= 100
	})
	if err := p.own.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.bed.bridge.ip4(t, "link del v1") // as an engine does
	p.event("namespace-gone", "", 5*time.Second)
	p.lift("h")
	wantNone(t, p.outEnd, "the node is gone before its packets were due")
	if w := p.witness("h", p.own); w.ReleasedOut != 0 || w.ReleasedIn != 0 || w.Abandoned < 200 || w.VerdictErrors != 0 {
		t.Fatalf("witness %+v; expected 200 abandoned, and no error of it", w)
	}
}

func TestAReleasedNodeIsLiftedAndItsDescriptorsAreClosed(t *testing.T) {
	p := newPair(t)
	p.inflict("h", "hold", nil)
	mustSend(t, p.out, p.toPeer, 0, 100)
	p.ask("release", map[string]any{"nodes": []string{p.own.name}})
	wantSequence(t, p.outEnd, 0, 100)
	if tables := p.own.tables(t); len(tables) != 0 {
		t.Fatalf("tables %v are left; expected none", tables)
	}
	links, err := exec.Command("sh", "-c", fmt.Sprintf("ls -l /proc/%d/fd", p.cmd.Process.Pid)).Output()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(links), "net:[") || strings.Contains(string(links), "pidfd") {
		t.Fatalf("descriptors are left open:\n%s", links)
	}
}

func TestLoopbackAndTheEmbeddedDnsAreNotTouched(t *testing.T) {
	p := newPair(t)
	p.inflict("d", "drop", nil)
	p.inflict("h", "hold", nil)
	for _, address := range []string{"127.0.0.1", "127.0.0.11", p.own.ip} {
		server := *p.own
		server.ip = address
		end := server.udp(t, 5300)
		sender := p.own.udpOn(t, "127.0.0.1")
		if address == p.own.ip {
			sender = p.out
		}
		mustSend(t, sender, server.addr(5300), 0, 10)
		wantSequence(t, end, 0, 10)
	}
}
