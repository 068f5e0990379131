package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// monoNs reads CLOCK_MONOTONIC in nanoseconds: the clock of every instant in
// the protocol. All containers of one kernel share it.
func monoNs() int64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		// The clock id is a constant that every Linux kernel knows.
		panic("clock_gettime(CLOCK_MONOTONIC): " + err.Error())
	}
	return ts.Nano()
}

// untilNs is the time left until the instant atNs of the monotonic clock.
func untilNs(atNs int64) time.Duration { return time.Duration(atNs - monoNs()) }

func msToNs(ms float64) int64 { return int64(ms * 1e6) }
