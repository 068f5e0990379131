package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// version of the protocol and of the agent.
const version = "1"

// requestMaxBytes bounds one line: an HTTP body in JSON, and room to spare.
const requestMaxBytes = 2*httpMaxBytes + 1<<20

// request is one line from the controller; the fields besides id and op
// belong to the op.
type request struct {
	id  json.RawMessage
	op  string
	raw []byte
}

// readLine reads one line, without its end, however the buffer is sized.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > requestMaxBytes {
			return nil, fmt.Errorf("a request is longer than %d bytes", requestMaxBytes)
		}
		switch {
		case err == nil:
			return bytes.TrimSpace(line), nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(line) > 0:
			return bytes.TrimSpace(line), nil // the end is met at the next read
		default:
			return nil, err
		}
	}
}

func parseRequest(line []byte) (*request, error) {
	var head struct {
		ID json.RawMessage `json:"id"`
		Op string          `json:"op"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return nil, fail("bad-json", "a request is no JSON object: %v", err)
	}
	r := &request{id: head.ID, op: head.Op, raw: line}
	if len(r.id) == 0 {
		return r, fail("bad-request", "a request has no id")
	}
	return r, nil
}

// decode reads the op's own fields; a field it does not know is refused.
func decode[T any](r *request) (T, error) {
	var fields map[string]json.RawMessage
	var into T
	if err := json.Unmarshal(r.raw, &fields); err != nil {
		return into, fail("bad-json", "%v", err)
	}
	delete(fields, "id")
	delete(fields, "op")
	rest, err := json.Marshal(fields)
	if err != nil {
		return into, fail("bad-json", "%v", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(rest))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&into); err != nil {
		return into, fail("bad-request", "%s: %v", r.op, err)
	}
	return into, nil
}

// answer is the shape of every reply: the op's fields beside id and ok.
func answer(id json.RawMessage, result map[string]any, err error) map[string]any {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	if err != nil {
		return map[string]any{"id": id, "ok": false, "error": asOpError(err)}
	}
	reply := map[string]any{"id": id, "ok": true}
	for key, value := range result {
		reply[key] = value
	}
	return reply
}
