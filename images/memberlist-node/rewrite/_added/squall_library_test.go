package memberlist

import (
	"errors"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// The library's own tests of suspicion and awareness allow 25 to 50 ms for what
// they wait for, which a loaded machine does not keep. On a clock that stands
// still while anything runs they are exact; sockets do not know that clock, so
// the nodes are connected in memory.
func TestSquall_TheLibrarysOwnTestsPassWithTheSwitchesOff(t *testing.T) {
	squallSwitch(switchesOff)
	for name, own := range map[string]func(*testing.T){
		"TestSuspicion_remainingSuspicionTime":           TestSuspicion_remainingSuspicionTime,
		"TestSuspicion_Timer":                            TestSuspicion_Timer,
		"TestSuspicion_Timer_ZeroK":                      TestSuspicion_Timer_ZeroK,
		"TestSuspicion_Timer_Immediate":                  TestSuspicion_Timer_Immediate,
		"TestSuspicionTimeout":                           TestSuspicionTimeout,
		"TestAwareness":                                  TestAwareness,
		"TestMemberList_ProbeNode_Awareness_Degraded":    TestMemberList_ProbeNode_Awareness_Degraded,
		"TestMemberList_ProbeNode_Awareness_Improved":    TestMemberList_ProbeNode_Awareness_Improved,
		"TestMemberList_ProbeNode_Awareness_MissedNack":  TestMemberList_ProbeNode_Awareness_MissedNack,
		"TestMemberList_ProbeNode_Awareness_OldProtocol": TestMemberList_ProbeNode_Awareness_OldProtocol,
	} {
		t.Run(name, func(t *testing.T) {
			squallWires = map[string]*squallWire{}
			defer func() { squallWires = nil }()
			synctest.Test(t, own)
		})
	}
}

// squallWires are the nodes of a network in memory by address; nil: sockets.
var squallWires map[string]*squallWire

// squallConnect is called by the library's own tests for each node.
func squallConnect(c *Config) {
	if squallWires == nil {
		return
	}
	w := &squallWire{ip: net.ParseIP(c.BindAddr).To4(), packets: make(chan *Packet, 1024), streams: make(chan net.Conn, 16)}
	squallWires[c.BindAddr] = w
	c.Transport = w
}

// squallWire behaves as loopback does: a packet to nobody is gone without an
// error, a connection to nobody is refused.
type squallWire struct {
	ip      net.IP
	packets chan *Packet
	streams chan net.Conn
}

func (w *squallWire) FinalAdvertiseAddr(string, int) (net.IP, int, error) { return w.ip, 0, nil }
func (w *squallWire) PacketCh() <-chan *Packet                            { return w.packets }
func (w *squallWire) StreamCh() <-chan net.Conn                           { return w.streams }
func (w *squallWire) Shutdown() error                                     { return nil }

func (w *squallWire) WriteTo(b []byte, addr string) (time.Time, error) {
	now := time.Now()
	if to := squallWireAt(addr); to != nil {
		to.packets <- &Packet{Buf: append([]byte{}, b...), From: &net.UDPAddr{IP: w.ip}, Timestamp: now}
	}
	return now, nil
}

func (w *squallWire) DialTimeout(addr string, _ time.Duration) (net.Conn, error) {
	to := squallWireAt(addr)
	if to == nil {
		return nil, errors.New("connection refused")
	}
	near, far := net.Pipe()
	to.streams <- far
	return near, nil
}

func squallWireAt(addr string) *squallWire {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil
	}
	return squallWires[host]
}
