package main

import (
	"context"
	"time"
)

// opCapture starts listening at nodes.
func opCapture(a *agent, _ context.Context, r *request) (map[string]any, error) {
	q, err := decode[captureRequest](r)
	if err != nil {
		return nil, err
	}
	if _, err := a.startCapture(q); err != nil {
		return nil, err
	}
	return map[string]any{"atNs": monoNs(), "utcMinusMonotonicUs": utcMinusMonotonicUs()}, nil
}

// opCaptureRead hands over what was captured, at the controller's pace: an
// answer at a time, of a bounded size, so that no other answer waits long
// behind captured packets.
func opCaptureRead(a *agent, _ context.Context, r *request) (map[string]any, error) {
	q, err := decode[struct {
		MaxBytes int     `json:"maxBytes"`
		WaitMs   float64 `json:"waitMs"`
	}](r)
	if err != nil {
		return nil, err
	}
	if q.MaxBytes == 0 {
		q.MaxBytes = captureAnswerBytes
	}
	if q.MaxBytes < captureAnswerMinBytes || q.MaxBytes > captureAnswerMaxBytes {
		return nil, fail("bad-request", "capture-read: maxBytes is %d; expected %d to %d",
			q.MaxBytes, captureAnswerMinBytes, captureAnswerMaxBytes)
	}
	if q.WaitMs < 0 || q.WaitMs > captureMaxWaitMs {
		return nil, fail("bad-request", "capture-read: waitMs is %v; expected up to %d", q.WaitMs, captureMaxWaitMs)
	}
	c, err := a.captures.find()
	if err != nil {
		return nil, err
	}
	taken, ended := c.spool.take(q.MaxBytes, time.Duration(msToNs(q.WaitMs)), a.ending)
	if ended {
		a.captures.end(c)
	}
	pieces := make([]map[string]any, len(taken))
	for i, p := range taken {
		pieces[i] = map[string]any{"node": p.node, "data": p.data}
	}
	return map[string]any{"pieces": pieces, "ended": ended, "waitingBytes": c.spool.waitingBytes()}, nil
}

// opCaptureStop ends listening; what was captured can still be read.
func opCaptureStop(a *agent, _ context.Context, r *request) (map[string]any, error) {
	if _, err := decode[struct{}](r); err != nil {
		return nil, err
	}
	c, err := a.captures.find()
	if err != nil {
		return nil, err
	}
	return map[string]any{"nodes": c.stop(captureSettle), "atNs": monoNs()}, nil
}
