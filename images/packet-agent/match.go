package main

import (
	"net/netip"
	"slices"
)

// matcher selects the packets that a fault is about. The peer of a packet is
// its source when inbound and its destination when outbound; a port matches at
// either end.
type matcher struct {
	protocol byte // 0 = every protocol
	peers    peerSet
	except   peerSet
	ports    []uint16
}

func (m *matcher) matches(p *packet, peer netip.Addr) bool {
	if m.protocol != 0 && m.protocol != p.protocol {
		return false
	}
	if !m.peers.empty() && !m.peers.contains(peer) {
		return false
	}
	if !m.except.empty() && m.except.contains(peer) {
		return false
	}
	return len(m.ports) == 0 || slices.Contains(m.ports, p.sport) || slices.Contains(m.ports, p.dport)
}

// peerSet is a set of addresses: single ones by lookup, ranges one by one.
type peerSet struct {
	single map[netip.Addr]struct{}
	ranges []netip.Prefix
}

func (s *peerSet) add(prefix netip.Prefix) {
	if !prefix.IsSingleIP() {
		s.ranges = append(s.ranges, prefix)
		return
	}
	if s.single == nil {
		s.single = map[netip.Addr]struct{}{}
	}
	s.single[prefix.Addr()] = struct{}{}
}

func (s *peerSet) empty() bool { return len(s.single) == 0 && len(s.ranges) == 0 }

func (s *peerSet) contains(addr netip.Addr) bool {
	if _, found := s.single[addr]; found {
		return true
	}
	return slices.ContainsFunc(s.ranges, func(r netip.Prefix) bool { return r.Contains(addr) })
}

// fragmentPorts remembers the ports of first fragments, so that the later
// fragments of a datagram, which carry none, meet the same faults.
type fragmentPorts struct{ seen map[fragmentKey][2]uint16 }

type fragmentKey struct {
	src, dst netip.Addr
	id       uint16
	protocol byte
}

// fragmentPortsMax bounds the memory; the oldest are not worth tracking.
const fragmentPortsMax = 4096

// complete fills in the ports of a later fragment, or learns from a first one.
func (f *fragmentPorts) complete(p *packet) {
	if len(p.data) < 20 {
		return
	}
	first := !p.fragment && p.data[6]&0x20 != 0
	if !p.fragment && !first {
		return
	}
	key := fragmentKey{p.src, p.dst, p.ipID, p.protocol}
	if p.fragment {
		ports := f.seen[key]
		p.sport, p.dport = ports[0], ports[1]
		return
	}
	if f.seen == nil || len(f.seen) >= fragmentPortsMax {
		f.seen = map[fragmentKey][2]uint16{}
	}
	f.seen[key] = [2]uint16{p.sport, p.dport}
}
