package main

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// ipv4 makes a packet with a right header around a transport segment.
func ipv4(protocol byte, segment []byte) []byte {
	b := make([]byte, 20, 20+len(segment))
	b[0], b[8], b[9] = 0x45, 64, protocol
	binary.BigEndian.PutUint16(b[2:], uint16(20+len(segment)))
	binary.BigEndian.PutUint16(b[4:], 0x1234)
	copy(b[12:], []byte{198, 18, 200, 2, 198, 18, 200, 3})
	return append(b, segment...)
}

func udpSegment(payload string) []byte {
	b := make([]byte, 8)
	binary.BigEndian.PutUint16(b, 4000)
	binary.BigEndian.PutUint16(b[2:], 7000)
	binary.BigEndian.PutUint16(b[4:], uint16(8+len(payload)))
	return append(b, payload...)
}

func TestARepairedChecksumAddsUp(t *testing.T) {
	tcp := append(make([]byte, 12), 0x50, 0x10, 0, 0, 0, 0, 0, 0)
	for name, packet := range map[string][]byte{
		"UDP of even length": ipv4(unix.IPPROTO_UDP, udpSegment("abcd")),
		"UDP of odd length":  ipv4(unix.IPPROTO_UDP, udpSegment("abcde")),
		"TCP":                ipv4(unix.IPPROTO_TCP, append(tcp, "hello"...)),
	} {
		t.Run(name, func(t *testing.T) {
			ip, segment := packet[:20], packet[20:]
			at := checksumOffset(ip[9])
			segment[at] = 1 // not zero: there is a checksum
			if !repairChecksum(ip, segment) {
				t.Fatal("not repaired")
			}
			// A right segment sums to all ones with its checksum in place.
			sum := onesSum(0, ip[12:20])
			if sum = onesSum(sum+uint32(ip[9])+uint32(len(segment)), segment); sum != 0xffff {
				t.Fatalf("sums to %#x; expected 0xffff", sum)
			}
			breakChecksum(ip, segment)
			sum = onesSum(0, ip[12:20])
			if sum = onesSum(sum+uint32(ip[9])+uint32(len(segment)), segment); sum == 0xffff {
				t.Fatal("the broken checksum is right")
			}
		})
	}
}

func TestTheBytesOfATcpSegmentAreWhatFollowsItsOptions(t *testing.T) {
	header := append(make([]byte, 12), 0x60, 0x10, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1) // four bytes of options
	whole := ipv4(unix.IPPROTO_TCP, append(header, "hello"...))
	later := bytes.Clone(whole)
	binary.BigEndian.PutUint16(later[6:], 100)
	for name, one := range map[string]struct {
		data       []byte
		size, want int
	}{
		"copied whole":         {whole, len(whole), 5},
		"cut after its header": {whole[:44], 1044, 1000},
		"without payload":      {whole[:44], 44, 0},
		"a later fragment":     {later, len(later), 0},
		"UDP":                  {ipv4(unix.IPPROTO_UDP, udpSegment("hello")), 33, 0},
		"cut too short":        {whole[:30], len(whole), 0},
	} {
		p := packet{data: one.data, size: one.size}
		p.parse()
		if got := p.tcpPayload(); got != one.want {
			t.Errorf("%s: %d bytes; expected %d", name, got, one.want)
		}
	}
}

func TestAUdpDatagramWithoutAChecksumStaysWithoutUnlessItMustBeWrong(t *testing.T) {
	packet := ipv4(unix.IPPROTO_UDP, udpSegment("abcd"))
	if !repairChecksum(packet[:20], packet[20:]) || packet[26] != 0 || packet[27] != 0 {
		t.Fatal("a checksum was added")
	}
	breakChecksum(packet[:20], packet[20:])
	if packet[26] == 0 && packet[27] == 0 {
		t.Fatal("no checksum means that none is looked at; expected a wrong one")
	}
}

