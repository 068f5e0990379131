package main

import (
	"encoding/binary"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// captured is what a capture's end says and what was read of it.
type captured struct {
	reports map[string]captureReport
	files   map[string]*pcapngFile
}

func (c *controller) capture(fields map[string]any, nodes ...*testNode) {
	c.t.Helper()
	request := map[string]any{"nodes": nodeNames(nodes)}
	for k, v := range fields {
		request[k] = v
	}
	c.ask("capture", request)
}

func nodeNames(nodes []*testNode) (list []string) {
	for _, n := range nodes {
		list = append(list, n.name)
	}
	return list
}

// stopCapture stops, and reads what is left to its end.
func (c *controller) stopCapture() captured {
	c.t.Helper()
	var reports []captureReport
	if err := c.ask("capture-stop", nil).read("nodes", &reports); err != nil {
		c.t.Fatal(err)
	}
	got := captured{map[string]captureReport{}, map[string]*pcapngFile{}}
	for _, r := range reports {
		got.reports[r.Name] = r
	}
	bytes := map[string][]byte{}
	for ended := false; !ended; {
		ended = c.readCapture(bytes)
	}
	for name, b := range bytes {
		got.files[name] = parsePcapng(c.t, b)
		if r := got.reports[name]; r.Bytes != uint64(len(b)) || r.Packets != uint64(len(got.files[name].packets)) {
			c.t.Fatalf("%s: %d bytes, %d packets arrived; the agent says %+v", name, len(b), len(got.files[name].packets), r)
		}
	}
	return got
}

func (c *controller) readCapture(into map[string][]byte) (ended bool) {
	c.t.Helper()
	answer := c.ask("capture-read", map[string]any{"waitMs": 100})
	var pieces []struct {
		Node string
		Data []byte
	}
	if err := answer.read("pieces", &pieces); err != nil {
		c.t.Fatal(err)
	}
	for _, p := range pieces {
		into[p.Node] = append(into[p.Node], p.Data...)
	}
	if err := answer.read("ended", &ended); err != nil {
		c.t.Fatal(err)
	}
	return ended
}

// flow is the numbered datagrams of a file to a port, in one direction.
func (f *pcapngFile) flow(port int, outbound bool) (list []pcapngPacketRead) {
	for _, p := range f.packets {
		ip := p.data[14:]
		if p.outbound == outbound && len(ip) >= 32 && ip[0] == 0x45 && ip[9] == unix.IPPROTO_UDP &&
			int(binary.BigEndian.Uint16(ip[22:])) == port {
			p.number = int(binary.BigEndian.Uint32(ip[28:]))
			list = append(list, p)
		}
	}
	return list
}

func wantFlow(t testing.TB, list []pcapngPacketRead, from, count int) {
	t.Helper()
	var got []int
	for _, p := range list {
		got = append(got, p.number)
	}
	wantOrder(t, got, from, count)
}

func TestACaptureHasWhatANodeSendsAndReceivesWithDirectionAndTime(t *testing.T) {
	p := newPair(t)
	beganNs := monoNs()
	p.capture(nil, p.own)
	loopback := p.own.udpOn(t, "127.0.0.1")
	mustSend(t, loopback, loopback.LocalAddr().(*net.UDPAddr), 0, 20)
	mustSend(t, p.out, p.toPeer, 0, 300)
	mustSend(t, p.in, p.toOwn, 0, 200)
	wantSequence(t, p.outEnd, 0, 300)
	wantSequence(t, p.inEnd, 0, 200)
	got := p.stopCapture()
	file := got.files[p.own.name]
	wantFlow(t, file.flow(7000, true), 0, 300)
	wantFlow(t, file.flow(7001, false), 0, 200)
	if len(file.interfaces) != 1 || file.interfaces[0] != (pcapngInterfaceRead{"eth0", linkEthernet}) {
		t.Fatalf("interfaces %v; expected eth0 alone, since loopback is left out", file.interfaces)
	}
	for _, packet := range file.packets {
		if at := int64(packet.utcNs) - file.offsetUs*1000; at < beganNs-1e6 || at > monoNs()+1e6 {
			t.Fatalf("a packet at %d; expected it after %d, by the offset that the file states", at, beganNs)
		}
	}
	if r := got.reports[p.own.name]; r.KernelDropped+r.Unread+r.OverLimit != 0 || r.Error != "" {
		t.Fatalf("%+v; expected nothing lost", r)
	}
	if file.seen < uint64(len(file.packets)) || file.dropped != 0 {
		t.Fatalf("the file says %d seen, %d dropped; expected the %d packets in it", file.seen, file.dropped, len(file.packets))
	}
}

func TestACaptureIsWhatTheNetworkSeesOfAHold(t *testing.T) {
	p := newPair(t)
	p.capture(nil, p.own)
	p.inflict("h", "hold", nil)
	mustSend(t, p.out, p.toPeer, 0, 100)
	mustSend(t, p.in, p.toOwn, 0, 100)
	p.heldOut("h", 100)
	eventually(t, patience, "inbound is held", func() bool { return p.witness("h", p.own).HeldIn >= 100 })
	liftNs := monoNs()
	p.lift("h")
	wantSequence(t, p.outEnd, 0, 100)
	wantSequence(t, p.inEnd, 0, 100)
	file := p.stopCapture().files[p.own.name]
	out, in := file.flow(7000, true), file.flow(7001, false)
	wantFlow(t, out, 0, 100) // once, when they left
	wantFlow(t, in, 0, 100)  // once, when they came
	if first := int64(out[0].utcNs) - file.offsetUs*1000; first < liftNs-1e6 {
		t.Fatal("an outbound packet was seen while it was held; expected it at its release")
	}
	if last := int64(in[99].utcNs) - file.offsetUs*1000; last > liftNs+1e6 {
		t.Fatal("an inbound packet was seen at its release; expected it on arrival")
	}
}

func TestACaptureHasInboundDropsAndNoOutboundOnes(t *testing.T) {
	p := newPair(t)
	p.capture(nil, p.own)
	p.inflict("d", "drop", nil)
	mustSend(t, p.out, p.toPeer, 0, 100)
	mustSend(t, p.in, p.toOwn, 0, 100)
	p.judged("d", 200)
	file := p.stopCapture().files[p.own.name]
	wantFlow(t, file.flow(7001, false), 0, 100)
	wantFlow(t, file.flow(7000, true), 0, 0)
}

func TestACaptureCutsPacketsAndKeepsTheirLength(t *testing.T) {
	p := newPair(t)
	p.capture(map[string]any{"snapBytes": 64}, p.own)
	if _, err := p.out.WriteToUDP(make([]byte, 1000), p.toPeer); err != nil {
		t.Fatal(err)
	}
	if got := len(arrivals(p.outEnd, 1)); got != 1 {
		t.Fatalf("%d datagrams arrived; expected 1", got)
	}
	flow := p.stopCapture().files[p.own.name].flow(7000, true)
	if len(flow) != 1 || len(flow[0].data) != 64 || flow[0].length != 14+20+8+1000 {
		t.Fatalf("%d packets, %+v; expected one of 1042 bytes, cut to 64", len(flow), flow)
	}
}

func TestAFileEndsAtItsLimitAndTheRestIsCounted(t *testing.T) {
	p := newPair(t)
	const limit = 8 << 10
	p.capture(map[string]any{"fileBytes": limit}, p.own)
	mustSend(t, p.out, p.toPeer, 0, 500)
	wantSequence(t, p.outEnd, 0, 500)
	got := p.stopCapture()
	flow, r := got.files[p.own.name].flow(7000, true), got.reports[p.own.name]
	wantFlow(t, flow, 0, len(flow))
	if len(flow) == 0 || r.Bytes > limit || uint64(len(flow))+r.OverLimit < 500 {
		t.Fatalf("%d in the file, %+v; expected a full file and the others counted", len(flow), r)
	}
}

func TestAControllerThatDoesNotReadLosesPacketsAndDelaysNoFault(t *testing.T) {
	p := newPair(t)
	p.capture(map[string]any{"holdBytes": captureAnswerMinBytes}, p.own)
	const count = 4000 // twice what is held
	mustSend(t, p.out, p.toPeer, 0, count)
	wantSequence(t, p.outEnd, 0, count)
	p.inflict("d", "drop", nil)
	mustSend(t, p.out, p.toPeer, count, 10)
	p.judged("d", 10)
	p.lift("d")
	got := p.stopCapture()
	flow, r := got.files[p.own.name].flow(7000, true), got.reports[p.own.name]
	if r.Unread == 0 || r.KernelDropped != 0 || uint64(len(flow))+r.Unread < count {
		t.Fatalf("%d in the file, %+v; expected the others counted as unread", len(flow), r)
	}
}

func TestWhatThePausedAgentHasNoRoomForIsCountedByTheKernel(t *testing.T) {
	p := newPair(t)
	p.capture(nil, p.own)
	if err := p.cmd.Process.Signal(unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	const count = 8000 // of some 150 bytes in the ring
	mustSend(t, p.out, p.toPeer, 0, count)
	wantSequence(t, p.outEnd, 0, count)
	if err := p.cmd.Process.Signal(unix.SIGCONT); err != nil {
		t.Fatal(err)
	}
	got := p.stopCapture()
	file, r := got.files[p.own.name], got.reports[p.own.name]
	flow := file.flow(7000, true)
	if len(flow) == 0 || r.KernelDropped == 0 || uint64(len(flow))+r.KernelDropped < count || file.dropped != r.KernelDropped {
		t.Fatalf("%d in the file, which says %d dropped, %+v; expected the others counted by the kernel", len(flow), file.dropped, r)
	}
}

func TestWhatIsReadWhileItIsCapturedIsOneFile(t *testing.T) {
	p := newPair(t)
	p.capture(nil, p.own)
	bytes := map[string][]byte{}
	for from := 0; from < 500; from += 100 {
		mustSend(t, p.out, p.toPeer, from, 100)
		wantSequence(t, p.outEnd, from, 100)
		p.readCapture(bytes)
	}
	p.ask("capture-stop", nil)
	for ended := false; !ended; {
		ended = p.readCapture(bytes)
	}
	wantFlow(t, parsePcapng(t, bytes[p.own.name]).flow(7000, true), 0, 500)
	if code := p.refused("capture-read", nil); code != "no-capture" {
		t.Fatalf("refused with %s; expected no-capture after its end", code)
	}
}

func TestACaptureFollowsANodeThatIsStartedAgain(t *testing.T) {
	b := newBed(t, 2)
	first, peer := b.nodes[0], b.nodes[1]
	c := startAgent(t, first)
	c.capture(nil, first)
	sink := peer.udp(t, 7000)
	mustSend(t, first.udp(t, 0), peer.addr(7000), 0, 50)
	wantSequence(t, sink, 0, 50)
	first.stop()
	c.event("namespace-gone", "", patience)
	b.add(9)
	again := b.nodes[2]
	again.name = first.name
	c.enroll(again)
	mustSend(t, again.udp(t, 0), peer.addr(7000), 50, 50)
	wantSequence(t, sink, 50, 50)
	file := c.stopCapture().files[first.name]
	wantFlow(t, file.flow(7000, true), 0, 100)
	if len(file.interfaces) != 2 {
		t.Fatalf("interfaces %v; expected one of each life", file.interfaces)
	}
}

func TestACaptureOfManyNodesIsAFileEach(t *testing.T) {
	b := newBed(t, 8)
	c := startAgent(t, b.nodes...)
	c.capture(nil, b.nodes...)
	for i, n := range b.nodes {
		sink := b.nodes[(i+1)%8]
		end := sink.udp(t, 7000+i)
		mustSend(t, n.udp(t, 0), sink.addr(7000+i), 0, 20)
		wantSequence(t, end, 0, 20)
	}
	got := c.stopCapture()
	for i, n := range b.nodes {
		wantFlow(t, got.files[n.name].flow(7000+i, true), 0, 20)
		wantFlow(t, got.files[b.nodes[(i+1)%8].name].flow(7000+i, false), 0, 20)
	}
}

func TestAStoppedCaptureLeavesNoSocketAndMakesRoomForTheNext(t *testing.T) {
	p := newPair(t)
	for range 2 {
		p.capture(nil, p.own)
		if sockets := packetSockets(t, p.own); sockets != 1 {
			t.Fatalf("%d packet sockets; expected one", sockets)
		}
		p.ask("capture-stop", nil) // and nothing is read
		if sockets := packetSockets(t, p.own); sockets != 0 {
			t.Fatalf("%d packet sockets are left; expected none", sockets)
		}
	}
	p.capture(nil, p.own)
	p.ask("release", map[string]any{"nodes": []string{p.own.name}})
	if sockets := packetSockets(t, p.own); sockets != 0 {
		t.Fatalf("%d packet sockets are left at a released node; expected none", sockets)
	}
	p.close() // a running capture does not keep the agent
}

// packetSockets counts those of the namespace, by the kernel's list.
func packetSockets(t testing.TB, n *testNode) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/packet", n.pid()))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(strings.TrimSpace(string(text)), "\n")
}

func TestACaptureRefusesWhatItCannotDo(t *testing.T) {
	p := newPair(t)
	own := []string{p.own.name}
	for _, c := range []struct {
		op     string
		fields map[string]any
		code   string
	}{
		{"capture", map[string]any{"nodes": []string{}}, "bad-request"},
		{"capture", map[string]any{"nodes": []string{"b-1"}}, "unknown-node"},
		{"capture", map[string]any{"nodes": append(own, own...)}, "bad-request"},
		{"capture", map[string]any{"nodes": own, "snapBytes": 10}, "bad-request"},
		{"capture", map[string]any{"nodes": own, "fileBytes": -1}, "bad-request"},
		{"capture-read", nil, "no-capture"},
		{"capture-read", map[string]any{"maxBytes": 1}, "bad-request"},
		{"capture-read", map[string]any{"waitMs": -1}, "bad-request"},
		{"capture-stop", nil, "no-capture"},
	} {
		if code := p.refused(c.op, c.fields); code != c.code {
			t.Errorf("%s %v was refused with %s; expected %s", c.op, c.fields, code, c.code)
		}
	}
	p.capture(nil, p.own)
	if code := p.refused("capture", map[string]any{"nodes": own}); code != "capture-running" {
		t.Errorf("a second capture was refused with %s; expected capture-running", code)
	}
}

// TestADamagedBlockIsReadAsFarAsItGoes: the ring is memory that the kernel
// writes, and nothing that stands in it may be read beyond it.
func TestADamagedBlockIsReadAsFarAsItGoes(t *testing.T) {
	for _, c := range []struct {
		name                   string
		first, next, mac, kept uint32
		want                   int
	}{
		{"whole", 48, 0, 96, 100, 1},
		{"first packet outside", 4090, 0, 96, 100, 0},
		{"first packet far outside", 1 << 31, 0, 96, 100, 0},
		{"data outside", 48, 0, 96, 4096, 0},
		{"length wraps", 48, 0, 96, 1<<32 - 1, 0},
		{"next outside", 48, 4090, 96, 100, 1},
	} {
		block := make([]byte, 4096)
		binary.NativeEndian.PutUint32(block[blockPacketsAt:], 3)
		binary.NativeEndian.PutUint32(block[blockFirstAt:], c.first)
		if int(c.first)+frameEnd < len(block) {
			head := block[c.first:]
			binary.NativeEndian.PutUint32(head[frameNextAt:], c.next)
			binary.NativeEndian.PutUint16(head[frameMacAt:], uint16(c.mac))
			binary.NativeEndian.PutUint32(head[frameKeptAt:], c.kept)
		}
		got := 0
		readBlock(block, func(f frame) { got++ })
		if got != c.want {
			t.Errorf("%s: %d packets; expected %d", c.name, got, c.want)
		}
	}
}

// pcapngFile is a file as a strict reader sees it.
type pcapngFile struct {
	offsetUs      int64
	interfaces    []pcapngInterfaceRead
	packets       []pcapngPacketRead
	seen, dropped uint64
}

type pcapngInterfaceRead struct {
	name string
	link uint16
}

type pcapngPacketRead struct {
	utcNs    uint64
	length   uint32
	data     []byte
	outbound bool
	number   int
}

func parsePcapng(t testing.TB, b []byte) *pcapngFile {
	t.Helper()
	file := &pcapngFile{}
	u16, u32 := binary.LittleEndian.Uint16, binary.LittleEndian.Uint32
	for first := true; len(b) > 0; first = false {
		if len(b) < 12 || u32(b[4:])%4 != 0 || int(u32(b[4:])) > len(b) || u32(b[4:]) != u32(b[u32(b[4:])-4:]) {
			t.Fatalf("a block of %d bytes is cut or says two lengths", len(b))
		}
		kind, body := u32(b), b[8:u32(b[4:])-4]
		b = b[u32(b[4:]):]
		if first != (kind == pcapngSection) {
			t.Fatalf("block %#x; expected one section, at the beginning", kind)
		}
		switch kind {
		case pcapngSection:
			if u32(body) != pcapngMagic || u16(body[4:]) != 1 {
				t.Fatalf("section %x; expected version 1 in this byte order", body[:8])
			}
			words := strings.Fields(string(optionsOf(t, body[16:])[optionComment]))
			for i, word := range words {
				if word == "µs" {
					file.offsetUs, _ = strconv.ParseInt(words[i-1], 10, 64)
				}
			}
		case pcapngInterface:
			options := optionsOf(t, body[8:])
			if len(options[optionResolution]) != 1 || options[optionResolution][0] != 9 {
				t.Fatal("an interface without nanoseconds")
			}
			file.interfaces = append(file.interfaces, pcapngInterfaceRead{string(options[optionName]), u16(body)})
		case pcapngPacket:
			kept := u32(body[12:])
			if int(u32(body)) >= len(file.interfaces) {
				t.Fatalf("a packet of interface %d of %d", u32(body), len(file.interfaces))
			}
			p := pcapngPacketRead{
				utcNs: uint64(u32(body[4:]))<<32 | uint64(u32(body[8:])), length: u32(body[16:]), data: body[20 : 20+kept],
			}
			flags := u32(optionsOf(t, body[20+(kept+3)&^3:])[optionFlags])
			p.outbound = flags&3 == flagOutbound
			file.packets = append(file.packets, p)
		case pcapngStatistics:
			options := optionsOf(t, body[12:])
			file.seen += binary.LittleEndian.Uint64(options[optionReceived])
			file.dropped += binary.LittleEndian.Uint64(options[optionDropped])
		default:
			t.Fatalf("block %#x is unknown", kind)
		}
	}
	return file
}

func optionsOf(t testing.TB, b []byte) map[uint16][]byte {
	t.Helper()
	options := map[uint16][]byte{}
	for {
		code, length := binary.LittleEndian.Uint16(b), int(binary.LittleEndian.Uint16(b[2:]))
		if code == optionEnd {
			if length != 0 || len(b) != 4 {
				t.Fatal("options go on after their end")
			}
			return options
		}
		options[code] = b[4 : 4+length]
		b = b[4+(length+3)&^3:]
	}
}
