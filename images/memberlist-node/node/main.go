// A memberlist node for fault experiments: the real library, rewritten so that
// switches choose the behaviour, with its decisions as JSON lines on stdout and
// an admin port on loopback. See the folder's README.
//
// Built by `go run ./rewrite build` in the folder above, which makes the library
// that it needs.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/hashicorp/memberlist"
)

const exitUsage = 3

type node struct {
	settings settings
	rebirth  rebirth
	began    time.Time
	emitter  *emitter
	census   *census
	list     *memberlist.Memberlist
	log      *log.Logger
	ending   sync.Once
}

func main() {
	if !rewritten {
		fmt.Fprintln(os.Stderr, "memberlist-node: built against the library as published; expected `go run ./rewrite build --out BINARY`")
		os.Exit(exitUsage)
	}
	if err := slackenTimers(); err != nil {
		fmt.Fprintf(os.Stderr, "memberlist-node: timer slack: %v; going on without\n", err)
	}
	born, birthErr := loadRebirth(os.Environ())
	s, err := loadSettings(os.Getenv)
	if err = errors.Join(birthErr, err); err != nil {
		fmt.Fprintf(os.Stderr, "memberlist-node: settings:\n%v\n", err)
		os.Exit(exitUsage)
	}
	tuneRuntime(os.Getenv, s)
	n := &node{settings: s, rebirth: born, began: time.Now(), log: newLogger(os.Stderr, s.LogLevel)}
	n.emitter = startEmitter(os.Stdout, born.Seq)
	if err := n.start(); err != nil {
		n.fatal(err)
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	got := <-signals
	n.ending.Do(func() {
		n.emitter.Close("stopped", field{"signal", got.String()})
		os.Exit(0)
	})
	select {} // a reset is replacing the process
}

func (n *node) start() error {
	setSwitches(n.settings.Switches, n.settings.warped)
	n.census = newCensus(n.settings.NodeName, n.settings.Expected, n.settings.Events == "all", n.emitter.Emit)
	observeLibrary(n.census.Observe)
	list, err := memberlist.Create(libraryConfig(n.settings, n.log))
	if err != nil {
		return err
	}
	n.list = list
	if err := listenAdmin(n); err != nil {
		return err
	}
	n.emitter.Emit("ready", field{"name", n.settings.NodeName}, field{"address", list.LocalNode().Address()},
		field{"variant", n.settings.Variant}, field{"epoch", n.rebirth.Epoch}, field{"pid", os.Getpid()},
		field{"warp", n.settings.Warp}, field{"switches", n.settings.Switches}, field{"library", "github.com/hashicorp/memberlist v0.7.0"})
	joiner := &joiner{s: n.settings, join: list.Join, members: list.NumMembers, census: n.census, emit: n.emitter.Emit}
	go joiner.Run(context.Background())
	return nil
}

// reset replaces the process and does not come back.
func (n *node) reset(env map[string]string) {
	n.ending.Do(func() {
		seq := n.emitter.Close("resetting", field{"epoch", n.rebirth.Epoch + 1})
		err := n.rebirth.exec(env, seq)
		fmt.Fprintln(os.Stderr, "memberlist-node: reset: exec failed:", err)
		os.Exit(1)
	})
}

func (n *node) fatal(err error) {
	n.ending.Do(func() {
		fmt.Fprintln(os.Stderr, "memberlist-node:", err)
		n.emitter.Close("failed", field{"reason", err.Error()})
		os.Exit(1)
	})
}
