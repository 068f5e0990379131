package main

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// faultSpec is a fault as the controller describes it. Fields that the kind
// does not use are refused, so that a misspelt fault never acts as another.
type faultSpec struct {
	ID          string          `json:"id"`
	Kind        string          `json:"kind"`
	Nodes       []string        `json:"nodes"`
	Direction   string          `json:"direction,omitempty"`
	Protocol    string          `json:"protocol,omitempty"`
	Peers       []string        `json:"peers,omitempty"`
	ExceptPeers []string        `json:"exceptPeers,omitempty"`
	Ports       []int           `json:"ports,omitempty"`
	Seed        json.RawMessage `json:"seed,omitempty"`

	UDP     string   `json:"udp,omitempty"`
	TCP     string   `json:"tcp,omitempty"`
	Other   string   `json:"other,omitempty"`
	PacePps *float64 `json:"pacePps,omitempty"`

	Ratio          *float64 `json:"ratio,omitempty"`
	DelayMs        *float64 `json:"delayMs,omitempty"`
	JitterMs       *float64 `json:"jitterMs,omitempty"`
	Reorder        *bool    `json:"reorder,omitempty"`
	Detected       *bool    `json:"detected,omitempty"`
	BytesPerSecond *float64 `json:"bytesPerSecond,omitempty"`
	BurstBytes     *float64 `json:"burstBytes,omitempty"`
	QueuePackets   *int     `json:"queuePackets,omitempty"`
}

// The kinds, in the order in which a packet meets them.
const (
	kindDrop      = "drop"
	kindBlackhole = "blackhole-connect"
	kindLoss      = "loss"
	kindCorrupt   = "corrupt"
	kindDuplicate = "duplicate"
	kindRate      = "rate"
	kindDelay     = "delay"
	kindReorder   = "reorder"
	kindHold      = "hold"
)

var pipelineOrder = []string{
	kindDrop, kindBlackhole, kindLoss, kindCorrupt, kindDuplicate, kindRate, kindDelay, kindReorder, kindHold,
}

// action is what a hold does to a protocol.
type action byte

const (
	actPass action = iota
	actHold
	actDrop
)

// phase of a fault. It is one word in memory that every packet reads: storing
// it applies or ends the fault on all its nodes at one instant.
type phase = int32

const (
	phaseArmed phase = iota
	phaseScheduled
	phaseApplied
	phaseLifting
	phaseLifted
)

var phaseNames = [...]string{"armed", "scheduled", "applied", "lifting", "lifted"}

// fault is a validated faultSpec and its state.
type fault struct {
	spec  faultSpec
	match matcher
	rank  int
	in    bool
	out   bool
	hold  struct{ udp, tcp, other action }

	phase     atomic.Int32
	appliedNs atomic.Int64
	liftedNs  atomic.Int64
	drainedNs atomic.Int64

	// bindings and base are fixed when the fault is armed.
	nodes    []*node
	bindings map[*node][]*binding
	base     map[*node]nodeFigures
	// over is closed when the fault has ended: drained, flipped, rules gone.
	over   chan struct{}
	report liftReport
}

// protocols is what the fault needs to see of a node's packets.
func (f *fault) protocols() protocolSet {
	switch f.spec.Protocol {
	case "udp":
		return protocolSet{udp: true}
	case "tcp":
		return protocolSet{tcp: true}
	}
	if f.spec.Kind == kindBlackhole {
		return protocolSet{tcp: true}
	}
	if f.spec.Kind == kindHold && f.hold.other == actPass {
		return protocolSet{udp: f.hold.udp != actPass, tcp: f.hold.tcp != actPass}
	}
	return protocolSet{all: true}
}

// holdAction is what a hold does to the packet's protocol.
func (f *fault) holdAction(protocol byte) action {
	switch protocol {
	case unix.IPPROTO_UDP:
		return f.hold.udp
	case unix.IPPROTO_TCP:
		return f.hold.tcp
	}
	return f.hold.other
}

func bad(spec *faultSpec, format string, args ...any) *opError {
	return fail("bad-fault", "fault %q (%s): %s", spec.ID, spec.Kind, fmt.Sprintf(format, args...))
}

// newFault validates a spec. Defaults: direction both, protocol all; a hold
// holds every protocol.
func newFault(spec faultSpec) (*fault, error) {
	f := &fault{spec: spec, rank: -1, over: make(chan struct{})}
	s := &f.spec
	if s.ID == "" {
		return nil, bad(s, "id is empty; expected a name unique among the armed faults")
	}
	for rank, kind := range pipelineOrder {
		if kind == s.Kind {
			f.rank = rank
		}
	}
	if f.rank < 0 {
		return nil, bad(s, "unknown kind; expected one of %s", strings.Join(pipelineOrder, ", "))
	}
	if len(s.Nodes) == 0 {
		return nil, bad(s, "no nodes; expected at least one, since a fault without a target tests nothing")
	}
	if s.Direction == "" {
		s.Direction = "both"
	}
	switch s.Direction {
	case "in", "out", "both":
		f.in, f.out = s.Direction != "out", s.Direction != "in"
	default:
		return nil, bad(s, "direction %q; expected in, out or both", s.Direction)
	}
	if s.Protocol == "" {
		s.Protocol = "all"
	}
	if err := f.fields(); err != nil {
		return nil, err
	}
	return f, f.matchFields()
}

func (f *fault) matchFields() error {
	s := &f.spec
	m := &f.match
	switch s.Protocol {
	case "udp":
		if s.Kind == kindBlackhole {
			return bad(s, "protocol is udp; expected tcp, since UDP has no connections")
		}
		m.protocol = unix.IPPROTO_UDP
	case "tcp":
		m.protocol = unix.IPPROTO_TCP
	case "all":
		if s.Kind == kindBlackhole {
			m.protocol = unix.IPPROTO_TCP
		}
	default:
		return bad(s, "protocol %q; expected udp, tcp or all", s.Protocol)
	}
	var err error
	if m.peers, err = parsePeers(s.Peers); err != nil {
		return bad(s, "peers: %v", err)
	}
	if m.except, err = parsePeers(s.ExceptPeers); err != nil {
		return bad(s, "exceptPeers: %v", err)
	}
	for _, port := range s.Ports {
		if port < 1 || port > 65535 {
			return bad(s, "port %d; expected 1 to 65535", port)
		}
		m.ports = append(m.ports, uint16(port))
	}
	return nil
}

func parsePeers(list []string) (peerSet, error) {
	var set peerSet
	for _, text := range list {
		if !strings.Contains(text, "/") {
			addr, err := netip.ParseAddr(text)
			if err != nil || !addr.Is4() {
				return peerSet{}, fmt.Errorf("%q is no IPv4 address or CIDR", text)
			}
			set.add(netip.PrefixFrom(addr, 32))
			continue
		}
		prefix, err := netip.ParsePrefix(text)
		if err != nil || !prefix.Addr().Is4() {
			return peerSet{}, fmt.Errorf("%q is no IPv4 address or CIDR", text)
		}
		set.add(prefix.Masked())
	}
	return set, nil
}
