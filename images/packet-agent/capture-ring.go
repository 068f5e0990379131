package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	// ringBlockBytes and ringBlocks make the ring that the kernel fills for one
	// node: 512 KiB, the longest pause of the agent that loses nothing.
	ringBlockBytes = 64 << 10
	ringBlocks     = 8
	// ringFrameBytes only has to divide a block: version 3 packs packets tightly.
	ringFrameBytes = 2048
	// ringRetireMs is when the kernel hands over a block that is not full yet.
	ringRetireMs = 100

	ringLoopback = 1 // the index of lo in every network namespace

	// noProtocol is an Ethernet protocol for local experiments (IEEE 802) that
	// no node of a bed speaks.
	noProtocol = 0x88b6
)

// Numbers of linux/filter.h: fields of a packet's own that a filter may load.
const (
	ancillaryOffset  = -0x1000
	ancillaryPktType = 4
	ancillaryIfIndex = 8
)

// Offsets into a block of linux/if_packet.h: struct tpacket_block_desc, with
// struct tpacket_hdr_v1 in it.
const (
	blockStatusAt  = 8
	blockPacketsAt = 12
	blockFirstAt   = 16
)

// Offsets into struct tpacket3_hdr and the struct sockaddr_ll behind it.
const (
	framePacketBytes = 48 // the header, before sockaddr_ll
	frameNextAt      = 0
	frameSecondsAt   = 4
	frameNanosAt     = 8
	frameKeptAt      = 12
	frameLengthAt    = 16
	frameMacAt       = 24
	frameIfIndexAt   = framePacketBytes + 4
	frameHardwareAt  = framePacketBytes + 8
	framePktTypeAt   = framePacketBytes + 10
	frameEnd         = framePacketBytes + 20
)

// frame is one packet as the kernel saw it; data is valid during the call
// alone.
type frame struct {
	ifIndex  int
	hardware uint16 // ARPHRD_… of the interface
	outbound bool
	utcNs    uint64 // CLOCK_REALTIME, by the kernel
	length   uint32 // on the wire; data may be shorter
	data     []byte
}

// captureRing is an AF_PACKET socket in one network namespace with memory that
// the kernel fills: no system call a packet.
type captureRing struct {
	file *os.File
	// names of the interfaces that were there when it was opened, by index.
	names  map[int]string
	memory []byte
	block  int
	// numbers are the interfaces' places in the file, by index; the tap's.
	numbers map[int]uint32
	// over is closed when everything was read.
	over chan struct{}
}

// openCaptureRing makes a socket that sees what every interface of the
// namespace sends and receives, but lo and frames for other hosts.
func openCaptureRing(nsFd int, snapBytes int) (*captureRing, error) {
	fd := -1
	names := map[int]string{}
	err := inNamespace(nsFd, func() error {
		interfaces, err := net.Interfaces()
		if err != nil {
			return err
		}
		for _, i := range interfaces {
			names[i.Index] = i.Name
		}
		// Protocol 0: nothing is seen before filter and ring are there.
		fd, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("packet socket: %w", err)
	}
	memory, err := fillRing(fd, snapBytes)
	if err != nil {
		return nil, errors.Join(err, unix.Close(fd))
	}
	return &captureRing{
		file: os.NewFile(uintptr(fd), "capture"), names: names, memory: memory,
		numbers: map[int]uint32{}, over: make(chan struct{}),
	}, nil
}

// fillRing sets the socket up and lets the kernel begin.
func fillRing(fd int, snapBytes int) ([]byte, error) {
	if err := unix.SetsockoptInt(fd, unix.SOL_PACKET, unix.PACKET_VERSION, unix.TPACKET_V3); err != nil {
		return nil, fmt.Errorf("packet socket: TPACKET_V3: %w", err)
	}
	filter := captureFilter(snapBytes)
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := unix.SetsockoptSockFprog(fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &program); err != nil {
		return nil, fmt.Errorf("packet socket: filter: %w", err)
	}
	ring := unix.TpacketReq3{
		Block_size: ringBlockBytes, Block_nr: ringBlocks,
		Frame_size: ringFrameBytes, Frame_nr: ringBlocks * ringBlockBytes / ringFrameBytes,
		Retire_blk_tov: ringRetireMs,
	}
	if err := unix.SetsockoptTpacketReq3(fd, unix.SOL_PACKET, unix.PACKET_RX_RING, &ring); err != nil {
		return nil, fmt.Errorf("packet socket: ring: %w", err)
	}
	memory, err := unix.Mmap(fd, 0, ringBlocks*ringBlockBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("packet socket: map the ring: %w", err)
	}
	if err := bindCapture(fd, unix.ETH_P_ALL); err != nil {
		return nil, errors.Join(err, unix.Munmap(memory))
	}
	return memory, nil
}

func bindCapture(fd int, protocol uint16) error {
	if err := unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: networkOrder(protocol)}); err != nil {
		return fmt.Errorf("packet socket: bind to protocol %#x: %w", protocol, err)
	}
	return nil
}