func TestFragmentsCoverThePacket(t *testing.T) {
	payload := bytes.Repeat([]byte("0123456789"), 500)
	packet := ipv4(unix.IPPROTO_UDP, payload)
	for _, mtu := range []int{68, 576, 1500, 4999} {
		parts, err := fragmentPacket(packet, mtu)
		if err != nil {
			t.Fatal(err)
		}
		var whole []byte
		for i, part := range parts {
			if len(part) > mtu || int(binary.BigEndian.Uint16(part[2:])) != len(part) {
				t.Fatalf("mtu %d: fragment %d has %d bytes and says %d", mtu, i, len(part), binary.BigEndian.Uint16(part[2:]))
			}
			flags := binary.BigEndian.Uint16(part[6:])
			if int(flags&ipOffsetMask)*8 != len(whole) || (flags&ipMoreFragments != 0) != (i < len(parts)-1) {
				t.Fatalf("mtu %d: fragment %d has offset and flags %#x at %d bytes", mtu, i, flags, len(whole))
			}
			whole = append(whole, part[20:]...)
		}
		if !bytes.Equal(whole, payload) {
			t.Fatalf("mtu %d: the fragments do not make the packet", mtu)
		}
	}
	binary.BigEndian.PutUint16(packet[6:], ipDontFragment)
	if _, err := fragmentPacket(packet, 1500); err == nil {
		t.Fatal("a packet that must not be fragmented was")
	}
}

func TestAFragmentIsCutFurtherAtItsPlace(t *testing.T) {
	packet := ipv4(unix.IPPROTO_UDP, make([]byte, 160))
	binary.BigEndian.PutUint16(packet[6:], ipMoreFragments|100)
	parts, err := fragmentPacket(packet, 100)
	if err != nil || len(parts) != 2 {
		t.Fatalf("%d parts, %v; expected 2", len(parts), err)
	}
	for i, want := range []uint16{ipMoreFragments | 100, ipMoreFragments | 110} {
		if flags := binary.BigEndian.Uint16(parts[i][6:]); flags != want {
			t.Fatalf("part %d has %#x; expected %#x", i, flags, want)
		}
	}
}

func TestQuantilesAreRightToATwelfth(t *testing.T) {
	h := &histogram{}
	for v := int64(1); v <= 10_000; v++ {
		h.add(v * 1000)
	}
	for _, q := range []float64{0, 0.01, 0.5, 0.9, 0.99, 1} {
		want := max(1, q*10_000) * 1000
		if got := float64(h.quantile(q)); got < want*11/12 || got > want*13/12 {
			t.Errorf("quantile %v is %v; expected about %v", q, got, want)
		}
	}
	if h.maxNs != 10_000_000 {
		t.Errorf("maximum %d; expected it exact", h.maxNs)
	}
	other := &histogram{}
	other.merge(h)
	other.merge(h)
	if other.total != 20_000 || other.quantile(0.5) != h.quantile(0.5) {
		t.Errorf("merged: %d values, median %d", other.total, other.quantile(0.5))
	}
}

func TestEveryDurationHasABucket(t *testing.T) {
	last := -1
	for _, v := range []uint64{0, 1, 15, 16, 17, 31, 32, 1 << 20, 1<<20 + 1<<16, 1<<63 - 1, 1<<64 - 1} {
		bucket := bucketOf(v)
		if bucket < last || bucket >= len(histogram{}.counts) {
			t.Fatalf("%d falls into bucket %d after %d", v, bucket, last)
		}
		last = bucket
	}
}

func TestAHeldListLetsGoInOrderWhileItGrows(t *testing.T) {
	var h heldList
	for i := range 10 {
		h.add(item{id: uint32(i), holders: 1 | uint64(i%2)<<1}) // odd ones have a second holder
	}
	ids := func(items []item) (list []uint32) {
		for _, it := range items {
			list = append(list, it.id)
		}
		return list
	}
	first, at := h.take(1, 0, 4)
	h.add(item{id: 10, holders: 1})
	second, at := h.take(1, at, 100)
	if got := append(ids(first), ids(second)...); !slices.Equal(got, []uint32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}) {
		t.Fatalf("cleared %v", got)
	}
	if h.len() != 5 {
		t.Fatalf("%d are left; expected the five with a second holder", h.len())
	}
	rest, _ := h.take(2, 0, 100)
	if !slices.Equal(ids(rest), []uint32{1, 3, 5, 7, 9}) || h.len() != 0 || len(h.items) != 0 {
		t.Fatalf("cleared %v, %d left in %d places", ids(rest), h.len(), len(h.items))
	}
	if none, _ := h.take(1, at, 100); len(none) != 0 {
		t.Fatalf("%d more; expected the end", len(none))
	}
}

