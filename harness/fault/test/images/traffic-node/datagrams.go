package main

import (
	"encoding/binary"
	"errors"
	"log"
	"net"
	"net/netip"
	"sync"
	"syscall"
	"time"
)

// sink receives numbered datagrams.
type sink struct {
	mu         sync.Mutex
	count      int
	distinct   map[uint64]bool
	last       uint64
	disordered int
	corrupt    int
	lateMaxMs  float64
}

func newSink() *sink { return &sink{distinct: map[uint64]bool{}} }

type sinkReport struct {
	Count      int     `json:"count"`
	Distinct   int     `json:"distinct"`
	Disordered int     `json:"disordered"`
	Corrupt    int     `json:"corrupt"`
	LateMaxMs  float64 `json:"lateMaxMs"`
}

func (s *sink) report() sinkReport {
	s.mu.Lock()
	defer s.mu.Unlock()
	return sinkReport{s.count, len(s.distinct), s.disordered, s.corrupt, s.lateMaxMs}
}

func (s *sink) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count, s.last, s.disordered, s.corrupt, s.lateMaxMs = 0, 0, 0, 0, 0
	s.distinct = map[uint64]bool{}
}

// A datagram is its number, the instant it was sent at, and filling of 0x55.
const headerBytes = 16

func (s *sink) listen(port int) {
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{Port: port})
	if err != nil {
		log.Fatal(err)
	}
	if err := conn.SetReadBuffer(4 << 20); err != nil {
		log.Print(err)
	}
	buffer := make([]byte, 65536)
	for {
		n, err := conn.Read(buffer)
		if err != nil {
			log.Fatal(err)
		}
		s.take(buffer[:n])
	}
}

func (s *sink) take(datagram []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	if len(datagram) < headerBytes {
		s.corrupt++
		return
	}
	for _, b := range datagram[headerBytes:] {
		if b != 0x55 {
			s.corrupt++
			break
		}
	}
	number := binary.BigEndian.Uint64(datagram)
	if number < s.last {
		s.disordered++
	}
	s.last = max(s.last, number)
	s.distinct[number] = true
	late := float64(time.Now().UnixNano()-int64(binary.BigEndian.Uint64(datagram[8:]))) / 1e6
	s.lateMaxMs = max(s.lateMaxMs, late)
}

type sendRequest struct {
	To    string `json:"to"`
	Count int    `json:"count"`
	GapUs int    `json:"gapUs"`
	Bytes int    `json:"bytes"`
}

type sendReport struct {
	Sent   int            `json:"sent"`
	Errors map[string]int `json:"errors"`
}

// sendDatagrams sends without waiting for room in the socket's buffer, so
// that a sender that is held back shows as EAGAIN.
func sendDatagrams(r sendRequest) sendReport {
	report := sendReport{Errors: map[string]int{}}
	to, err := netip.ParseAddrPort(r.To)
	if err != nil {
		report.Errors[err.Error()]++
		return report
	}
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM|syscall.SOCK_NONBLOCK, 0)
	if err != nil {
		report.Errors[err.Error()]++
		return report
	}
	defer syscall.Close(fd)
	datagram := make([]byte, max(r.Bytes, headerBytes))
	for i := range datagram {
		datagram[i] = 0x55
	}
	for number := range r.Count {
		binary.BigEndian.PutUint64(datagram, uint64(number))
		binary.BigEndian.PutUint64(datagram[8:], uint64(time.Now().UnixNano()))
		err := syscall.Sendto(fd, datagram, 0, &syscall.SockaddrInet4{Port: int(to.Port()), Addr: to.Addr().As4()})
		var errno syscall.Errno
		switch {
		case err == nil:
			report.Sent++
		case errors.As(err, &errno):
			report.Errors[errno.Error()]++
		default:
			report.Errors[err.Error()]++
		}
		if r.GapUs > 0 {
			time.Sleep(time.Duration(r.GapUs) * time.Microsecond)
		}
	}
	return report
}
