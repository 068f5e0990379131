// Package cluster_test runs the built binary as separate processes on loopback
// addresses, with real sockets.
package cluster_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

const size = 8

func TestEightNodesConverge(t *testing.T) {
	c := start(t, size, nil)
	for _, n := range c {
		n.await("converged", func(e event) bool { return e["alive"] == float64(size) })
		n.await("ready", func(e event) bool { return e["epoch"] == 0.0 && e["variant"] == "shipped" && e["name"] == n.name })
		s := n.state()
		if s.Counts["alive"] != size || len(s.Members) != size || s.HealthScore != 0 || !s.Converged || s.RSSBytes == 0 {
			t.Errorf("%s: state %+v", n.name, s)
		}
	}
}

func TestANodeThatIsKilledIsDeclaredDeadOnceByEveryoneAndByName(t *testing.T) {
	c := start(t, size, nil)
	c.converge()
	victim := c[size-1]
	victim.kill()
	survivors := c[:size-1]
	accusers := map[string]bool{}
	for _, n := range survivors {
		death := n.await("member.dead", func(e event) bool { return e["victim"] == victim.name })
		by := death["by"].(string)
		if by == victim.name || !slices.ContainsFunc(survivors, func(n *process) bool { return n.name == by }) {
			t.Errorf("%s: dead by %q", n.name, by)
		}
		if death["own"] != (by == n.name) || death["before"] != "suspect" && death["before"] != "alive" {
			t.Errorf("%s: %v", n.name, death)
		}
		accusers[by] = true
	}
	for _, n := range survivors {
		if !accusers[n.name] {
			continue
		}
		verdict := n.await("suspicion.fired", func(e event) bool { return e["victim"] == victim.name })
		if verdict["accuser"] != n.name || verdict["sinceStartMs"].(float64) < verdict["minMs"].(float64) {
			t.Errorf("%s: verdict %v", n.name, verdict)
		}
	}
	for _, n := range survivors {
		n.stop()
		deaths := 0
		for _, e := range n.all() {
			if e["event"] == "member.dead" && e["victim"] == victim.name {
				deaths++
			}
		}
		if deaths != 1 {
			t.Errorf("%s: said %d times that %s is dead", n.name, deaths, victim.name)
		}
	}
}

func TestAResetRunsTheNodeAnewAsAnotherVariantAndItsLinesGoOnWithoutAGap(t *testing.T) {
	c := start(t, size, map[string]string{"SQUALL_VARIANT": "grace"})
	c.converge()
	for _, n := range c {
		n.reset(`{"env":{"SQUALL_VARIANT":"both","SQUALL_LABEL":"second"}}`)
	}
	for _, n := range c {
		n.await("ready", func(e event) bool { return e["epoch"] == 1.0 && e["variant"] == "both" })
		n.await("converged", func(e event) bool { return n.epochOf(e) == 1 })
		if s := n.state(); s.Epoch != 1 || s.Variant != "both" || s.Counts["alive"] != size || s.Settings.Label != "second" {
			t.Errorf("%s: state %+v", n.name, s)
		}
	}
	c[0].reset("") // without a body: as the container was started
	c[0].await("ready", func(e event) bool { return e["epoch"] == 2.0 && e["variant"] == "grace" })
	pid := c[0].command.Process.Pid
	for _, n := range c {
		n.stop()
		events := n.all()
		for i, e := range events {
			if e["seq"] != float64(i+1) {
				t.Fatalf("%s: line %d has number %v", n.name, i+1, e["seq"])
			}
			if e["event"] == "ready" && n == c[0] && e["pid"] != float64(pid) {
				t.Errorf("%s: ready as process %v, expected %d all the time", n.name, e["pid"], pid)
			}
		}
		if last := events[len(events)-1]; last["event"] != "stopped" {
			t.Errorf("%s: last said %v", n.name, last)
		}
	}
}

func TestNodesOfAnotherLabelAreNotHeard(t *testing.T) {
	c := start(t, 3, nil)
	c.converge()
	c[2].reset(`{"env":{"SQUALL_LABEL":"apart","SQUALL_EXPECTED":"1"}}`)
	c[2].await("ready", func(e event) bool { return e["epoch"] == 1.0 })
	c[0].await("member.dead", func(e event) bool { return e["victim"] == c[2].name })
	if s := c[2].state(); s.Counts["alive"] != 1 {
		t.Errorf("hears %v", s.Counts)
	}
}

