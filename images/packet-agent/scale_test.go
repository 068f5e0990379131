package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// status reads a figure of /proc/PID/status; sizes are in kB.
func status(t testing.TB, pid int, key string) float64 {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) >= 2 && fields[0] == key+":" {
			figure, err := strconv.ParseFloat(fields[1], 64)
			if err != nil {
				t.Fatal(err)
			}
			return figure
		}
	}
	t.Fatalf("no %s in the status of process %d", key, pid)
	return 0
}

// BenchmarkBedOf128 shows what one agent needs for a bed of 128 nodes.
func BenchmarkBedOf128(bench *testing.B) {
	const count = 128
	b := newBed(bench, count)
	for bench.Loop() {
		ms := map[string]float64{}
		timed := func(what string, fn func()) {
			started := time.Now()
			fn()
			ms[what] = float64(time.Since(started).Microseconds()) / 1000
		}
		c := startAgent(bench)
		timed("enroll", func() { c.enroll(b.nodes...) })
		timed("arm", func() { c.arm(faultOn("h", "hold", nil, b.nodes...)) })
		idle := status(bench, c.cmd.Process.Pid, "VmRSS") / 1024
		threads := status(bench, c.cmd.Process.Pid, "Threads")
		timed("apply", func() { c.apply("h") })
		for i, n := range b.nodes {
			mustSend(bench, n.udp(bench, 0), b.nodes[(i+1)%count].addr(7000), 0, 200)
		}
		var r liftReport
		timed("lift", func() {
			var lifted map[string]liftReport
			if err := c.ask("lift", map[string]any{"ids": []string{"h"}}).read("lifted", &lifted); err != nil {
				bench.Fatal(err)
			}
			r = lifted["h"]
		})
		ms["drain"] = float64(r.DrainedNs-r.AtNs) / 1e6
		c.arm(faultOn("i", "hold", nil, b.nodes...))
		c.apply("i")
		for i, n := range b.nodes {
			mustSend(bench, n.udp(bench, 0), b.nodes[(i+1)%count].addr(7000), 0, 200)
		}
		timed("sigterm", func() {
			if err := c.cmd.Process.Signal(unix.SIGTERM); err != nil {
				bench.Fatal(err)
			}
			c.await(10 * time.Second)
		})
		bench.ReportMetric(idle, "armed-MB")
		bench.ReportMetric(threads, "armed-threads")
		for what, took := range ms {
			bench.ReportMetric(took, what+"-ms")
		}
		for _, n := range b.nodes {
			if tables := n.tables(bench); len(tables) != 0 {
				bench.Fatalf("%s: tables %v are left", n.name, tables)
			}
		}
	}
}