func TestStreamsDifferByNodeDirectionAndKindAndRepeatBySeed(t *testing.T) {
	draw := func(seed, kind, node string, dir direction) float64 {
		return newStream([]byte(seed), kind, node, dir).Float64()
	}
	base := draw("1", "loss", "a", inbound)
	if draw("1", "loss", "a", inbound) != base {
		t.Fatal("the same stream differs")
	}
	for name, other := range map[string]float64{
		"seed": draw("2", "loss", "a", inbound), "kind": draw("1", "delay", "a", inbound),
		"node": draw("1", "loss", "b", inbound), "direction": draw("1", "loss", "a", outbound),
	} {
		if other == base {
			t.Errorf("another %s draws the same", name)
		}
	}
}

func TestTheKernelsTablesAreRead(t *testing.T) {
	queues, err := parseKernelQueues("23056  12345   3 2 65531     7     8  900  1\n23057 -5 0 2 128 0 0 1 1\n")
	if err == nil {
		t.Fatalf("a negative number was taken: %v", queues)
	}
	queues, err = parseKernelQueues("23056 4294966001     3 2 65531     7     8      900  1\n")
	want := kernelQueue{Num: 23056, Total: 3, Dropped: 7, UserDropped: 8, Sequence: 900}
	if err != nil || queues[23056] != want {
		t.Fatalf("%+v, %v; expected %+v", queues, err, want)
	}
	counters, err := parseUdpCounters("Ip: A\nIp: 1\nUdp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors InCsumErrors\n" +
		"Udp: 1 2 3 4 5 6 7\n")
	if err != nil || counters != (udpCounters{InErrors: 3, RcvbufErrors: 5, SndbufErrors: 6, InCsumErrors: 7}) {
		t.Fatalf("%+v, %v", counters, err)
	}
	if _, err := parseUdpCounters("Tcp: A\n"); err == nil {
		t.Fatal("a table without UDP was taken")
	}
}

func TestAMatcherSelects(t *testing.T) {
	packet := func(protocol byte, segment []byte) *packet {
		p := &packet{data: ipv4(protocol, segment)}
		p.parse()
		return p
	}
	udp := packet(unix.IPPROTO_UDP, udpSegment("x"))
	syn := packet(unix.IPPROTO_TCP, append(make([]byte, 12), 0x50, 0x02, 0, 0, 0, 0, 0, 0))
	synAck := packet(unix.IPPROTO_TCP, append(make([]byte, 12), 0x50, 0x12, 0, 0, 0, 0, 0, 0))
	if !syn.syn || synAck.syn || udp.syn {
		t.Fatal("connection attempts are not told apart")
	}
	peers, err := parsePeers([]string{"198.18.200.3", "198.18.204.0/22"})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		m    matcher
		want bool
	}{
		"everything":         {matcher{}, true},
		"its protocol":       {matcher{protocol: unix.IPPROTO_UDP}, true},
		"another protocol":   {matcher{protocol: unix.IPPROTO_TCP}, false},
		"its peer":           {matcher{peers: peers}, true},
		"all but its peer":   {matcher{except: peers}, false},
		"its port":           {matcher{ports: []uint16{7000}}, true},
		"its own port":       {matcher{ports: []uint16{4000}}, true},
		"another port":       {matcher{ports: []uint16{9}}, false},
		"its peer, no port":  {matcher{peers: peers, ports: []uint16{9}}, false},
		"its port and peer":  {matcher{peers: peers, ports: []uint16{7000}}, true},
		"its port, not peer": {matcher{except: peers, ports: []uint16{7000}}, false},
	} {
		if got := c.m.matches(udp, udp.dst); got != c.want {
			t.Errorf("%s: %v; expected %v", name, got, c.want)
		}
	}
}

func TestATruncatedOrForeignPacketIsParsedWithoutHarm(t *testing.T) {
	whole := ipv4(unix.IPPROTO_TCP, make([]byte, 20))
	for n := range len(whole) {
		p := &packet{data: whole[:n]}
		p.parse()
	}
	for _, b := range [][]byte{{0x4f}, bytes.Repeat([]byte{0x4f}, 20), bytes.Repeat([]byte{0x40}, 40), bytes.Repeat([]byte{0x60}, 40)} {
		p := &packet{data: b}
		p.parse()
	}
}

func FuzzPacketDecode(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0, 8, 0, 1, 0, 0, 0, 0, 1})
	f.Fuzz(func(t *testing.T, body []byte) {
		var p packet
		p.decode(body)
		(&fragmentPorts{}).complete(&p)
	})
}
