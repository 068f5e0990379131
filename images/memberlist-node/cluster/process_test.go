package cluster_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

var binary string

// How long a test waits for something that should happen. It is no bound on
// the node: a machine under load may take long.
const patience = 90 * time.Second

type event map[string]any

type cluster []*process

// process is a running node; its lines are kept as they come.
type process struct {
	t          *testing.T
	name, bind string
	admin      int
	command    *exec.Cmd

	mu     sync.Mutex
	more   *sync.Cond
	events []event
	log    strings.Builder
	ended  bool
}

func buildBinary() error {
	build := exec.Command("go", "run", "./rewrite", "build", "--out", binary)
	build.Dir = ".."
	if text, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, text)
	}
	return nil
}

func commandFor(t *testing.T, env map[string]string) *exec.Cmd {
	command := exec.CommandContext(t.Context(), binary)
	for name, value := range env {
		command.Env = append(command.Env, name+"="+value)
	}
	return command
}

// start runs a cluster at four times the speed on addresses of loopback that
// no other run of these tests has.
func start(t *testing.T, size int, env map[string]string) cluster {
	t.Helper()
	network := freeNetwork(t)
	seeds := network + ".1," + network + ".2"
	var c cluster
	for i := range size {
		p := &process{t: t, name: fmt.Sprint("member-", i+1), bind: fmt.Sprintf("%s.%d", network, i+1), admin: freePort(t)}
		p.more = sync.NewCond(&p.mu)
		all := map[string]string{"SQUALL_NODE_NAME": p.name, "SQUALL_BIND": p.bind, "SQUALL_JOIN": seeds, "SQUALL_WARP": "4", "SQUALL_EVENTS": "all",
			"SQUALL_EXPECTED": fmt.Sprint(size), "SQUALL_ADMIN_PORT": fmt.Sprint(p.admin)}
		for name, value := range env {
			all[name] = value
		}
		p.run(commandFor(t, all))
		c = append(c, p)
	}
	for _, p := range c {
		p.await("ready", func(event) bool { return true })
	}
	return c
}

func (c cluster) converge() {
	for _, p := range c {
		p.await("converged", func(event) bool { return true })
	}
}

func (p *process) run(command *exec.Cmd) {
	p.command = command
	out, err := command.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	errors, err := command.StderrPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		p.t.Fatal(err)
	}
	var readers sync.WaitGroup
	readers.Go(func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			var e event
			if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
				p.t.Errorf("%s: %q is not an event", p.name, lines.Text())
			}
			p.mu.Lock()
			p.events = append(p.events, e)
			p.more.Broadcast()
			p.mu.Unlock()
		}
	})
	readers.Go(func() {
		for lines := bufio.NewScanner(errors); lines.Scan(); {
			p.mu.Lock()
			fmt.Fprintln(&p.log, lines.Text())
			p.mu.Unlock()
		}
	})
	done := make(chan struct{})
	go func() {
		readers.Wait()
		_ = command.Wait() // how it ended is in ProcessState
		p.mu.Lock()
		p.ended = true
		p.more.Broadcast()
		p.mu.Unlock()
		close(done)
	}()
	p.t.Cleanup(func() {
		if err := command.Process.Kill(); err != nil && err != os.ErrProcessDone {
			p.t.Error(err)
		}
		<-done
	})
}

// await returns the first such event, past or to come.
func (p *process) await(name string, fits func(event) bool) event {
	p.t.Helper()
	tooLate := time.AfterFunc(patience, func() { p.mu.Lock(); p.more.Broadcast(); p.mu.Unlock() })
	defer tooLate.Stop()
	began := time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	for seen := 0; ; {
		for ; seen < len(p.events); seen++ {
			if e := p.events[seen]; e["event"] == name && fits(e) {
				return e
			}
		}
		if p.ended || time.Since(began) >= patience {
			p.t.Fatalf("%s: no such %s came within %v (ended: %v)\n%s", p.name, name, patience, p.ended, p.lastLines())
		}
		p.more.Wait()
	}
}

// epochOf is how many resets came before an event.
func (p *process) epochOf(e event) int {
	epoch := 0
	for _, other := range p.events { // await holds the lock
		if other["event"] == "ready" && other["seq"].(float64) < e["seq"].(float64) {
			epoch = int(other["epoch"].(float64))
		}
	}
	return epoch
}

func (p *process) all() []event {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.events
}

func (p *process) signal(s syscall.Signal) {
	p.t.Helper()
	if err := p.command.Process.Signal(s); err != nil {
		p.t.Fatalf("%s: %v", p.name, err)
	}
}

func (p *process) kill() { p.signal(syscall.SIGKILL); p.awaitEnd() }

// stop ends the node in good order.
func (p *process) stop() {
	p.t.Helper()
	p.signal(syscall.SIGTERM)
	p.awaitEnd()
	if code := p.command.ProcessState.ExitCode(); code != 0 {
		p.t.Errorf("%s: ended with %d on SIGTERM\n%s", p.name, code, p.tail())
	}
}

func (p *process) awaitEnd() {
	tooLate := time.AfterFunc(patience, func() { p.mu.Lock(); p.more.Broadcast(); p.mu.Unlock() })
	defer tooLate.Stop()
	began := time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.ended {
		if time.Since(began) >= patience {
			p.t.Fatalf("%s: did not end within %v", p.name, patience)
		}
		p.more.Wait()
	}
}

func (p *process) tail() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lastLines()
}

func (p *process) lastLines() string {
	text, err := json.MarshalIndent(p.events[max(0, len(p.events)-10):], "", " ")
	if err != nil {
		return err.Error()
	}
	return string(text) + "\n" + p.log.String()
}

// freePort is below the ports that the kernel hands out by itself (from 32768):
// one of those could become a connection's before the node listens on it.
func freePort(t *testing.T) int {
	const lowest, count = 20_000, 12_000
	first := rand.IntN(count)
	for i := range count {
		port := lowest + (first+i)%count
		listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			continue
		}
		listener.Close()
		return port
	}
	t.Fatal("no free port on loopback")
	return 0
}

// freeNetwork is a /24 of loopback where nobody listens on the gossip port; the
// listener on its last address keeps it ours until the test ends.
func freeNetwork(t *testing.T) string {
	for i := range 250 * 250 {
		network := fmt.Sprintf("127.%d.%d", 2+(os.Getpid()+i)%250, 1+(i/250)%250)
		listener, err := net.Listen("tcp", network+".254:7946")
		if err != nil {
			continue
		}
		t.Cleanup(func() { listener.Close() })
		return network
	}
	t.Fatal("no free network on loopback")
	return ""
}
