package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// node is the foreign process and what is known of it.
type node struct {
	settings settings
	told     *teller
	died     chan int

	mu       sync.Mutex
	peer     string
	command  *exec.Cmd
	ended    chan struct{}
	stopping bool
}

func newNode(s settings, told *teller) *node {
	return &node{settings: s, told: told, died: make(chan int, 1)}
}

func (n *node) identified(peer string) {
	n.mu.Lock()
	n.peer = peer
	n.mu.Unlock()
	n.told.tell("node.identified", fields{"peer": peer})
}

func (n *node) who() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.peer
}

func (n *node) running() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.command != nil
}

// A node that ran once starts again by itself when its container is restarted.
func startedFile(root string) string { return filepath.Join(root, "squall-started") }

func hasStarted(root string) bool {
	_, err := os.Stat(startedFile(root))
	return err == nil
}

var errRuns = errors.New("the node runs already")

func (n *node) start() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.command != nil {
		return errRuns
	}
	if err := os.WriteFile(startedFile(n.settings.root), nil, 0o644); err != nil {
		return err
	}
	command := exec.Command(n.settings.program, n.settings.arguments()...)
	command.Env = n.settings.environment()
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	if err := command.Start(); err != nil {
		return err
	}
	n.command, n.ended, n.stopping = command, make(chan struct{}), false
	go n.watch(command, n.ended)
	n.told.tell("node.launched", fields{"peer": n.peer, "threads": n.settings.threads})
	return nil
}

func (n *node) watch(command *exec.Cmd, ended chan struct{}) {
	_ = command.Wait() // Its state says how it ended.
	n.mu.Lock()
	expected := n.stopping
	n.command = nil
	n.mu.Unlock()
	if usage, ok := command.ProcessState.SysUsage().(*syscall.Rusage); ok {
		state := command.ProcessState
		n.told.tell("node.spent", fields{
			"cpuMs":        (state.UserTime() + state.SystemTime()).Milliseconds(),
			"peakRssBytes": usage.Maxrss * 1024,
		})
	}
	close(ended)
	if !expected {
		n.died <- command.ProcessState.ExitCode()
	}
}

// stop asks the node to end, waits so long for its last words, and then kills it.
// It returns whether it ended by itself; true when there is none.
func (n *node) stop(within time.Duration) bool {
	n.mu.Lock()
	command, ended := n.command, n.ended
	if command == nil {
		n.mu.Unlock()
		return true
	}
	n.stopping = true
	_ = command.Process.Signal(syscall.SIGTERM) // It may have ended this moment.
	n.mu.Unlock()
	select {
	case <-ended:
		return true
	case <-time.After(within):
		_ = command.Process.Kill()
		<-ended
		return false
	}
}
