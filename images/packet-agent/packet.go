package main

import (
	"encoding/binary"
	"net/netip"

	"golang.org/x/sys/unix"
)

// packet is one IPv4 packet as a queue handed it over.
type packet struct {
	id   uint32 // the kernel's number, for the verdict
	mark uint32
	data []byte // from the IP header on; may be cut to the copy range
	size int    // bytes of the whole packet

	src, dst     netip.Addr
	protocol     byte
	sport, dport uint16 // 0 when unknown: not UDP or TCP, or a later fragment
	fragment     bool   // a fragment other than the first
	syn          bool   // TCP SYN without ACK: a connection attempt
	ipID         uint16
}

// decode reads one message of the queue; false when it holds no packet.
func (p *packet) decode(body []byte) bool {
	*p = packet{}
	if len(body) < 4 {
		return false
	}
	found := false
	for b := body[4:]; len(b) >= 4; {
		length := int(binary.NativeEndian.Uint16(b))
		if length < 4 || length > len(b) {
			break
		}
		value := b[4:length]
		switch binary.NativeEndian.Uint16(b[2:]) & 0x3fff {
		case nfqAttrPacketHdr:
			if len(value) >= 4 {
				p.id = binary.BigEndian.Uint32(value)
				found = true
			}
		case nfqAttrMark:
			if len(value) >= 4 {
				p.mark = binary.BigEndian.Uint32(value)
			}
		case nfqAttrPayload:
			p.data = value
		case nfqAttrCapLen:
			if len(value) >= 4 {
				p.size = int(binary.BigEndian.Uint32(value))
			}
		}
		b = b[min((length+3)&^3, len(b)):]
	}
	if p.size == 0 {
		p.size = len(p.data)
	}
	p.parse()
	return found
}

// parse reads addresses and ports; a packet too short for them keeps zeros.
func (p *packet) parse() {
	d := p.data
	if len(d) < 20 || d[0]>>4 != 4 {
		return
	}
	p.protocol = d[9]
	p.ipID = binary.BigEndian.Uint16(d[4:])
	p.src = netip.AddrFrom4([4]byte(d[12:16]))
	p.dst = netip.AddrFrom4([4]byte(d[16:20]))
	if binary.BigEndian.Uint16(d[6:])&0x1fff != 0 {
		p.fragment = true
		return
	}
	t := p.transport()
	if (p.protocol != unix.IPPROTO_UDP && p.protocol != unix.IPPROTO_TCP) || len(t) < 4 {
		return
	}
	p.sport = binary.BigEndian.Uint16(t)
	p.dport = binary.BigEndian.Uint16(t[2:])
	if p.protocol == unix.IPPROTO_TCP && len(t) >= 14 {
		p.syn = t[13]&0x12 == 0x02
	}
}

// transport is what follows the IP header, as far as it was copied.
func (p *packet) transport() []byte {
	if len(p.data) == 0 {
		return nil
	}
	header := int(p.data[0]&0x0f) * 4
	if header < 20 || header > len(p.data) {
		return nil
	}
	return p.data[header:]
}

// tcpPayload is how many bytes a TCP segment carries; 0 for anything else and
// for later fragments.
func (p *packet) tcpPayload() int {
	t := p.transport()
	if p.protocol != unix.IPPROTO_TCP || p.fragment || len(t) < 13 {
		return 0
	}
	headers := len(p.data) - len(t) + int(t[12]>>4)*4
	return max(0, p.size-headers)
}
