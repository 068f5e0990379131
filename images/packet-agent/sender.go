package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sys/unix"
)

// rawSender sends whole IPv4 packets out of one namespace, marked so that our
// own output chain lets them pass.
type rawSender struct {
	fd int
	// routeFd is a datagram socket that nothing is sent from: it is asked for
	// the MTU of a route.
	routeFd int

	mu  sync.Mutex
	mtu map[[4]byte]int
}

// senderBufferBytes holds a burst of a release without blocking.
const senderBufferBytes = 16 << 20

func openRawSender(nsFd int) (*rawSender, error) {
	s := &rawSender{fd: -1, routeFd: -1, mtu: map[[4]byte]int{}}
	if err := inNamespace(nsFd, s.open); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// open runs inside the namespace.
func (s *rawSender) open() (err error) {
	if s.fd, err = unix.Socket(unix.AF_INET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.IPPROTO_RAW); err != nil {
		return fmt.Errorf("raw socket: %w", err)
	}
	if s.routeFd, err = unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0); err != nil {
		return fmt.Errorf("route socket: %w", err)
	}
	return errors.Join(
		option("mark", unix.SetsockoptInt(s.fd, unix.SOL_SOCKET, unix.SO_MARK, int(markResent))),
		option("send buffer", unix.SetsockoptInt(s.fd, unix.SOL_SOCKET, unix.SO_SNDBUFFORCE, senderBufferBytes)),
		// Fragments of ours must not be put together again on their way out.
		option("nodefrag", unix.SetsockoptInt(s.fd, unix.SOL_IP, unix.IP_NODEFRAG, 1)),
		option("broadcast", unix.SetsockoptInt(s.fd, unix.SOL_SOCKET, unix.SO_BROADCAST, 1)),
	)
}

func option(name string, err error) error {
	if err != nil {
		return fmt.Errorf("raw socket: set %s: %w", name, err)
	}
	return nil
}

// send puts one packet on the wire as it is, header included; the kernel
// writes the IP checksum and length. A packet larger than the route's MTU is
// cut into fragments here, because a raw socket refuses to.
func (s *rawSender) send(data []byte) error {
	if len(data) < 20 {
		return fmt.Errorf("packet of %d bytes is no IPv4 packet", len(data))
	}
	to := unix.SockaddrInet4{Addr: [4]byte(data[16:20])}
	err := unix.Sendto(s.fd, data, 0, &to)
	if !errors.Is(err, unix.EMSGSIZE) {
		return err
	}
	mtu, err := s.routeMtu(to.Addr)
	if err != nil {
		return err
	}
	parts, err := fragmentPacket(data, mtu)
	if err != nil {
		return err
	}
	for _, part := range parts {
		if err := unix.Sendto(s.fd, part, 0, &to); err != nil {
			return err
		}
	}
	return nil
}

// routeMtu asks the kernel for the MTU towards dst, once a destination.
func (s *rawSender) routeMtu(dst [4]byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if mtu, known := s.mtu[dst]; known {
		return mtu, nil
	}
	if err := unix.Connect(s.routeFd, &unix.SockaddrInet4{Port: discardPort, Addr: dst}); err != nil {
		return 0, fmt.Errorf("MTU towards %v: %w", dst, err)
	}
	mtu, err := unix.GetsockoptInt(s.routeFd, unix.SOL_IP, unix.IP_MTU)
	if err != nil {
		return 0, fmt.Errorf("MTU towards %v: %w", dst, err)
	}
	s.mtu[dst] = mtu
	return mtu, nil
}

func (s *rawSender) close() error {
	var err error
	for _, fd := range []*int{&s.fd, &s.routeFd} {
		if *fd >= 0 {
			err = errors.Join(err, unix.Close(*fd))
			*fd = -1
		}
	}
	return err
}

const (
	ipDontFragment  = 0x4000
	ipMoreFragments = 0x2000
	ipOffsetMask    = 0x1fff
)

// fragmentPacket cuts an IPv4 packet into fragments of at most mtu bytes
// (RFC 791, 3.2). Options are repeated in every fragment: nodes of a bed send
// none that must not be. A packet that asks not to be fragmented is refused,
// as the kernel would have refused it to the sender.
func fragmentPacket(data []byte, mtu int) ([][]byte, error) {
	header := int(data[0]&0x0f) * 4
	room := (mtu - header) &^ 7
	if header < 20 || header > len(data) || room < 8 {
		return nil, fmt.Errorf("packet of %d bytes cannot be cut to an MTU of %d", len(data), mtu)
	}
	flags := binary.BigEndian.Uint16(data[6:])
	if flags&ipDontFragment != 0 {
		return nil, unix.EMSGSIZE
	}
	var parts [][]byte
	payload := data[header:]
	for at := 0; at < len(payload); at += room {
		end := min(at+room, len(payload))
		part := append([]byte(nil), data[:header]...)
		part = append(part, payload[at:end]...)
		more := flags & ipMoreFragments
		if end < len(payload) {
			more = ipMoreFragments
		}
		binary.BigEndian.PutUint16(part[2:], uint16(len(part)))
		binary.BigEndian.PutUint16(part[6:], more|(flags&ipOffsetMask+uint16(at/8)))
		parts = append(parts, part)
	}
	return parts, nil
}
