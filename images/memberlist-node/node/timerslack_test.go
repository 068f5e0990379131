package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

const slackenedEnv = "MEMBERLIST_NODE_TEST_SLACKENED"

// TestMain lets a test run this binary as a process that slackens its timers and tells of its threads.
func TestMain(m *testing.M) {
	if os.Getenv(slackenedEnv) == "" {
		os.Exit(m.Run())
	}
	if err := slackenTimers(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	runtime.LockOSThread() // so that the goroutine is on another thread
	told := make(chan string)
	go func() {
		slack, err := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0)
		told <- fmt.Sprintln(os.Getpid(), slack, err, strings.Join(os.Args[1:], " "))
	}()
	fmt.Print(<-told)
	os.Exit(0)
}

func TestSlackenTimers(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(self, "one", "two")
	command.Env = append(os.Environ(), slackenedEnv+"=1")
	out, err := command.Output()
	if err != nil {
		t.Fatal(err, string(out))
	}
	want := fmt.Sprintf("%d %d <nil> one two\n", command.Process.Pid, timerSlackNs)
	if string(out) != want {
		t.Errorf("got %q, want %q: same pid and arguments, and other threads have the slack", out, want)
	}
}
