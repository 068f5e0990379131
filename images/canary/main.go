// Command canary sleeps over and over and tells how late it woke each time.
//
// It runs in a container of its own, with a node's share of the CPU and nothing
// else to do, so what it suffers is what the host does to a node. It is one
// static binary because a canary must not itself load the host: 100 wake-ups a
// second cost about a hundredth of a core.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"
	"unsafe"
)

const (
	sleepNs  = 10_000_000
	reportNs = 500_000_000

	clockMonotonic = 1
)

func main() {
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
	go func() {
		<-stop
		os.Exit(0)
	}()
	// The kernel wakes this thread itself; a goroutine's timer would also wait
	// for the runtime.
	runtime.LockOSThread()
	if err := watch(os.Stdout.Write); err != nil {
		fmt.Fprintln(os.Stderr, "canary:", err)
		os.Exit(1)
	}
}

// watch writes one line for each report until writing fails. A line carries
// the lateness of every wake-up since the line before, in microseconds.
func watch(write func([]byte) (int, error)) error {
	seq := uint64(1)
	line := fmt.Appendf(nil, `{"event":"ready","monoNs":%d,"seq":%d}`+"\n", monotonicNs(), seq)
	if _, err := write(line); err != nil {
		return err
	}
	lates := make([]int64, 0, 2*reportNs/sleepNs)
	reportedNs := monotonicNs()
	for {
		late, now := sleepOnce()
		lates = append(lates, late/1_000)
		if now-reportedNs < reportNs {
			continue
		}
		seq++
		if _, err := write(report(now, seq, lates)); err != nil {
			return err
		}
		lates = lates[:0]
		reportedNs = now
	}
}

// sleepOnce sleeps for sleepNs and returns how much longer it took, and the
// time after it.
func sleepOnce() (lateNs, nowNs int64) {
	before := monotonicNs()
	pause := syscall.NsecToTimespec(sleepNs)
	for syscall.Nanosleep(&pause, &pause) == syscall.EINTR {
	}
	now := monotonicNs()
	return now - before - sleepNs, now
}

func report(nowNs int64, seq uint64, lates []int64) []byte {
	line := fmt.Appendf(nil, `{"event":"canary.measured","monoNs":%d,"seq":%d,"lateUs":[`, nowNs, seq)
	for index, late := range lates {
		if index > 0 {
			line = append(line, ',')
		}
		line = strconv.AppendInt(line, max(late, 0), 10)
	}
	return append(line, "]}\n"...)
}

// monotonicNs reads the clock that all of the host's processes share.
func monotonicNs() int64 {
	var now syscall.Timespec
	if _, _, errno := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockMonotonic, uintptr(unsafe.Pointer(&now)), 0); errno != 0 {
		panic(errno)
	}
	return now.Nano()
}
