package main

import (
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// Each Go process has a thread that looks at its scheduler every 20 µs while there is
// work, and so also while all the work of a hundred processes waits for one CPU: a tenth of
// the CPU of a release went into those looks. With this slack the kernel puts them, and other
// timers, together. The library's shortest interval is 200 ms (50 ms at warp 4).
const timerSlackNs = 1_000_000

// slackenTimers gives the slack to every thread of the process. The runtime has started
// threads of its own by now, and a thread's slack cannot be set from outside; but what
// a thread has survives execve and goes over to the threads that it makes. So the process
// executes itself once, with the same pid, arguments and environment.
func slackenTimers() error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	now, err := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0)
	if err != nil || now == timerSlackNs {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_TIMERSLACK, timerSlackNs, 0, 0, 0); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	return unix.Exec(self, os.Args, os.Environ())
}
