package main

import "log"

// nodeFigures are a node's own counters, whatever the fault.
type nodeFigures struct {
	Enobufs         uint64 `json:"enobufs"`
	KernelDropped   uint64 `json:"kernelDropped"`
	VerdictErrors   uint64 `json:"verdictErrors"`
	UdpRcvbufErrors uint64 `json:"udpRcvbufErrors"`
	UdpInErrors     uint64 `json:"udpInErrors"`
	UdpInCsumErrors uint64 `json:"udpInCsumErrors"`
}

func (f nodeFigures) minus(o nodeFigures) nodeFigures {
	return nodeFigures{
		Enobufs:         since(f.Enobufs, o.Enobufs),
		KernelDropped:   since(f.KernelDropped, o.KernelDropped),
		VerdictErrors:   since(f.VerdictErrors, o.VerdictErrors),
		UdpRcvbufErrors: since(f.UdpRcvbufErrors, o.UdpRcvbufErrors),
		UdpInErrors:     since(f.UdpInErrors, o.UdpInErrors),
		UdpInCsumErrors: since(f.UdpInCsumErrors, o.UdpInCsumErrors),
	}
}

func since(now, base uint64) uint64 { return now - min(now, base) }

// figures reads the node's counters: the kernel's of its queues and UDP, and
// ours of its sockets. When the namespace is gone they stay what they were.
func (n *node) figures() nodeFigures {
	var f nodeFigures
	err := n.inside(func() (err error) {
		f, err = n.readFigures()
		return err
	})
	n.figuresMu.Lock()
	defer n.figuresMu.Unlock()
	if err != nil {
		if asOpError(err).Code != "namespace-gone" {
			log.Printf("node %s: figures: %v", n.name, err)
		}
		return n.last
	}
	n.last = f
	return f
}

// readFigures runs inside the namespace.
func (n *node) readFigures() (nodeFigures, error) {
	queues, err := readKernelQueues()
	if err != nil {
		return nodeFigures{}, err
	}
	udp, err := readUdpCounters()
	if err != nil {
		return nodeFigures{}, err
	}
	n.figuresMu.Lock()
	f := n.past
	n.figuresMu.Unlock()
	for _, l := range n.lanes {
		l.mu.Lock()
		q := l.queue
		l.mu.Unlock()
		if q == nil {
			continue
		}
		k := queues[q.num]
		f.KernelDropped += k.Dropped + k.UserDropped
		f.Enobufs += q.enobufs.Load()
		f.VerdictErrors += q.verdictErrors.Load()
	}
	f.UdpRcvbufErrors = udp.RcvbufErrors
	f.UdpInErrors = udp.InErrors
	f.UdpInCsumErrors = udp.InCsumErrors
	return f, nil
}

// foldQueues keeps what the closed queues have counted.
func (n *node) foldQueues(f nodeFigures) {
	n.figuresMu.Lock()
	defer n.figuresMu.Unlock()
	n.last = f
	n.past = nodeFigures{Enobufs: f.Enobufs, KernelDropped: f.KernelDropped, VerdictErrors: f.VerdictErrors}
}