func TestWhoLeavesIsNotCalledDead(t *testing.T) {
	c := start(t, 4, nil)
	c.converge()
	if status, body := c[3].ask("POST", "/leave", ""); status != http.StatusOK {
		t.Fatalf("leave: %d %s", status, body)
	}
	for _, n := range c[:3] {
		n.await("member.left", func(e event) bool { return e["member"] == c[3].name })
		n.stop()
		for _, e := range n.all() {
			if e["event"] == "member.dead" && e["victim"] == c[3].name {
				t.Errorf("%s: %v", n.name, e)
			}
		}
	}
}

func TestANodeThatCameBackIsTakenInByTheRejoinLoop(t *testing.T) {
	c := start(t, 4, map[string]string{"SQUALL_REJOIN_MS": "2000", "SQUALL_GOSSIP_TO_THE_DEAD_MS": "100"})
	c.converge()
	victim := c[3]
	victim.signal(syscall.SIGSTOP)
	for _, n := range c[:3] {
		n.await("member.dead", func(e event) bool { return e["victim"] == victim.name })
	}
	victim.signal(syscall.SIGCONT)
	for _, n := range c[:3] {
		n.await("member.joined", func(e event) bool { return e["member"] == victim.name && e["before"] == "dead" })
	}
}

func TestTheAdminPortAnswersOrSaysWhyNot(t *testing.T) {
	c := start(t, 2, nil)
	n := c[0]
	for _, q := range []struct {
		method, path, body string
		status             int
		says               string
	}{
		{"GET", "/healthz", "", 200, `"ok":true`},
		{"GET", "/census", "", 200, `"healthScore":0`},
		{"POST", "/clock", `{"leapMs":5}`, 501, "no"},
		{"POST", "/storm", "", 501, "no requests"},
		{"POST", "/join", `{"peers":[]}`, 400, "peers"},
		{"POST", "/join", `{"peers":["` + c[1].bind + `"]}`, 200, `"joined":1`},
		{"POST", "/reset", `{"env":{"SQUALL_VARIANT":"nonesuch"}}`, 400, "nonesuch"},
		{"POST", "/reset", `{"env":{"PATH":"/"}}`, 400, "PATH"},
		{"POST", "/reset", `{`, 400, "error"},
		{"GET", "/nowhere", "", 404, ""},
	} {
		status, body := n.ask(q.method, q.path, q.body)
		if status != q.status || !strings.Contains(body, q.says) {
			t.Errorf("%s %s %s: %d %s; expected %d and %q", q.method, q.path, q.body, status, body, q.status, q.says)
		}
	}
	if s := n.state(); s.Epoch != 0 {
		t.Errorf("a refused reset was carried out: epoch %d", s.Epoch)
	}
}

func TestSettingsThatCannotBeAreRefusedBeforeAnythingIsSaid(t *testing.T) {
	command := commandFor(t, map[string]string{"SQUALL_BIND": "127.0.0.1", "SQUALL_WARP": "0", "SQUALL_VARIANT": "nonesuch"})
	var out, log bytes.Buffer
	command.Stdout, command.Stderr = &out, &log
	err := command.Run()
	if code := command.ProcessState.ExitCode(); err == nil || code != 3 {
		t.Errorf("exit code %d, %v; expected 3", code, err)
	}
	if out.Len() > 0 || !strings.Contains(log.String(), "SQUALL_WARP") || !strings.Contains(log.String(), "SQUALL_VARIANT") {
		t.Errorf("stdout %q, stderr %q", out.String(), log.String())
	}
}

// state is the part of /state that these tests look at.
type state struct {
	Epoch       int
	Variant     string
	Counts      map[string]int
	Members     []any
	HealthScore int
	Converged   bool
	RSSBytes    int64
	Settings    struct{ Label string }
}

func (p *process) state() state {
	p.t.Helper()
	status, body := p.ask("GET", "/state", "")
	var s state
	if err := json.Unmarshal([]byte(body), &s); err != nil || status != http.StatusOK {
		p.t.Fatalf("%s: /state: %d %s", p.name, status, body)
	}
	return s
}

func (p *process) ask(method, path, body string) (int, string) {
	p.t.Helper()
	request, err := http.NewRequestWithContext(p.t.Context(), method, fmt.Sprintf("http://127.0.0.1:%d%s", p.admin, path), strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		p.t.Fatalf("%s: %s %s: %v\n%s", p.name, method, path, err, p.tail())
	}
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

func (p *process) reset(body string) {
	p.t.Helper()
	if status, text := p.ask("POST", "/reset", body); status != http.StatusOK {
		p.t.Fatalf("%s: reset: %d %s", p.name, status, text)
	}
}

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "squall-cluster-")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(dir, "memberlist-node")
	code := 1
	if err := buildBinary(); err != nil {
		fmt.Fprintln(os.Stderr, err)
	} else {
		code = m.Run()
	}
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}
