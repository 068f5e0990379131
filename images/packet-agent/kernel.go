package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// kernelQueue is one line of /proc/net/netfilter/nfnetlink_queue.
type kernelQueue struct {
	Num   uint16 `json:"num"`
	Total uint64 `json:"total"` // packets waiting for a verdict
	// Dropped: the queue was full. UserDropped: the netlink buffer was full.
	Dropped     uint64 `json:"dropped"`
	UserDropped uint64 `json:"userDropped"`
	Sequence    uint64 `json:"sequence"` // packets queued so far
}

// readKernelQueues must run on a thread inside the namespace: /proc/net would
// show the main thread's.
func readKernelQueues() (map[uint16]kernelQueue, error) {
	text, err := os.ReadFile("/proc/thread-self/net/netfilter/nfnetlink_queue")
	if err != nil {
		return nil, err
	}
	return parseKernelQueues(string(text))
}

func parseKernelQueues(text string) (map[uint16]kernelQueue, error) {
	queues := map[uint16]kernelQueue{}
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) < 8 {
			continue
		}
		var n [8]uint64
		for i := range n {
			var err error
			if n[i], err = strconv.ParseUint(fields[i], 10, 64); err != nil {
				return nil, fmt.Errorf("nfnetlink_queue: %q is no number in %q", fields[i], line)
			}
		}
		q := kernelQueue{Num: uint16(n[0]), Total: n[2], Dropped: n[5], UserDropped: n[6], Sequence: n[7]}
		queues[q.Num] = q
	}
	return queues, nil
}

// udpCounters are the namespace's own, since it exists.
type udpCounters struct {
	InErrors, RcvbufErrors, SndbufErrors, InCsumErrors uint64
}

// readUdpCounters must run on a thread inside the namespace.
func readUdpCounters() (udpCounters, error) {
	text, err := os.ReadFile("/proc/thread-self/net/snmp")
	if err != nil {
		return udpCounters{}, err
	}
	return parseUdpCounters(string(text))
}

func parseUdpCounters(text string) (udpCounters, error) {
	var names []string
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] != "Udp:" {
			continue
		}
		if names == nil {
			names = fields
			continue
		}
		var c udpCounters
		into := map[string]*uint64{
			"InErrors": &c.InErrors, "RcvbufErrors": &c.RcvbufErrors,
			"SndbufErrors": &c.SndbufErrors, "InCsumErrors": &c.InCsumErrors,
		}
		for i, name := range names {
			target, wanted := into[name]
			if !wanted || i >= len(fields) {
				continue
			}
			n, err := strconv.ParseUint(fields[i], 10, 64)
			if err != nil {
				return udpCounters{}, fmt.Errorf("snmp: Udp %s is %q", name, fields[i])
			}
			*target = n
		}
		return c, nil
	}
	return udpCounters{}, fmt.Errorf("snmp: no line of Udp counters")
}

// startTime is field 22 of /proc/PID/stat: the start of the process in clock
// ticks since boot. With the PID it names one process for ever.
func startTime(pid int) (uint64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The command's name, in parentheses, may hold anything.
	at := strings.LastIndexByte(string(text), ')')
	if at < 0 {
		return 0, fmt.Errorf("/proc/%d/stat: no command name", pid)
	}
	fields := strings.Fields(string(text[at+1:]))
	if len(fields) < 20 {
		return 0, fmt.Errorf("/proc/%d/stat: %d fields after the name; expected at least 20", pid, len(fields))
	}
	return strconv.ParseUint(fields[19], 10, 64)
}
