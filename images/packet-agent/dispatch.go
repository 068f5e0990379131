package main

import (
	"bufio"
	"context"
	"io"
	"slices"
	"strings"
)

// handler answers one request.
type handler func(a *agent, ctx context.Context, r *request) (map[string]any, error)

// op is one operation. What changes state runs in the order of arrival; what
// only looks, or waits, runs beside it.
type op struct {
	handle handler
	beside bool
	// slots bounds how many of these run at once, where they hold something for
	// long. The wait for one never delays the reading of further requests.
	slots chan struct{}
}

// Nodes' answers are held in memory; probes share the processors; what was
// captured is read in order.
const (
	httpAtOnce        = 256
	probeAtOnce       = 8
	captureReadAtOnce = 1
)

// operations is filled in by init, since help lists it.
var operations map[string]op

func init() {
	one := func(h handler) op { return op{handle: h} }
	beside := func(h handler, atOnce int) op {
		o := op{handle: h, beside: true}
		if atOnce > 0 {
			o.slots = make(chan struct{}, atOnce)
		}
		return o
	}
	operations = map[string]op{
		"hello":        one(opHello),
		"enroll":       one(opEnroll),
		"release":      one(opRelease),
		"arm":          one(opArm),
		"apply":        one(opApply),
		"lift":         beside(opLift, 0),
		"disarm":       beside(opDisarm, 0),
		"witness":      beside(opWitness, 0),
		"probe":        beside(opProbe, probeAtOnce),
		"http":         beside(opHTTP, httpAtOnce),
		"redirect":     one(opRedirect),
		"unredirect":   one(opUnredirect),
		"capture":      one(opCapture),
		"capture-read": beside(opCaptureRead, captureReadAtOnce),
		"capture-stop": beside(opCaptureStop, 0),
		"snapshot":     beside(opSnapshot, 0),
		"bye":          one(opBye),
	}
}

// serve reads requests until the end of the stream, which is the deadman.
func (a *agent) serve(ctx context.Context, in io.Reader) error {
	reader := bufio.NewReaderSize(in, 64<<10)
	for {
		line, err := readLine(reader)
		if err != nil {
			return err
		}
		if len(line) == 0 {
			continue
		}
		r, err := parseRequest(line)
		if err != nil {
			a.reply(r, nil, err)
			continue
		}
		o, known := operations[r.op]
		switch {
		case !known:
			a.reply(r, nil, fail("unknown-op", "op %q; expected one of %s", r.op, operationNames()))
		case a.closing():
			a.reply(r, nil, fail("ending", "the agent is ending"))
		case o.beside:
			go func() {
				if o.slots != nil {
					o.slots <- struct{}{}
					defer func() { <-o.slots }()
				}
				result, err := o.handle(a, ctx, r)
				a.reply(r, result, err)
			}()
		default:
			result, err := o.handle(a, ctx, r)
			a.reply(r, result, err)
		}
		if r.op == "bye" {
			return nil
		}
	}
}

func (a *agent) reply(r *request, result map[string]any, err error) {
	if r == nil {
		r = &request{}
	}
	a.out.put(answer(r.id, result, err))
}

func operationNames() string {
	list := make([]string, 0, len(operations))
	for name := range operations {
		list = append(list, name)
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}
