package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// roleVariable makes a copy of the test's own binary act as something else.
const roleVariable = "PACKET_AGENT_TEST_ROLE"

// binaryVariable names a binary to test instead of building one, for example
// one with the race detector.
const binaryVariable = "PACKET_AGENT_TEST_BINARY"

// agentBinary is the program under test, built once: tests run it as users do.
var agentBinary = os.Getenv(binaryVariable)

func TestMain(m *testing.M) {
	if os.Getenv(roleVariable) == "idle" {
		// The process by which a namespace is found; killed by the test, or by
		// the kernel when the test dies.
		time.Sleep(time.Hour)
		return
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	if agentBinary != "" {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "packet-agent-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	agentBinary = filepath.Join(dir, "packet-agent")
	build := exec.Command("go", "build", "-o", agentBinary, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintln(os.Stderr, strings.TrimSpace(string(out)))
		return 1
	}
	return m.Run()
}
