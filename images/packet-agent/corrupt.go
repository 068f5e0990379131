package main

import (
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// corrupt flips one bit of the packet's payload; false when it has none to
// spare. Detected corruption leaves the transport's checksum wrong, so that
// the receiving kernel discards the packet; undetected corruption repairs it,
// so that the application reads wrong bytes. The IP header stays intact.
func (b *binding) corrupt(p *packet, it *item) bool {
	place, bit := b.rng.Uint64(), byte(1)<<b.rng.IntN(8)
	t := p.transport()
	if p.fragment || (len(p.data) >= 8 && p.data[6]&0x20 != 0) || t == nil {
		return false // the checksum of a fragment spans packets we do not have
	}
	detected := *b.fault.spec.Detected
	start := payloadStart(p.protocol, t)
	if start < 0 || len(p.data) < p.size {
		return false
	}
	if start >= len(t) && !detected {
		return false
	}
	if !it.changed {
		it.data = append([]byte(nil), p.data...)
		it.changed = true
	}
	header := len(it.data) - len(t)
	ip, segment := it.data[:header], it.data[header:]
	if body := segment[start:]; len(body) > 0 {
		body[place%uint64(len(body))] ^= bit
	}
	if !detected {
		return repairChecksum(ip, segment)
	}
	breakChecksum(ip, segment)
	return true
}

// payloadStart is where the application's bytes begin in a segment, or -1.
func payloadStart(protocol byte, t []byte) int {
	switch protocol {
	case unix.IPPROTO_UDP, unix.IPPROTO_ICMP:
		if len(t) >= 8 {
			return 8
		}
	case unix.IPPROTO_TCP:
		if len(t) >= 20 {
			if start := int(t[12]>>4) * 4; start >= 20 && start <= len(t) {
				return start
			}
		}
	}
	return -1
}

// breakChecksum makes the checksum wrong for the segment as it is now: also
// where there was no payload to flip, and where UDP carried none.
func breakChecksum(ip, t []byte) {
	at := checksumOffset(ip[9])
	field := t[at : at+2]
	if ip[9] == unix.IPPROTO_UDP && field[0] == 0 && field[1] == 0 {
		field[1] = 1 // as if one had been computed
	}
	repairChecksum(ip, t)
	right := binary.BigEndian.Uint16(field)
	wrong := right ^ 0x5555
	if wrong == 0 {
		wrong = right ^ 0x2222 // zero would say "none" in UDP
	}
	binary.BigEndian.PutUint16(field, wrong)
}
