package main

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// echo answers every byte of every connection with itself.
func echo(port int) {
	listener, err := net.Listen("tcp4", fmt.Sprintf(":%d", port))
	if err != nil {
		log.Fatal(err)
	}
	for {
		conn, err := listener.Accept()
		if err != nil {
			log.Fatal(err)
		}
		go func() {
			defer conn.Close()
			if _, err := io.Copy(conn, conn); err != nil {
				log.Print(err)
			}
		}()
	}
}

// fountain sends to every connection as fast as it is read from.
func fountain(port int) {
	listener, err := net.Listen("tcp4", fmt.Sprintf(":%d", port))
	if err != nil {
		log.Fatal(err)
	}
	for {
		conn, err := listener.Accept()
		if err != nil {
			log.Fatal(err)
		}
		go func() {
			defer conn.Close()
			drop := make([]byte, 64<<10)
			for {
				if _, err := conn.Write(drop); err != nil {
					return
				}
			}
		}()
	}
}

type drinkReport struct {
	Error string `json:"error"`
	Bytes int    `json:"bytes"`
}

// drink opens a connection, reads its first bytes, and reads on for ever.
func drink(r connectRequest) drinkReport {
	conn, err := net.DialTimeout("tcp4", r.To, time.Duration(r.TimeoutMs)*time.Millisecond)
	if err != nil {
		return drinkReport{Error: kindOf(err)}
	}
	n, err := io.ReadFull(conn, make([]byte, r.Bytes))
	if err != nil {
		conn.Close()
		return drinkReport{Error: kindOf(err), Bytes: n}
	}
	go func() {
		defer conn.Close()
		if _, err := io.Copy(io.Discard, conn); err != nil {
			log.Print(err)
		}
	}()
	return drinkReport{Bytes: n}
}

type connectRequest struct {
	To        string `json:"to"`
	Bytes     int    `json:"bytes"`
	TimeoutMs int    `json:"timeoutMs"`
}

// streamReport is how far a connection came before its time was over.
type streamReport struct {
	Connected bool    `json:"connected"`
	Echoed    int     `json:"echoed"`
	Error     string  `json:"error"`
	TookMs    float64 `json:"tookMs"`
}

// connect opens a connection, sends bytes and waits for their echo.
func connect(r connectRequest) streamReport {
	started := time.Now()
	timeout := time.Duration(r.TimeoutMs) * time.Millisecond
	conn, err := net.DialTimeout("tcp4", r.To, timeout)
	if err != nil {
		return streamReport{Error: kindOf(err), TookMs: msSince(started)}
	}
	defer conn.Close()
	report := talkOver(conn, r.Bytes, timeout)
	report.TookMs = msSince(started)
	return report
}

func talkOver(conn net.Conn, bytes int, timeout time.Duration) streamReport {
	report := streamReport{Connected: true}
	if err := conn.SetDeadline(time.Now().Add(timeout)); err != nil {
		report.Error = kindOf(err)
		return report
	}
	wrote := make(chan error, 1)
	go func() {
		_, err := conn.Write(make([]byte, bytes))
		wrote <- err
	}()
	n, err := io.ReadFull(conn, make([]byte, bytes))
	report.Echoed = n
	if err == nil {
		err = <-wrote
	}
	if err != nil {
		report.Error = kindOf(err)
	}
	return report
}

// streams keeps one connection open between requests.
type streams struct {
	mu   sync.Mutex
	conn net.Conn
}

func (s *streams) open(r connectRequest) streamReport {
	started := time.Now()
	conn, err := net.DialTimeout("tcp4", r.To, time.Duration(r.TimeoutMs)*time.Millisecond)
	if err != nil {
		return streamReport{Error: kindOf(err), TookMs: msSince(started)}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn != nil {
		s.conn.Close()
	}
	s.conn = conn
	return streamReport{Connected: true, TookMs: msSince(started)}
}

func (s *streams) talk(r connectRequest) streamReport {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn == nil {
		return streamReport{Error: "not open"}
	}
	started := time.Now()
	report := talkOver(s.conn, r.Bytes, time.Duration(r.TimeoutMs)*time.Millisecond)
	report.TookMs = msSince(started)
	return report
}

func kindOf(err error) string {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, syscall.ETIMEDOUT):
		return "timeout"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "refused"
	case errors.Is(err, syscall.ECONNRESET):
		return "reset"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "closed"
	}
	var netErr net.Error
	if errors.As(err, &netErr) && netErr.Timeout() {
		return "timeout"
	}
	return err.Error()
}

func msSince(started time.Time) float64 { return float64(time.Since(started).Microseconds()) / 1e3 }
