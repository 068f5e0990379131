package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"
	"syscall"

	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

// Numbers of linux/netfilter/nfnetlink_queue.h.
const (
	nfqMsgPacket  = 0
	nfqMsgVerdict = 1
	nfqMsgConfig  = 2

	nfqAttrPacketHdr  = 1
	nfqAttrVerdictHdr = 2
	nfqAttrMark       = 3
	nfqAttrPayload    = 10
	nfqAttrCapLen     = 13

	nfqCfgCmd    = 1
	nfqCfgParams = 2
	nfqCfgMaxLen = 3
	nfqCfgMask   = 4
	nfqCfgFlags  = 5

	nfqCmdBind    = 1
	nfqCopyPacket = 2

	nfqFlagFailOpen = 1 << 0
	nfqFlagGSO      = 1 << 2

	nfDrop   = 0
	nfAccept = 1
)

const (
	// queueMaxPackets is how many packets wait for a verdict in one kernel
	// queue before the kernel drops more; its own default is 1,024.
	queueMaxPackets = 65_536
	// queueBufferBytes is the receive buffer of a queue's netlink socket.
	queueBufferBytes = 16 << 20
	// headerBytes is what of an inbound packet is copied when no fault looks
	// at its payload: the longest IPv4 header and the start of the transport's.
	headerBytes = 128
	// wholePacket copies all of a packet; the kernel lowers it to what fits.
	wholePacket = 0xffff
	// receiveBatch bounds how many packets are judged before verdicts leave.
	receiveBatch = 64
)

// queue is one netfilter queue in one network namespace, on a netlink socket
// of its own.
type queue struct {
	num  uint16
	conn *netlink.Conn
	raw  syscall.RawConn
	// bufferBytes is the receive buffer that the kernel granted.
	bufferBytes int

	// orphaned: the node is gone, and its interfaces took their packets along,
	// so that the kernel knows none of the verdicts that are still sent.
	orphaned *atomic.Bool
	// onOverrun is called the first time the netlink buffer overflowed.
	onOverrun func()

	enobufs       atomic.Uint64
	verdictErrors atomic.Uint64
}

// openQueue binds queue num in the namespace nsFd. It fails with EBUSY if
// another process owns the queue.
func openQueue(nsFd int, num uint16, copyRange uint32) (*queue, error) {
	conn, err := netlink.Dial(unix.NETLINK_NETFILTER, &netlink.Config{NetNS: nsFd})
	if err != nil {
		return nil, fmt.Errorf("queue %d: netlink socket: %w", num, err)
	}
	q := &queue{num: num, conn: conn, orphaned: &atomic.Bool{}, onOverrun: func() {}}
	if err := q.configure(copyRange); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return q, nil
}

func (q *queue) configure(copyRange uint32) error {
	// The buffer comes first: a queue may fill as soon as it is bound.
	if err := q.conn.SetReadBuffer(queueBufferBytes); err != nil {
		return fmt.Errorf("queue %d: receive buffer of %d bytes: %w", q.num, queueBufferBytes, err)
	}
	granted, err := q.conn.ReadBuffer()
	if err != nil {
		return fmt.Errorf("queue %d: read back the receive buffer: %w", q.num, err)
	}
	q.bufferBytes = granted
	bind := []byte{nfqCmdBind, 0, 0, unix.AF_INET}
	flags := be32(0)
	mask := be32(nfqFlagFailOpen | nfqFlagGSO)
	steps := []struct {
		what  string
		attrs []netlink.Attribute
	}{
		{"bind", []netlink.Attribute{{Type: nfqCfgCmd, Data: bind}}},
		{"maximum length", []netlink.Attribute{{Type: nfqCfgMaxLen, Data: be32(queueMaxPackets)}}},
		{"flags", []netlink.Attribute{{Type: nfqCfgFlags, Data: flags}, {Type: nfqCfgMask, Data: mask}}},
		{"copy range", []netlink.Attribute{{Type: nfqCfgParams, Data: copyParams(copyRange)}}},
	}
	for _, step := range steps {
		message, err := q.configMessage(step.attrs, netlink.Request|netlink.Acknowledge)
		if err != nil {
			return err
		}
		if _, err := q.conn.Execute(message); err != nil {
			return fmt.Errorf("queue %d: %s: %w", q.num, step.what, err)
		}
	}
	if q.raw, err = q.conn.SyscallConn(); err != nil {
		return fmt.Errorf("queue %d: descriptor: %w", q.num, err)
	}
	return nil
}

func (q *queue) configMessage(attrs []netlink.Attribute, flags netlink.HeaderFlags) (netlink.Message, error) {
	body, err := netlink.MarshalAttributes(attrs)
	if err != nil {
		return netlink.Message{}, fmt.Errorf("queue %d: encode: %w", q.num, err)
	}
	return netlink.Message{
		Header: netlink.Header{Type: unix.NFNL_SUBSYS_QUEUE<<8 | nfqMsgConfig, Flags: flags},
		Data:   append(nfGenMsg(q.num), body...),
	}, nil
}

