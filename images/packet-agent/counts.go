package main

// counts is what one fault did to one node, in one direction, in packets.
type counts struct {
	held       uint64
	released   uint64
	overflowed uint64
	dropped    uint64
	droppedTcp uint64
	passed     uint64
	delayed    uint64
	duplicated uint64
	corrupted  uint64
	reordered  uint64
	sendErrors uint64
	abandoned  uint64
	// tcpBytes is the payload of the TCP segments that the fault selected.
	tcpBytes uint64
	// firstNs and lastNs are when the first and the last packet was affected.
	firstNs, lastNs int64
	firstReleasedNs int64
	// late is how long packets were kept, from arrival to leaving.
	late *histogram
}

func (c *counts) affected(nowNs int64) {
	if c.firstNs == 0 {
		c.firstNs = nowNs
	}
	c.lastNs = nowNs
}

func (c *counts) kept(ns int64) {
	if c.late == nil {
		c.late = &histogram{}
	}
	c.late.add(ns)
}

// countsReport is counts of both directions as the protocol shows them.
type countsReport struct {
	HeldIn      uint64 `json:"heldIn"`
	HeldOut     uint64 `json:"heldOut"`
	ReleasedIn  uint64 `json:"releasedIn"`
	ReleasedOut uint64 `json:"releasedOut"`
	// WaitingIn and WaitingOut are held or delayed at this moment.
	WaitingIn  uint64 `json:"waitingIn"`
	WaitingOut uint64 `json:"waitingOut"`
	Overflowed uint64 `json:"overflowed"`
	DroppedIn  uint64 `json:"droppedIn"`
	DroppedOut uint64 `json:"droppedOut"`
	DroppedTcp uint64 `json:"droppedTcp"`
	Passed     uint64 `json:"passed"`
	Delayed    uint64 `json:"delayed"`
	Duplicated uint64 `json:"duplicated"`
	Corrupted  uint64 `json:"corrupted"`
	Reordered  uint64 `json:"reordered"`
	SendErrors uint64 `json:"sendErrors"`
	// Abandoned packets went with a node whose process ended.
	Abandoned uint64 `json:"abandoned"`
	// TcpBytesIn and TcpBytesOut are payload bytes of the TCP segments that the
	// fault selected, whatever it did to them; a repeated segment counts again.
	TcpBytesIn  uint64 `json:"tcpBytesIn"`
	TcpBytesOut uint64 `json:"tcpBytesOut"`

	// The node's own figures since the fault was armed. Any of the first three
	// above zero, like an overflow, means that packets were lost by accident.
	Enobufs         uint64 `json:"enobufs"`
	KernelDropped   uint64 `json:"kernelDropped"`
	VerdictErrors   uint64 `json:"verdictErrors"`
	UdpRcvbufErrors uint64 `json:"udpRcvbufErrors"`
	UdpInErrors     uint64 `json:"udpInErrors"`
	UdpInCsumErrors uint64 `json:"udpInCsumErrors"`

	// How late packets left that were held or delayed.
	DelayP50Ms float64 `json:"delayP50Ms"`
	DelayMaxMs float64 `json:"delayMaxMs"`

	late            histogram
	firstNs, lastNs int64
}

func (r *countsReport) add(c *counts, dir direction) {
	if dir == inbound {
		r.HeldIn += c.held
		r.ReleasedIn += c.released
		r.DroppedIn += c.dropped
		r.TcpBytesIn += c.tcpBytes
	} else {
		r.HeldOut += c.held
		r.ReleasedOut += c.released
		r.DroppedOut += c.dropped
		r.TcpBytesOut += c.tcpBytes
	}
	r.Overflowed += c.overflowed
	r.DroppedTcp += c.droppedTcp
	r.Passed += c.passed
	r.Delayed += c.delayed
	r.Duplicated += c.duplicated
	r.Corrupted += c.corrupted
	r.Reordered += c.reordered
	r.SendErrors += c.sendErrors
	r.Abandoned += c.abandoned
	if c.firstNs != 0 && (r.firstNs == 0 || c.firstNs < r.firstNs) {
		r.firstNs = c.firstNs
	}
	r.lastNs = max(r.lastNs, c.lastNs)
	if c.late != nil {
		r.late.merge(c.late)
		r.DelayP50Ms = float64(r.late.quantile(0.5)) / 1e6
		r.DelayMaxMs = float64(r.late.maxNs) / 1e6
	}
}
