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
}

// operations is filled in by init, since help lists it.
var operations map[string]op

func init() {
	operations = map[string]op{
		"hello":      {opHello, false},
		"enroll":     {opEnroll, false},
		"release":    {opRelease, false},
		"arm":        {opArm, false},
		"apply":      {opApply, false},
		"lift":       {opLift, true},
		"disarm":     {opDisarm, true},
		"witness":    {opWitness, true},
		"probe":      {opProbe, true},
		"http":       {opHTTP, true},
		"redirect":   {opRedirect, false},
		"unredirect": {opUnredirect, false},
		"snapshot":   {opSnapshot, true},
		"bye":        {opBye, false},
	}
}

// besideMax bounds the requests that run at the same time.
const besideMax = 256

// serve reads requests until the end of the stream, which is the deadman.
func (a *agent) serve(ctx context.Context, in io.Reader) error {
	reader := bufio.NewReaderSize(in, 64<<10)
	slots := make(chan struct{}, besideMax)
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
			slots <- struct{}{}
			go func() {
				defer func() { <-slots }()
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
