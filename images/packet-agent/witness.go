package main

import (
	"slices"
	"strings"
)

// faultWitness is what one fault did. Every value of PerNode is a number.
type faultWitness struct {
	ID      string                   `json:"id"`
	Kind    string                   `json:"kind"`
	State   string                   `json:"state"`
	PerNode map[string]*countsReport `json:"perNode"`
	// Instants are when the first and the last packet was affected, a node each.
	Instants map[string]affectedInstants `json:"instants"`
}

type affectedInstants struct {
	FirstNs int64 `json:"firstNs"`
	LastNs  int64 `json:"lastNs"`
}

// witness says what each fault did to each node, and each node's own figures
// since it was enrolled.
func (a *agent) witness(faults []*fault) ([]faultWitness, map[string]nodeFigures, error) {
	figures, err := a.figuresOf(nodesOf(faults))
	byName := map[string]nodeFigures{}
	for n, f := range figures {
		byName[n.name] = f
	}
	list := []faultWitness{}
	for _, f := range faults {
		w := faultWitness{
			ID: f.spec.ID, Kind: f.spec.Kind, State: phaseNames[f.phase.Load()],
			PerNode: map[string]*countsReport{}, Instants: map[string]affectedInstants{},
		}
		for n, bindings := range f.bindings {
			r := &countsReport{}
			for _, b := range bindings {
				b.report(r)
			}
			r.setFigures(figures[n].minus(f.base[n]))
			w.PerNode[n.name] = r
			w.Instants[n.name] = affectedInstants{r.firstNs, r.lastNs}
		}
		list = append(list, w)
	}
	slices.SortFunc(list, func(x, y faultWitness) int { return strings.Compare(x.ID, y.ID) })
	return list, byName, err
}

// figuresOf reads the counters of many nodes side by side.
func (a *agent) figuresOf(nodes []*node) (map[*node]nodeFigures, error) {
	list, err := gather(ruleChangesAtOnce, nodes, func(n *node) (nodeFigures, error) { return n.figures(), nil })
	figures := map[*node]nodeFigures{}
	for i, n := range nodes {
		figures[n] = list[i]
	}
	return figures, err
}

func (b *binding) report(r *countsReport) {
	b.lane.mu.Lock()
	defer b.lane.mu.Unlock()
	r.add(&b.counts, b.lane.dir)
	if b.lane.dir == inbound {
		r.WaitingIn += b.kept
	} else {
		r.WaitingOut += b.kept
	}
}

func (r *countsReport) setFigures(f nodeFigures) {
	r.Enobufs = f.Enobufs
	r.KernelDropped = f.KernelDropped
	r.VerdictErrors = f.VerdictErrors
	r.UdpRcvbufErrors = f.UdpRcvbufErrors
	r.UdpInErrors = f.UdpInErrors
	r.UdpInCsumErrors = f.UdpInCsumErrors
}

// faultState is a fault as the snapshot shows it.
type faultState struct {
	ID        string   `json:"id"`
	Kind      string   `json:"kind"`
	State     string   `json:"state"`
	Nodes     []string `json:"nodes"`
	AppliedNs int64    `json:"appliedNs,omitempty"`
	LiftedNs  int64    `json:"liftedNs,omitempty"`
	DrainedNs int64    `json:"drainedNs,omitempty"`
	Waiting   uint64   `json:"waiting"`
}

func (f *fault) state() faultState {
	s := faultState{
		ID: f.spec.ID, Kind: f.spec.Kind, State: phaseNames[f.phase.Load()], Nodes: names(f.nodes),
		AppliedNs: f.appliedNs.Load(), LiftedNs: f.liftedNs.Load(), DrainedNs: f.drainedNs.Load(),
	}
	for _, bindings := range f.bindings {
		for _, b := range bindings {
			b.lane.mu.Lock()
			s.Waiting += b.kept
			b.lane.mu.Unlock()
		}
	}
	return s
}

// nodeState is a node as the snapshot shows it; tables and queues are read
// back from the kernel.
type nodeState struct {
	Name      string        `json:"name"`
	Pid       int           `json:"pid"`
	StartTime uint64        `json:"startTime"`
	IP        string        `json:"ip"`
	Running   bool          `json:"running"`
	Tables    []string      `json:"tables"`
	Queues    []kernelQueue `json:"queues"`
	Waiting   int           `json:"waiting"`
	Figures   nodeFigures   `json:"figures"`
	Error     string        `json:"error,omitempty"`
}

func (n *node) state() nodeState {
	s := nodeState{
		Name: n.name, Pid: n.pid, StartTime: n.startTime, IP: n.ip(), Running: n.running(),
		Tables: []string{}, Queues: []kernelQueue{}, Figures: n.figures(),
	}
	for _, l := range n.lanes {
		s.Waiting += l.waitingNow()
	}
	err := n.withNamespace(func(nsFd int) (err error) {
		if s.Tables, err = ourTables(nsFd); err != nil {
			return err
		}
		return inNamespace(nsFd, func() error {
			queues, err := readKernelQueues()
			for _, num := range []uint16{queueIn, queueOut} {
				if q, bound := queues[num]; bound {
					s.Queues = append(s.Queues, q)
				}
			}
			return err
		})
	})
	if err != nil {
		s.Error = err.Error()
	}
	return s
}
