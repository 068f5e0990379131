package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

type settings struct {
	program      string
	root         string
	port         int
	adminPort    int
	bind         string
	bootstrap    []string
	args         []string
	logFilter    string
	network      string
	rewards      string
	threads      int
	preload      string
	startsAtOnce bool
	// What the node leaves free on its disk, in MiB.
	reserveMiB int
}

// What a node leaves free when nothing is said.
const ownReserveMiB = 500

// readSettings takes the environment that image.json describes; all that is
// wrong is told at once.
func readSettings(env func(string) string) (settings, error) {
	var wrong []string
	number := func(name string, otherwise, low, high int) int {
		text := env(name)
		if text == "" {
			return otherwise
		}
		value, err := strconv.Atoi(text)
		if err != nil || value < low || value > high {
			wrong = append(wrong, fmt.Sprintf("%s is %q; expected %d to %d", name, text, low, high))
			return otherwise
		}
		return value
	}
	text := func(name, otherwise string) string {
		if value := env(name); value != "" {
			return value
		}
		return otherwise
	}
	s := settings{
		program:   text("SQUALL_PROGRAM", "/usr/local/bin/ant-node"),
		root:      text("SQUALL_ROOT_DIR", "/data"),
		port:      number("SQUALL_PORT", 10000, 1, 65535),
		adminPort: number("SQUALL_ADMIN_PORT", 7100, 1, 65535),
		bind:      env("SQUALL_BIND"),
		bootstrap: list(env("SQUALL_BOOTSTRAP")),
		args:      list(env("SQUALL_ARGS")),
		logFilter: env("SQUALL_LOG_FILTER"),
		network:   text("SQUALL_NETWORK_MODE", "testnet"),
		rewards:   env("SQUALL_REWARDS_ADDRESS"),
		threads:   number("SQUALL_HARDWARE_THREADS", 0, 0, 1024),
		preload:   text("SQUALL_PRELOAD", "/threads.so"),

		reserveMiB: number("SQUALL_DISK_RESERVE_BYTES", ownReserveMiB<<20, 0, 1<<50) >> 20,
	}
	switch start := text("SQUALL_START", "now"); start {
	case "now":
		s.startsAtOnce = true
	case "asked":
	default:
		wrong = append(wrong, fmt.Sprintf("SQUALL_START is %q; expected now or asked", start))
	}
	if len(wrong) > 0 {
		return s, fmt.Errorf("%s", strings.Join(wrong, "; "))
	}
	return s, nil
}

func list(text string) []string {
	var words []string
	for _, word := range strings.Split(text, ",") {
		if word = strings.TrimSpace(word); word != "" {
			words = append(words, word)
		}
	}
	return words
}

// arguments is the node's command line; logging in JSON, which adapters read.
func (s settings) arguments() []string {
	args := []string{
		"--root-dir", s.root, "--port", strconv.Itoa(s.port), "--ipv4-only",
		"--enable-logging", "--log-format", "json", "--log-level", "info",
		"--network-mode", s.network,
	}
	if s.rewards != "" {
		args = append(args, "--rewards-address", s.rewards)
	}
	if s.reserveMiB != ownReserveMiB {
		args = append(args, "--config", s.configFile())
	}
	for _, peer := range s.bootstrap {
		// A node is no peer of its own.
		if peer == s.bind {
			continue
		}
		if !strings.Contains(peer, ":") {
			peer += ":" + strconv.Itoa(s.port)
		}
		args = append(args, "--bootstrap", peer)
	}
	return append(args, s.args...)
}

func (s settings) configFile() string { return filepath.Join(s.root, "squall-node.toml") }

// writeConfig lays down what the node takes from a file alone; nothing when all is as it would be without one.
func (s settings) writeConfig() error {
	if s.reserveMiB == ownReserveMiB {
		return nil
	}
	if err := os.MkdirAll(s.root, 0o755); err != nil {
		return err
	}
	text := fmt.Sprintf("[storage]\ndisk_reserve_mb = %d\n", s.reserveMiB)
	return os.WriteFile(s.configFile(), []byte(text), 0o644)
}

// environment is ours without what is meant for this program. The level is given
// as an argument, so that RUST_LOG may hold more than one.
func (s settings) environment() []string {
	var kept []string
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "SQUALL_") {
			kept = append(kept, entry)
		}
	}
	if s.logFilter != "" {
		kept = append(kept, "RUST_LOG="+s.logFilter)
	}
	if s.threads > 0 {
		kept = append(kept, "LD_PRELOAD="+s.preload, "SQUALL_THREADS="+strconv.Itoa(s.threads))
	}
	return kept
}
