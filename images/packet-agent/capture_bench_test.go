package main

import (
	"fmt"
	"math"
	"testing"
	"time"
)

// BenchmarkCapture shows what being captured costs a blocking sender, and that
// nothing is lost while the controller reads.
func BenchmarkCapture(bench *testing.B) {
	b := newBed(bench, 2)
	a, z := b.nodes[0], b.nodes[1]
	sender, receiver := a.udp(bench, 0), z.udp(bench, 7000)
	bigBuffer(bench, receiver)
	go numbers(receiver, math.MaxInt)
	c := startAgent(bench, a, z)
	for _, captured := range []bool{false, true} {
		bench.Run(fmt.Sprint("captured ", captured), func(bench *testing.B) {
			stop, read := make(chan struct{}), make(chan map[string][]byte, 1)
			if captured {
				c.capture(map[string]any{"fileBytes": 1 << 30}, a)
				go func() {
					bytes := map[string][]byte{}
					for {
						select {
						case <-stop:
							read <- bytes
							return
						default:
							c.readCapture(bytes)
						}
					}
				}()
			}
			var payload [64]byte
			for bench.Loop() {
				if _, err := sender.WriteToUDP(payload[:], z.addr(7000)); err != nil {
					bench.Fatal(err)
				}
			}
			bench.StopTimer()
			if captured {
				close(stop)
				<-read
				var reports []captureReport
				if err := c.ask("capture-stop", nil).read("nodes", &reports); err != nil {
					bench.Fatal(err)
				}
				bench.ReportMetric(float64(reports[0].KernelDropped+reports[0].Unread), "lost")
			}
		})
	}
}

// BenchmarkBedCapture shows what a capture of many nodes needs.
func BenchmarkBedCapture(bench *testing.B) {
	const count = 64
	b := newBed(bench, count)
	c := startAgent(bench, b.nodes...)
	for bench.Loop() {
		before := status(bench, c.cmd.Process.Pid, "VmRSS") / 1024
		started := time.Now()
		c.capture(nil, b.nodes...)
		bench.ReportMetric(float64(time.Since(started).Microseconds())/1000, "start-ms")
		started = time.Now()
		c.ask("capture-stop", nil)
		bench.ReportMetric(float64(time.Since(started).Microseconds())/1000, "stop-ms")
		bench.ReportMetric(status(bench, c.cmd.Process.Pid, "VmRSS")/1024-before, "more-MB")
	}
}
