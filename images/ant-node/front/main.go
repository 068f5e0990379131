// Command front runs a foreign storage node as an image of ours: it makes the
// node's identity known, lays a seeded set of chunks into its store before it
// starts, starts it when it is asked to, and tells what the store holds.
//
// What the node itself says goes to standard output untouched; adapters in
// image.json make events of it.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

const (
	// SIGTERM must end everything within a second.
	lastWords = 700 * time.Millisecond
	exitInput = 3
)

func main() {
	settings, err := readSettings(os.Getenv)
	if err != nil {
		fmt.Fprintln(os.Stderr, "front:", err)
		os.Exit(exitInput)
	}
	told := &teller{out: os.Stdout}
	node := newNode(settings, told)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if err := serveAdmin(settings.adminPort, node); err != nil {
		fail(told, err)
	}
	if err := settings.writeConfig(); err != nil {
		fail(told, err)
	}
	peer, err := identity(ctx, settings)
	if err != nil {
		fail(told, err)
	}
	node.identified(peer)
	if settings.startsAtOnce || hasStarted(settings.root) {
		if err := node.start(); err != nil {
			fail(told, err)
		}
	}
	told.tell("ready", fields{"peer": peer})
	select {
	case <-ctx.Done():
		node.stop(lastWords)
		told.tell("stopped", fields{})
	case code := <-node.died:
		told.tell("failed", fields{"reason": "the node ended by itself", "code": code})
		os.Exit(max(code, 1))
	}
}

func fail(told *teller, err error) {
	told.tell("failed", fields{"reason": err.Error()})
	fmt.Fprintln(os.Stderr, "front:", err)
	os.Exit(1)
}
