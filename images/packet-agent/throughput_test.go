package main

import (
	"fmt"
	"math"
	"testing"
	"time"
)

// BenchmarkDatagrams shows what a blocking sender gets through, and how much
// of that the agent's state costs.
func BenchmarkDatagrams(bench *testing.B) {
	b := newBed(bench, 2)
	a, z := b.nodes[0], b.nodes[1]
	sender, receiver := a.udp(bench, 0), z.udp(bench, 7000)
	bigBuffer(bench, receiver)
	go numbers(receiver, math.MaxInt)
	send := func(bench *testing.B) {
		var payload [64]byte
		for bench.Loop() {
			if _, err := sender.WriteToUDP(payload[:], z.addr(7000)); err != nil {
				bench.Fatal(err)
			}
		}
	}
	bench.Run("no agent", send)
	c := startAgent(bench, a, z)
	states := []struct {
		name, kind string
		fields     map[string]any
		on         *testNode
		applied    bool
	}{
		{"armed at the sender", "drop", nil, a, false},
		{"armed at the receiver", "drop", nil, z, false},
		{"dropped at the sender", "drop", nil, a, true},
		{"held at the sender", "hold", nil, a, true},
		{"held at the receiver", "hold", nil, z, true},
		{"lost by half at the sender", "loss", map[string]any{"ratio": 0.5}, a, true},
	}
	for i, s := range states {
		bench.Run(s.name, func(bench *testing.B) {
			id := fmt.Sprint("f", i, bench.N)
			c.arm(faultOn(id, s.kind, s.fields, s.on))
			if s.applied {
				c.apply(id)
			}
			send(bench)
			bench.StopTimer()
			w := c.witness(id, s.on)
			bench.ReportMetric(float64(w.Overflowed+w.Enobufs+w.KernelDropped), "lost")
			c.ask("disarm", map[string]any{"ids": []string{id}})
		})
	}
}

// BenchmarkStream shows what a TCP connection carries. Armed, its large
// segments are cut to packets before they reach the queue.
func BenchmarkStream(bench *testing.B) {
	b := newBed(bench, 2)
	a, z := b.nodes[0], b.nodes[1]
	l := z.listen(bench, z.ip+":8000")
	send := func(bench *testing.B) {
		done := make(chan int, 1)
		go func() { done <- len(readAll(l)) }()
		conn, err := a.dial(z.ip+":8000", 5*time.Second)
		if err != nil {
			bench.Fatal(err)
		}
		chunk := make([]byte, 64<<10)
		bench.SetBytes(int64(len(chunk)))
		bench.ResetTimer()
		for range bench.N {
			if _, err := conn.Write(chunk); err != nil {
				bench.Fatal(err)
			}
		}
		conn.Close()
		if got := <-done; got != bench.N*len(chunk) {
			bench.Fatalf("%d bytes arrived; expected %d", got, bench.N*len(chunk))
		}
	}
	bench.Run("no agent", send)
	c := startAgent(bench, a, z)
	c.arm(faultOn("one", "drop", nil, a))
	bench.Run("armed at the sender", send)
	c.arm(faultOn("other", "drop", nil, z))
	bench.Run("armed at both ends", send)
}
