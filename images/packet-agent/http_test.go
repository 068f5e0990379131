package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
)

// serveAdmin runs an HTTP server on the node's loopback.
func serveAdmin(t testing.TB, n *testNode, handler http.HandlerFunc) int {
	t.Helper()
	l := n.listen(t, "127.0.0.1:0")
	server := &http.Server{Handler: handler}
	go server.Serve(l)
	t.Cleanup(func() { server.Close() })
	return l.Addr().(*net.TCPAddr).Port
}

func (c *controller) get(n *testNode, port int, path string, more map[string]any) message {
	c.t.Helper()
	fields := map[string]any{"node": n.name, "port": port, "method": "GET", "path": path, "timeoutMs": 5000}
	for k, v := range more {
		fields[k] = v
	}
	return c.send("http", fields)
}

func TestHttpReachesANodesLoopbackWhileItIsCutOff(t *testing.T) {
	p := newPair(t)
	port := serveAdmin(t, p.own, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Method", r.Method)
		w.WriteHeader(http.StatusTeapot)
		fmt.Fprintf(w, "%s?%s %s ünï", r.URL.Path, r.URL.RawQuery, body)
	})
	p.inflict("d", "drop", nil)
	p.inflict("h", "hold", nil)
	m := p.get(p.own, port, "/state?deep=1", map[string]any{"method": "POST", "body": "hello"})
	var response httpResponse
	for key, into := range map[string]any{
		"status": &response.Status, "headers": &response.Headers, "body": &response.Body, "encoding": &response.Encoding,
	} {
		if err := m.read(key, into); err != nil {
			t.Fatal(err)
		}
	}
	if response.Status != 418 || response.Headers["x-method"] != "POST" || response.Body != "/state?deep=1 hello ünï" {
		t.Fatalf("answer %+v", response)
	}
}

func TestHttpFailuresSayWhatHappened(t *testing.T) {
	p := newPair(t)
	hang := make(chan struct{})
	port := serveAdmin(t, p.own, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/slow":
			<-hang
		case "/big":
			for range 17 {
				if _, err := w.Write(make([]byte, 1<<20)); err != nil {
					return
				}
			}
		case "/away":
			http.Redirect(w, r, "http://198.18.200.1/", http.StatusFound)
		}
	})
	defer close(hang)
	for _, c := range []struct {
		name, path, code string
		more             map[string]any
	}{
		{"nobody listens", "/", "http-failed", map[string]any{"port": 1}},
		{"no answer in time", "/slow", "http-timeout", map[string]any{"timeoutMs": 200}},
		{"a body without end", "/big", "body-too-large", nil},
		{"a path that is none", "state", "bad-request", nil},
		{"a node that is none", "/", "unknown-node", map[string]any{"node": "nobody"}},
		{"a field that is none", "/", "bad-request", map[string]any{"timeout": 5}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var e opError
			m := p.get(p.own, port, c.path, c.more)
			if err := m.read("error", &e); err != nil || e.Code != c.code {
				t.Fatalf("answer %v; expected the error %s", m, c.code)
			}
		})
	}
	var status int
	if err := p.get(p.own, port, "/away", nil).read("status", &status); err != nil || status != http.StatusFound {
		t.Fatalf("status %d, %v; expected the redirection itself", status, err)
	}
}

func TestManyHttpRequestsRunSideBySide(t *testing.T) {
	p := newPair(t)
	var together sync.WaitGroup
	together.Add(50)
	port := serveAdmin(t, p.own, func(w http.ResponseWriter, r *http.Request) {
		together.Done()
		together.Wait() // nobody is answered before all are here
	})
	var answers []chan message
	for range 50 {
		answers = append(answers, p.begin("http", map[string]any{
			"node": p.own.name, "port": port, "method": "GET", "path": "/", "timeoutMs": 20_000}))
	}
	for _, answer := range answers {
		p.must("http", <-answer)
	}
}

func TestHangingHttpRequestsDelayNoLiftAndNoDeadman(t *testing.T) {
	p := newPair(t)
	hang := make(chan struct{})
	port := serveAdmin(t, p.own, func(http.ResponseWriter, *http.Request) { <-hang })
	defer close(hang)
	p.inflict("d", "drop", nil)
	for range httpAtOnce + 50 {
		p.begin("http", map[string]any{"node": p.own.name, "port": port, "method": "GET", "path": "/", "timeoutMs": 60_000})
	}
	p.lift("d")
	p.close() // fails when the agent does not end
}

func TestBinaryBodiesComeAsBase64(t *testing.T) {
	p := newPair(t)
	port := serveAdmin(t, p.own, func(w http.ResponseWriter, r *http.Request) { w.Write([]byte{0xff, 0xfe, 0}) })
	m := p.get(p.own, port, "/", nil)
	if m.text("encoding") != "base64" || m.text("body") != "//4A" {
		t.Fatalf("answer %v; expected base64", m)
	}
}
