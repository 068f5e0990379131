// Command log-flood writes numbered events at a steady rate, and then idles until SIGTERM. `make bench` counts what of
// them reaches the record. With SQUALL_HOSTILE it writes what no log should hold between them.
package main

import (
	"bufio"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"
	"unsafe"
)

const (
	burstEvery     = 10 * time.Millisecond
	clockMonotonic = 1
)

func main() {
	linesPerSecond := whole("SQUALL_LINES_PER_S", 1_000)
	lines := whole("SQUALL_LINES", 10_000)
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
	out := bufio.NewWriterSize(os.Stdout, 1<<16)
	fmt.Fprintf(out, `{"event":"ready","monoNs":%d,"seq":1}`+"\n", monotonicNs())
	out.Flush()

	hostile := os.Getenv("SQUALL_HOSTILE") == "true"
	seq := 1
	started := time.Now()
	for written := 0; written < lines; {
		due := min(lines, int(time.Since(started).Seconds()*float64(linesPerSecond)))
		for ; written < due; written++ {
			if hostile && written%10 != 0 {
				out.Write(hostileLine(written))
				continue
			}
			seq++
			fmt.Fprintf(out, `{"event":"flood.line","monoNs":%d,"seq":%d,"number":%d}`+"\n", monotonicNs(), seq, written+1)
		}
		out.Flush()
		select {
		case <-stop:
			return
		case <-time.After(burstEvery):
		}
	}
	fmt.Fprintf(out, `{"event":"flood.ended","monoNs":%d,"seq":%d,"lines":%d}`+"\n", monotonicNs(), seq+1, lines)
	out.Flush()
	<-stop
}

func whole(name string, fallback int) int {
	text := os.Getenv(name)
	if text == "" {
		return fallback
	}
	value, err := strconv.Atoi(text)
	if err != nil || value < 1 {
		fmt.Fprintf(os.Stderr, "log-flood: %s=%q: expected a whole number above 0\n", name, text)
		os.Exit(3)
	}
	return value
}

func monotonicNs() int64 {
	var at syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockMonotonic, uintptr(unsafe.Pointer(&at)), 0)
	return at.Nano()
}
