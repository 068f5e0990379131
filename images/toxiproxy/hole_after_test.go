package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
)

// How long a test listens for bytes that must not come.
const quiet = 150 * time.Millisecond

// bench is a server under test with an upstream that keeps what it receives.
type bench struct {
	t        *testing.T
	api      *httptest.Server
	upstream net.Listener
	accepted chan net.Conn
	listen   string
}

func newBench(t *testing.T) *bench {
	t.Helper()
	upstream, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, upstream: upstream, accepted: make(chan net.Conn, 16)}
	go func() {
		for {
			connection, err := upstream.Accept()
			if err != nil {
				return
			}
			b.accepted <- connection
		}
	}()
	b.api = httptest.NewServer(newHandler(newServer(zerolog.Nop(), false)))
	t.Cleanup(func() {
		b.call("DELETE", "/proxies/p", nil, nil)
		b.api.Close()
		upstream.Close()
	})
	proxy := struct{ Listen string }{}
	b.call("POST", "/proxies", map[string]any{
		"name": "p", "listen": "127.0.0.1:0", "upstream": upstream.Addr().String(), "enabled": true,
	}, &proxy)
	b.listen = proxy.Listen
	return b
}

// call speaks to the API and returns the status.
func (b *bench) call(method, path string, body, answer any) int {
	b.t.Helper()
	encoded, err := json.Marshal(body)
	if err != nil {
		b.t.Fatal(err)
	}
	request, err := http.NewRequest(method, b.api.URL+path, bytes.NewReader(encoded))
	if err != nil {
		b.t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		b.t.Fatal(err)
	}
	defer response.Body.Close()
	if answer != nil {
		if err := json.NewDecoder(response.Body).Decode(answer); err != nil {
			b.t.Fatal(err)
		}
	}
	return response.StatusCode
}

func (b *bench) addHole(direction string, limit int64) {
	b.t.Helper()
	status := b.call("POST", "/proxies/p/toxics", map[string]any{
		"name": "hole", "type": holeAfterType, "stream": direction, "attributes": map[string]any{"bytes": limit},
	}, nil)
	if status != http.StatusOK {
		b.t.Fatalf("adding the toxic gave status %d", status)
	}
}

func (b *bench) updateHole(limit int64) {
	b.t.Helper()
	b.call("POST", "/proxies/p/toxics/hole", map[string]any{"attributes": map[string]any{"bytes": limit}}, nil)
}

func (b *bench) counts() holeAfterAttributes {
	b.t.Helper()
	toxic := struct{ Attributes holeAfterAttributes }{}
	b.call("GET", "/proxies/p/toxics/hole", nil, &toxic)
	return toxic.Attributes
}

// connect gives both ends of one connection through the proxy.
func (b *bench) connect() (client, server net.Conn) {
	b.t.Helper()
	client, err := net.Dial("tcp", b.listen)
	if err != nil {
		b.t.Fatal(err)
	}
	select {
	case server = <-b.accepted:
	case <-time.After(5 * time.Second):
		b.t.Fatal("the upstream was not connected to")
	}
	b.t.Cleanup(func() { client.Close(); server.Close() })
	return client, server
}

func send(t *testing.T, connection net.Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(connection, text); err != nil {
		t.Fatal(err)
	}
}

func expect(t *testing.T, connection net.Conn, text string) {
	t.Helper()
	got := make([]byte, len(text))
	connection.SetReadDeadline(time.Now().Add(5 * time.Second))
	if _, err := io.ReadFull(connection, got); err != nil {
		t.Fatalf("%q was to arrive, got %q: %v", text, got, err)
	}
	if string(got) != text {
		t.Fatalf("%q was to arrive, got %q", text, got)
	}
}

// expectNothing wants neither bytes nor an end.
func expectNothing(t *testing.T, connection net.Conn) {
	t.Helper()
	got := make([]byte, 64)
	connection.SetReadDeadline(time.Now().Add(quiet))
	n, err := connection.Read(got)
	var timeout net.Error
	if n > 0 || !errors.As(err, &timeout) || !timeout.Timeout() {
		t.Fatalf("nothing was to arrive, got %q, %v", got[:n], err)
	}
}

func expectEnd(t *testing.T, connection net.Conn) {
	t.Helper()
	connection.SetReadDeadline(time.Now().Add(5 * time.Second))
	rest, err := io.ReadAll(connection)
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		t.Fatalf("the connection was to end, got %q and then nothing", rest)
	}
}

func TestEveryConnectionPassesItsFirstBytesAndThenLosesAll(t *testing.T) {
	b := newBench(t)
	b.addHole("upstream", 5)
	for range 3 {
		client, server := b.connect()
		send(t, client, "hello, world")
		expect(t, server, "hello")
		send(t, client, "are you there?")
		expectNothing(t, server)
	}
	got := b.counts()
	want := holeAfterAttributes{Bytes: 5, Links: 3, HoledLinks: 3, PassedBytes: 15, SwallowedBytes: 63}
	if got != want {
		t.Fatalf("counts are %+v, expected %+v", got, want)
	}
}

