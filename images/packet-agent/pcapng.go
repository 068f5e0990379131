package main

import (
	"encoding/binary"
	"math"

	"golang.org/x/sys/unix"
)

// Blocks of the pcapng file format (draft-ietf-opsawg-pcapng), little-endian.
// A library would double this program, and the ones there are do not write the
// direction of a packet.
const (
	pcapngSection    = 0x0a0d0d0a
	pcapngInterface  = 1
	pcapngStatistics = 5
	pcapngPacket     = 6

	pcapngMagic = 0x1a2b3c4d

	optionEnd         = 0
	optionComment     = 1
	optionApplication = 4 // of a section
	optionName        = 2 // of an interface
	optionResolution  = 9 // of an interface
	optionFlags       = 2 // of a packet
	optionReceived    = 4 // of statistics
	optionDropped     = 5 // of statistics
	resolutionNanos   = 9
	flagInbound       = 1
	flagOutbound      = 2
	// Around a packet: header, direction with the end of options, length again.
	packetOverheadBytes = 28 + 12 + 4
	statisticsBytes     = 20 + 12 + 12 + 4 + 4
	// interfaceBytes is the most of one: names have up to 15 bytes.
	interfaceBytes = 16 + 20 + 8 + 4 + 4

	linkEthernet = 1
	linkRawIP    = 101
)

// linkOf is how the packets of an interface begin: those without hardware of
// their own (tunnels) have no header before that of IP.
func linkOf(hardware uint16) uint16 {
	if hardware == unix.ARPHRD_ETHER {
		return linkEthernet
	}
	return linkRawIP
}

// pcapngBlock appends one block whose body fill writes.
func pcapngBlock(b []byte, kind uint32, fill func([]byte) []byte) []byte {
	start := len(b)
	b = binary.LittleEndian.AppendUint32(b, kind)
	b = binary.LittleEndian.AppendUint32(b, 0)
	b = fill(b)
	total := uint32(len(b) - start + 4)
	binary.LittleEndian.PutUint32(b[start+4:], total)
	return binary.LittleEndian.AppendUint32(b, total)
}

func pcapngOption(b []byte, code uint16, value []byte) []byte {
	b = binary.LittleEndian.AppendUint16(b, code)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(value)))
	return padded(append(b, value...), len(value))
}

// padded fills up to 32 bits what was n bytes long.
func padded(b []byte, n int) []byte { return append(b, make([]byte, -n&3)...) }

func endOfOptions(b []byte) []byte { return binary.LittleEndian.AppendUint32(b, optionEnd) }

// appendSection begins a file.
func appendSection(b []byte, application, comment string) []byte {
	return pcapngBlock(b, pcapngSection, func(b []byte) []byte {
		b = binary.LittleEndian.AppendUint32(b, pcapngMagic)
		b = binary.LittleEndian.AppendUint16(b, 1) // version 1.0
		b = binary.LittleEndian.AppendUint16(b, 0)
		b = binary.LittleEndian.AppendUint64(b, math.MaxUint64) // the section's length is not known yet
		b = pcapngOption(b, optionComment, []byte(comment))
		b = pcapngOption(b, optionApplication, []byte(application))
		return endOfOptions(b)
	})
}

// appendInterface describes the next interface; packets name them by number,
// from 0 in the order of their blocks.
func appendInterface(b []byte, name string, link uint16, snapBytes int) []byte {
	return pcapngBlock(b, pcapngInterface, func(b []byte) []byte {
		b = binary.LittleEndian.AppendUint16(b, link)
		b = binary.LittleEndian.AppendUint16(b, 0)
		b = binary.LittleEndian.AppendUint32(b, uint32(snapBytes))
		b = pcapngOption(b, optionName, []byte(name))
		b = pcapngOption(b, optionResolution, []byte{resolutionNanos})
		return endOfOptions(b)
	})
}

// packetBytes is what appendPacket takes in a file.
func packetBytes(kept int) int { return packetOverheadBytes + (kept+3)&^3 }

func appendPacket(b []byte, number uint32, f frame) []byte {
	return pcapngBlock(b, pcapngPacket, func(b []byte) []byte {
		b = appendPcapngTime(binary.LittleEndian.AppendUint32(b, number), f.utcNs)
		b = binary.LittleEndian.AppendUint32(b, uint32(len(f.data)))
		b = binary.LittleEndian.AppendUint32(b, f.length)
		b = padded(append(b, f.data...), len(f.data))
		direction := uint32(flagInbound)
		if f.outbound {
			direction = flagOutbound
		}
		b = pcapngOption(b, optionFlags, binary.LittleEndian.AppendUint32(nil, direction))
		return endOfOptions(b)
	})
}

// appendStatistics says what the kernel saw and had no room for.
func appendStatistics(b []byte, number uint32, utcNs uint64, s ringStatistics) []byte {
	return pcapngBlock(b, pcapngStatistics, func(b []byte) []byte {
		b = appendPcapngTime(binary.LittleEndian.AppendUint32(b, number), utcNs)
		b = pcapngOption(b, optionReceived, binary.LittleEndian.AppendUint64(nil, s.seen))
		b = pcapngOption(b, optionDropped, binary.LittleEndian.AppendUint64(nil, s.dropped))
		return endOfOptions(b)
	})
}

func appendPcapngTime(b []byte, utcNs uint64) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(utcNs>>32))
	return binary.LittleEndian.AppendUint32(b, uint32(utcNs))
}
