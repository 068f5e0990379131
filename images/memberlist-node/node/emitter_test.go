package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
)

// slowly takes its time over each write, as a pipe with a slow reader does.
type slowly struct {
	bytes.Buffer
	turn chan struct{}
}

func (s *slowly) Write(text []byte) (int, error) {
	<-s.turn
	return s.Buffer.Write(text)
}

type line struct {
	Event  string
	MonoNs int64
	Seq    uint64
	By     string
}

func read(t *testing.T, text string) []line {
	var lines []line
	for row := range strings.Lines(text) {
		var l line
		if err := json.Unmarshal([]byte(row), &l); err != nil {
			t.Fatalf("%q: %v", row, err)
		}
		if len(row) > maxLineBytes {
			t.Fatalf("a line of %d bytes", len(row))
		}
		lines = append(lines, l)
	}
	return lines
}

func TestLinesFromManyAreNumberedWithoutAGapAndInTheOrderOfTime(t *testing.T) {
	const speakers, each = 16, 500
	out := &slowly{turn: make(chan struct{})}
	e := startEmitter(out, 41)
	var group sync.WaitGroup
	for i := range speakers {
		group.Go(func() {
			for range each {
				e.Emit("said", field{"by", fmt.Sprint(i)})
			}
		})
	}
	group.Wait() // nothing was written yet: Emit does not wait for the reader
	close(out.turn)
	if last := e.Close("stopped"); last != 41+speakers*each+1 {
		t.Errorf("last number %d", last)
	}
	lines := read(t, out.String())
	if len(lines) != speakers*each+1 {
		t.Fatalf("%d lines", len(lines))
	}
	for i, l := range lines {
		if l.Seq != uint64(42+i) {
			t.Fatalf("line %d has number %d", i, l.Seq)
		}
		if i > 0 && l.MonoNs < lines[i-1].MonoNs {
			t.Fatalf("line %d is older than the one before it", i)
		}
	}
	if lines[len(lines)-1].Event != "stopped" {
		t.Errorf("the last word is %q", lines[len(lines)-1].Event)
	}
}

func TestALineIsWrittenWithoutWaitingForTheNext(t *testing.T) {
	reader, writer := io.Pipe()
	e := startEmitter(writer, 0)
	for i := range 3 {
		e.Emit("said")
		buffer := make([]byte, maxLineBytes)
		n, err := reader.Read(buffer)
		if err != nil {
			t.Fatal(err)
		}
		if lines := read(t, string(buffer[:n])); len(lines) != 1 || lines[0].Seq != uint64(i+1) {
			t.Fatalf("read %q", buffer[:n])
		}
	}
}

func TestNamesFromTheNetworkMakeNeitherLongNorBrokenLines(t *testing.T) {
	out := &bytes.Buffer{}
	e := startEmitter(out, 0)
	hostile := []string{strings.Repeat("é", 5000), "line\nbreak", `quote"`, "\x00\x1b[31m", "\xff\xfe", "</script>"}
	for _, name := range hostile {
		e.Emit("said", field{"by", name})
	}
	e.Emit("said", field{"many", make([]int, 20_000)})
	e.Close("stopped")
	lines := read(t, out.String())
	if len(lines) != len(hostile)+2 {
		t.Fatalf("%d lines for %d events", len(lines), len(hostile)+2)
	}
	if lines[1].By != hostile[1] || lines[2].By != hostile[2] || len(lines[0].By) > maxTextBytes {
		t.Errorf("names came out as %q, %q and %d bytes", lines[1].By, lines[2].By, len(lines[0].By))
	}
}