func TestTheOtherDirectionIsNotTouched(t *testing.T) {
	b := newBench(t)
	b.addHole("downstream", 0)
	client, server := b.connect()
	send(t, client, "request")
	expect(t, server, "request")
	send(t, server, "answer")
	expectNothing(t, client)
}

func TestTheEndOfALostStreamIsLostToo(t *testing.T) {
	b := newBench(t)
	b.addHole("upstream", 2)
	client, server := b.connect()
	send(t, client, "abcd")
	expect(t, server, "ab")
	client.Close()
	expectNothing(t, server)
}

func TestAnEndBeforeTheLimitPasses(t *testing.T) {
	b := newBench(t)
	b.addHole("upstream", 100)
	client, server := b.connect()
	send(t, client, "abcd")
	expect(t, server, "abcd")
	client.Close()
	expectEnd(t, server)
}

func TestALivingConnectionThatHasPassedTheLimitIsLostAtOnce(t *testing.T) {
	b := newBench(t)
	b.addHole("upstream", -1)
	client, server := b.connect()
	send(t, client, strings.Repeat("x", 1000))
	expect(t, server, strings.Repeat("x", 1000))
	b.updateHole(10)
	send(t, client, "y")
	expectNothing(t, server)
	fresh, freshServer := b.connect()
	send(t, fresh, "0123456789z")
	expect(t, freshServer, "0123456789")
	expectNothing(t, freshServer)
}

func TestRemovalEndsWhatHasAGapAndLosesNothingElsewhere(t *testing.T) {
	b := newBench(t)
	b.addHole("upstream", 8)
	holed, holedServer := b.connect()
	send(t, holed, "0123456789")
	expect(t, holedServer, "01234567")
	whole, wholeServer := b.connect()
	send(t, whole, "0123")
	expect(t, wholeServer, "0123")
	b.call("DELETE", "/proxies/p/toxics/hole", nil, nil)
	expectEnd(t, holedServer)
	send(t, whole, "456789abcdef")
	expect(t, wholeServer, "456789abcdef")
}

func TestCountingOnlyEndsWhatHasAGap(t *testing.T) {
	b := newBench(t)
	b.addHole("upstream", 1)
	client, server := b.connect()
	send(t, client, "ab")
	expect(t, server, "a")
	b.updateHole(-1)
	expectEnd(t, server)
}

func TestRemovalDoesNotWaitForAReaderThatDoesNotRead(t *testing.T) {
	b := newBench(t)
	b.addHole("upstream", -1)
	client, _ := b.connect()
	// Fills every buffer on the way, until a write blocks.
	chunk := bytes.Repeat([]byte("x"), 1<<16)
	for {
		client.SetWriteDeadline(time.Now().Add(quiet))
		if _, err := client.Write(chunk); err != nil {
			break
		}
	}
	removed := make(chan int, 1)
	go func() { removed <- b.call("DELETE", "/proxies/p/toxics/hole", nil, nil) }()
	select {
	case status := <-removed:
		if status != http.StatusNoContent {
			t.Fatalf("removal gave status %d", status)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("removal hangs")
	}
	if status := b.call("GET", "/proxies/p", nil, nil); status != http.StatusOK {
		t.Fatalf("the proxy answers with status %d afterwards", status)
	}
}

func TestUpdatesUnderTrafficLoseNothingBeforeTheLimit(t *testing.T) {
	b := newBench(t)
	b.addHole("upstream", -1)
	client, server := b.connect()
	const lines = 2000
	go func() {
		for i := range lines {
			fmt.Fprintf(client, "%06d\n", i)
		}
	}()
	stop := make(chan struct{})
	go func() {
		defer close(stop)
		for range 50 {
			b.updateHole(1 << 40)
			b.updateHole(-1)
		}
	}()
	for i := range lines {
		expect(t, server, fmt.Sprintf("%06d\n", i))
	}
	<-stop
}

func TestTheServerSaysWhichVersionAndToxicsItHas(t *testing.T) {
	b := newBench(t)
	types := struct{ Types []string }{}
	b.call("GET", "/toxic-types", nil, &types)
	if !strings.Contains(strings.Join(types.Types, " "), holeAfterType) {
		t.Fatalf("hole_after is not among %v", types.Types)
	}
	version := struct{ Version string }{}
	b.call("GET", "/version", nil, &version)
	pinned, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(pinned), modulePath+" v"+version.Version+"\n") {
		t.Fatalf("version %q is not the one that go.mod pins", version.Version)
	}
}