// setCopyRange changes how much of each packet is copied while packets flow.
// No acknowledgement is asked for, since it would arrive between packets; a
// refusal arrives as an error message and is counted.
func (q *queue) setCopyRange(copyRange uint32) error {
	attrs := []netlink.Attribute{{Type: nfqCfgParams, Data: copyParams(copyRange)}}
	message, err := q.configMessage(attrs, netlink.Request)
	if err != nil {
		return err
	}
	if _, err := q.conn.Send(message); err != nil {
		return fmt.Errorf("queue %d: copy range: %w", q.num, err)
	}
	return nil
}

// receive calls judge for every packet until the queue is closed, and settle
// after each batch. The packet's data is valid during the call alone.
func (q *queue) receive(judge func(*packet), settle func()) error {
	buffer := make([]byte, 1<<16+4096)
	var p packet
	for {
		var failure error
		err := q.raw.Read(func(fd uintptr) bool {
			for got := 0; got < receiveBatch; got++ {
				n, _, err := unix.Recvfrom(int(fd), buffer, unix.MSG_DONTWAIT)
				switch {
				case err == nil:
					q.each(buffer[:n], &p, judge)
				case errors.Is(err, unix.EAGAIN):
					if got > 0 {
						settle()
					}
					return false // wait until there is more
				case errors.Is(err, unix.ENOBUFS):
					if q.enobufs.Add(1) == 1 {
						q.onOverrun()
					}
				case errors.Is(err, unix.EINTR):
				default:
					failure = err
					settle()
					return true
				}
			}
			settle()
			return true
		})
		if err != nil {
			return err // closed
		}
		if failure != nil {
			return failure
		}
	}
}

// each walks the netlink messages of one datagram.
func (q *queue) each(b []byte, p *packet, judge func(*packet)) {
	for len(b) >= unix.SizeofNlMsghdr {
		length := int(binary.NativeEndian.Uint32(b))
		if length < unix.SizeofNlMsghdr || length > len(b) {
			return
		}
		kind := binary.NativeEndian.Uint16(b[4:])
		body := b[unix.SizeofNlMsghdr:length]
		switch kind {
		case unix.NFNL_SUBSYS_QUEUE<<8 | nfqMsgPacket:
			if p.decode(body) {
				judge(p)
			}
		case unix.NLMSG_ERROR:
			if len(body) >= 4 && binary.NativeEndian.Uint32(body) != 0 && !q.orphaned.Load() {
				q.verdictErrors.Add(1)
			}
		}
		b = b[min((length+3)&^3, len(b)):]
	}
}

func (q *queue) close() error { return q.conn.Close() }

// verdicts gathers verdicts of one queue, so that many leave in one call.
type verdicts struct {
	buf []byte
}

// verdictChunkBytes keeps a send well under the default socket buffer.
const verdictChunkBytes = 32 << 10

// add appends one verdict; payload, if any, replaces the packet's content.
func (v *verdicts) add(num uint16, id uint32, verdict uint32, payload []byte) {
	start := len(v.buf)
	v.buf = append(v.buf, make([]byte, 16)...)
	v.buf = append(v.buf, nfGenMsg(num)...)
	v.buf = binary.NativeEndian.AppendUint16(v.buf, 12)
	v.buf = binary.NativeEndian.AppendUint16(v.buf, nfqAttrVerdictHdr)
	v.buf = binary.BigEndian.AppendUint32(v.buf, verdict)
	v.buf = binary.BigEndian.AppendUint32(v.buf, id)
	if payload != nil {
		v.buf = binary.NativeEndian.AppendUint16(v.buf, uint16(4+len(payload)))
		v.buf = binary.NativeEndian.AppendUint16(v.buf, nfqAttrPayload)
		v.buf = append(v.buf, payload...)
		for len(v.buf)%4 != 0 {
			v.buf = append(v.buf, 0)
		}
	}
	header := v.buf[start:]
	binary.NativeEndian.PutUint32(header, uint32(len(header)))
	binary.NativeEndian.PutUint16(header[4:], unix.NFNL_SUBSYS_QUEUE<<8|nfqMsgVerdict)
	binary.NativeEndian.PutUint16(header[6:], unix.NLM_F_REQUEST)
}

func (v *verdicts) full() bool { return len(v.buf) >= verdictChunkBytes }

// send hands the gathered verdicts to the kernel, which carries the packets on
// before the call returns.
func (v *verdicts) send(q *queue) error {
	if len(v.buf) == 0 {
		return nil
	}
	var failure error
	err := q.raw.Control(func(fd uintptr) {
		failure = unix.Sendto(int(fd), v.buf, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK})
	})
	v.buf = v.buf[:0]
	return errors.Join(err, failure)
}

func copyParams(copyRange uint32) []byte { return append(be32(copyRange), nfqCopyPacket) }

func be32(n uint32) []byte { return binary.BigEndian.AppendUint32(nil, n) }

// nfGenMsg is the header of every nfnetlink message: family, version, queue.
func nfGenMsg(num uint16) []byte { return []byte{unix.AF_UNSPEC, 0, byte(num >> 8), byte(num)} }
