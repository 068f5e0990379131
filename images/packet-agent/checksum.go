package main

import (
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// onesSum adds 16-bit words in one's complement (RFC 1071).
func onesSum(sum uint32, b []byte) uint32 {
	for ; len(b) >= 2; b = b[2:] {
		sum += uint32(binary.BigEndian.Uint16(b))
	}
	if len(b) == 1 {
		sum += uint32(b[0]) << 8
	}
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	return sum
}

// transportChecksum computes the checksum of an unfragmented UDP or TCP
// segment t, whose own checksum field must be zero, under its IP header.
func transportChecksum(ip, t []byte) uint16 {
	sum := onesSum(0, ip[12:20])
	sum = onesSum(sum+uint32(ip[9])+uint32(len(t)), t)
	return ^uint16(sum)
}

// checksumOffset is where the transport's checksum lies, or -1.
func checksumOffset(protocol byte) int {
	switch protocol {
	case unix.IPPROTO_UDP:
		return 6
	case unix.IPPROTO_TCP:
		return 16
	case unix.IPPROTO_ICMP:
		return 2
	}
	return -1
}

// repairChecksum makes the transport's checksum right again. A UDP datagram
// without a checksum stays without.
func repairChecksum(ip, t []byte) bool {
	at := checksumOffset(ip[9])
	if at < 0 || len(t) < at+2 {
		return false
	}
	field := t[at : at+2]
	if ip[9] == unix.IPPROTO_UDP && field[0] == 0 && field[1] == 0 {
		return true
	}
	field[0], field[1] = 0, 0
	sum := uint16(0)
	if ip[9] == unix.IPPROTO_ICMP {
		sum = ^uint16(onesSum(0, t))
	} else if sum = transportChecksum(ip, t); sum == 0 && ip[9] == unix.IPPROTO_UDP {
		sum = 0xffff
	}
	binary.BigEndian.PutUint16(field, sum)
	return true
}