// captureFilter keeps the first snapBytes of everything but what lo carries
// and what a bridge flooded although it is for another host.
func captureFilter(snapBytes int) []unix.SockFilter {
	const (
		load  = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		give  = unix.BPF_RET | unix.BPF_K
	)
	ancillary := func(field int32) uint32 { return uint32(ancillaryOffset + field) }
	return []unix.SockFilter{
		{Code: load, K: ancillary(ancillaryIfIndex)},
		{Code: equal, K: ringLoopback, Jt: 3},
		{Code: load, K: ancillary(ancillaryPktType)},
		{Code: equal, K: unix.PACKET_OTHERHOST, Jt: 1},
		{Code: give, K: uint32(snapBytes)},
		{Code: give, K: 0},
	}
}

// receive calls take with every packet, and settle after each block of them,
// until finish has been called and all that the kernel had is read.
func (r *captureRing) receive(take func(frame), settle func()) error {
	raw, err := r.file.SyscallConn()
	if err != nil {
		return err
	}
	for {
		r.drain(take, settle)
		err := raw.Read(func(uintptr) bool { return r.ready() })
		if errors.Is(err, os.ErrDeadlineExceeded) {
			r.drain(take, settle)
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// finish makes the socket deaf, by a protocol that nobody speaks (0 would mean
// the one it has). receive returns after the given time: the kernel hands the
// last block over after ringRetireMs.
func (r *captureRing) finish(after time.Duration) error {
	err := r.control(func(fd int) error { return bindCapture(fd, noProtocol) })
	return errors.Join(err, r.file.SetReadDeadline(time.Now().Add(after)))
}

func (r *captureRing) control(fn func(fd int) error) error {
	raw, err := r.file.SyscallConn()
	if err != nil {
		return err
	}
	var failure error
	err = raw.Control(func(fd uintptr) { failure = fn(int(fd)) })
	return errors.Join(err, failure)
}

func (r *captureRing) status() *uint32 {
	return (*uint32)(unsafe.Pointer(&r.memory[r.block*ringBlockBytes+blockStatusAt]))
}

// ready says whether the kernel has handed the next block over.
func (r *captureRing) ready() bool { return atomic.LoadUint32(r.status())&unix.TP_STATUS_USER != 0 }

// drain reads the blocks that are handed over, and gives them back.
func (r *captureRing) drain(take func(frame), settle func()) {
	for r.ready() {
		readBlock(r.memory[r.block*ringBlockBytes:(r.block+1)*ringBlockBytes], take)
		settle()
		atomic.StoreUint32(r.status(), unix.TP_STATUS_KERNEL)
		r.block = (r.block + 1) % ringBlocks
	}
}

// readBlock walks the packets of one block. What lies outside of it is left
// out, whatever the block says.
func readBlock(block []byte, take func(frame)) {
	at := int(binary.NativeEndian.Uint32(block[blockFirstAt:]))
	for left := binary.NativeEndian.Uint32(block[blockPacketsAt:]); left > 0; left-- {
		if at < 0 || at+frameEnd > len(block) {
			return
		}
		head := block[at:]
		from := int(binary.NativeEndian.Uint16(head[frameMacAt:]))
		kept := int(binary.NativeEndian.Uint32(head[frameKeptAt:]))
		if from+kept > len(head) {
			return
		}
		take(frame{
			ifIndex:  int(int32(binary.NativeEndian.Uint32(head[frameIfIndexAt:]))),
			hardware: binary.NativeEndian.Uint16(head[frameHardwareAt:]),
			outbound: head[framePktTypeAt] == unix.PACKET_OUTGOING,
			utcNs: uint64(binary.NativeEndian.Uint32(head[frameSecondsAt:]))*1e9 +
				uint64(binary.NativeEndian.Uint32(head[frameNanosAt:])),
			length: binary.NativeEndian.Uint32(head[frameLengthAt:]),
			data:   head[from : from+kept],
		})
		next := int(binary.NativeEndian.Uint32(head[frameNextAt:]))
		if next == 0 {
			return
		}
		at += next
	}
}

// ringStatistics are the kernel's own since the last look.
type ringStatistics struct{ seen, dropped uint64 }

// statistics reads PACKET_STATISTICS; reading sets them to zero.
func (r *captureRing) statistics() (s ringStatistics, err error) {
	err = r.control(func(fd int) error {
		stats, err := unix.GetsockoptTpacketStatsV3(fd, unix.SOL_PACKET, unix.PACKET_STATISTICS)
		if err == nil {
			s = ringStatistics{seen: uint64(stats.Packets), dropped: uint64(stats.Drops)}
		}
		return err
	})
	return s, err
}

// close must not be called while receive runs.
func (r *captureRing) close() error { return errors.Join(unix.Munmap(r.memory), r.file.Close()) }

func networkOrder(n uint16) uint16 {
	return binary.NativeEndian.Uint16(binary.BigEndian.AppendUint16(nil, n))
}
