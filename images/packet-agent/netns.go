package main

import (
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// inNamespace runs fn on an operating-system thread of its own that was moved
// into the network namespace nsFd. The thread is never given back to the Go
// scheduler: a goroutine that ends while locked takes its thread with it.
func inNamespace(nsFd int, fn func() error) error {
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // deliberately without UnlockOSThread
		if err := unix.Setns(nsFd, unix.CLONE_NEWNET); err != nil {
			done <- fmt.Errorf("setns: %w", err)
			return
		}
		done <- fn()
	}()
	return <-done
}

// inScratchNamespace runs fn in a new, empty network namespace that vanishes
// with its thread, and hands over a descriptor of it.
func inScratchNamespace(fn func(nsFd int) error) error {
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // deliberately without UnlockOSThread
		done <- func() error {
			if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
				return fmt.Errorf("unshare(CLONE_NEWNET): %w", err)
			}
			fd, err := unix.Open("/proc/thread-self/ns/net", unix.O_RDONLY|unix.O_CLOEXEC, 0)
			if err != nil {
				return fmt.Errorf("open own namespace: %w", err)
			}
			defer unix.Close(fd)
			return fn(fd)
		}()
	}()
	return <-done
}
