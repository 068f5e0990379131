package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"
)

// httpMaxBytes bounds a body in either direction.
const httpMaxBytes = 16 << 20

type httpRequest struct {
	Node      string            `json:"node"`
	Port      int               `json:"port"`
	Method    string            `json:"method"`
	Path      string            `json:"path"`
	Headers   map[string]string `json:"headers,omitempty"`
	Body      string            `json:"body,omitempty"`
	TimeoutMs float64           `json:"timeoutMs"`
}

type httpResponse struct {
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
	// Body is text, or base64 when Encoding says so because it is no UTF-8.
	Body     string `json:"body"`
	Encoding string `json:"encoding"`
}

const (
	httpDefaultTimeoutMs = 10_000
	httpMaxTimeoutMs     = 600_000
)

// http makes one request to a node's loopback, from inside its namespace.
// Redirects are not followed: a node must not lead the agent anywhere.
func (a *agent) http(ctx context.Context, n *node, r httpRequest) (*httpResponse, error) {
	if r.Port < 1 || r.Port > 65535 {
		return nil, fail("bad-request", "port is %d; expected 1 to 65535", r.Port)
	}
	if !strings.HasPrefix(r.Path, "/") {
		return nil, fail("bad-request", "path is %q; expected it to start with a slash", r.Path)
	}
	if r.TimeoutMs == 0 {
		r.TimeoutMs = httpDefaultTimeoutMs
	}
	if r.TimeoutMs < 0 || r.TimeoutMs > httpMaxTimeoutMs {
		return nil, fail("bad-request", "timeoutMs is %v; expected up to %d", r.TimeoutMs, httpMaxTimeoutMs)
	}
	if r.Method == "" {
		r.Method = http.MethodGet
	}
	ctx, cancel := context.WithTimeout(ctx, time.Duration(msToNs(r.TimeoutMs)))
	defer cancel()
	url := fmt.Sprintf("http://127.0.0.1:%d%s", r.Port, r.Path)
	request, err := http.NewRequestWithContext(ctx, r.Method, url, bytes.NewReader([]byte(r.Body)))
	if err != nil {
		return nil, fail("bad-request", "%v", err)
	}
	for name, value := range r.Headers {
		request.Header.Set(name, value)
	}
	transport := &http.Transport{DisableKeepAlives: true, DisableCompression: true, DialContext: n.dial}
	defer transport.CloseIdleConnections()
	response, err := transport.RoundTrip(request)
	if err != nil {
		return nil, httpFailure(r, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, httpMaxBytes+1))
	if err != nil {
		return nil, httpFailure(r, err)
	}
	if len(body) > httpMaxBytes {
		return nil, fail("body-too-large", "node %s: %s %s answered more than %d bytes", r.Node, r.Method, r.Path, httpMaxBytes)
	}
	return encodeResponse(response, body), nil
}

// dial opens a connection whose socket belongs to the node's namespace.
func (n *node) dial(ctx context.Context, network, address string) (conn net.Conn, err error) {
	err = n.inside(func() error {
		// One literal address: the socket is made on this very thread.
		conn, err = (&net.Dialer{}).DialContext(ctx, network, address)
		return err
	})
	return conn, err
}

func httpFailure(r httpRequest, err error) error {
	what := fmt.Sprintf("node %s: %s %s on port %d", r.Node, r.Method, r.Path, r.Port)
	var op *opError
	switch {
	case errors.As(err, &op):
		return op
	case errors.Is(err, context.DeadlineExceeded):
		return fail("http-timeout", "%s: no answer within %v ms", what, r.TimeoutMs)
	case errors.Is(err, context.Canceled):
		return fail("ending", "%s: the agent is ending", what)
	}
	return fail("http-failed", "%s: %v", what, err)
}

func encodeResponse(response *http.Response, body []byte) *httpResponse {
	out := &httpResponse{Status: response.StatusCode, Headers: map[string]string{}, Encoding: "utf8"}
	for name, values := range response.Header {
		out.Headers[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	if utf8.Valid(body) {
		out.Body = string(body)
		return out
	}
	out.Encoding = "base64"
	out.Body = base64.StdEncoding.EncodeToString(body)
	return out
}
