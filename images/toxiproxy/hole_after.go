package main

import (
	"encoding/json"
	"sync/atomic"
	"time"

	"github.com/Shopify/toxiproxy/v2/stream"
	"github.com/Shopify/toxiproxy/v2/toxics"
)

// holeAfterType is the toxic's name in the API.
const holeAfterType = "hole_after"

// How long the removal of the toxic waits for a reader before it gives the connection up.
const removalPatience = time.Second

// HoleAfterToxic lets each link (one direction of one connection) pass its first bytes, a handshake for example, and
// then loses everything on it for ever: data and the end of the stream alike. Nothing is closed, so neither side learns
// of it. A new connection is a new link and passes its own first bytes.
//
// With a negative number of bytes it only counts. Add it so before a proxy is enabled and update the number later: then
// a living connection that has passed that many bytes already is lost at once.
//
// A link that has lost something is closed when the toxic is removed or set to count only: its stream has a gap, which
// no network would hand to an application.
type HoleAfterToxic struct {
	bytes     atomic.Int64
	links     atomic.Int64
	holed     atomic.Int64
	passed    atomic.Int64
	swallowed atomic.Int64
}

// holeAfterAttributes is what the API shows; only bytes can be set.
type holeAfterAttributes struct {
	Bytes          int64 `json:"bytes"`
	Links          int64 `json:"links"`
	HoledLinks     int64 `json:"holedLinks"`
	PassedBytes    int64 `json:"passedBytes"`
	SwallowedBytes int64 `json:"swallowedBytes"`
}

// holeAfterState belongs to one link and outlives updates of the toxic.
type holeAfterState struct {
	passed int64
	holed  bool
	// What an interruption found on its way out.
	pending *stream.StreamChunk
}

// MarshalJSON shows the setting and the counts, which are the toxic's own witness.
func (t *HoleAfterToxic) MarshalJSON() ([]byte, error) {
	return json.Marshal(holeAfterAttributes{
		Bytes:          t.bytes.Load(),
		Links:          t.links.Load(),
		HoledLinks:     t.holed.Load(),
		PassedBytes:    t.passed.Load(),
		SwallowedBytes: t.swallowed.Load(),
	})
}

// UnmarshalJSON takes the setting; absent, it stays as it is.
func (t *HoleAfterToxic) UnmarshalJSON(data []byte) error {
	setting := struct {
		Bytes *int64 `json:"bytes"`
	}{}
	if err := json.Unmarshal(data, &setting); err != nil {
		return err
	}
	if setting.Bytes != nil {
		t.bytes.Store(*setting.Bytes)
	}
	return nil
}

// NewState is called once for each link.
func (t *HoleAfterToxic) NewState() interface{} {
	t.links.Add(1)
	return new(holeAfterState)
}

// Pipe runs until the link ends or the toxic is updated or removed. Every wait can be interrupted.
func (t *HoleAfterToxic) Pipe(stub *toxics.ToxicStub) {
	state := stub.State.(*holeAfterState)
	limit := t.bytes.Load()
	if state.holed && limit < 0 {
		giveUp(stub)
		return
	}
	if chunk := state.pending; chunk != nil {
		state.pending = nil
		if !t.forward(stub, state, chunk, limit) {
			return
		}
	}
	for {
		select {
		case <-stub.Interrupt:
			return
		case chunk := <-stub.Input:
			if chunk == nil {
				if t.isHoled(state, limit) {
					// The end of the stream is lost like everything else.
					<-stub.Interrupt
					return
				}
				stub.Close()
				return
			}
			if !t.forward(stub, state, chunk, limit) {
				return
			}
		}
	}
}

func (t *HoleAfterToxic) isHoled(state *holeAfterState, limit int64) bool {
	if !state.holed && limit >= 0 && state.passed >= limit {
		state.holed = true
		t.holed.Add(1)
	}
	return state.holed
}

// forward passes what may pass of a chunk and loses the rest. It reports false when it was interrupted.
func (t *HoleAfterToxic) forward(stub *toxics.ToxicStub, state *holeAfterState, chunk *stream.StreamChunk, limit int64) bool {
	data := chunk.Data
	room := int64(len(data))
	if t.isHoled(state, limit) {
		room = 0
	} else if limit >= 0 {
		room = min(room, limit-state.passed)
	}
	if room > 0 {
		select {
		case stub.Output <- &stream.StreamChunk{Data: data[:room], Timestamp: chunk.Timestamp}:
			state.passed += room
			t.passed.Add(room)
		case <-stub.Interrupt:
			state.pending = chunk
			return false
		}
	}
	if lost := int64(len(data)) - room; lost > 0 {
		t.isHoled(state, limit)
		t.swallowed.Add(lost)
	}
	return true
}

// Cleanup is called when the toxic is removed, after Pipe has returned. It leaves no link with a gap, and waits for no
// reader that does not read.
func (t *HoleAfterToxic) Cleanup(stub *toxics.ToxicStub) {
	state := stub.State.(*holeAfterState)
	if state.holed {
		giveUp(stub)
		return
	}
	if chunk := state.pending; chunk != nil {
		state.pending = nil
		if stub.WriteOutput(chunk, removalPatience) != nil {
			giveUp(stub)
		}
	}
}

// giveUp ends a link. Its input is read on until its source ends too: a toxic before this one must not block on it.
func giveUp(stub *toxics.ToxicStub) {
	stub.Close()
	go func() {
		for range stub.Input {
		}
	}()
}

func init() {
	toxics.Register(holeAfterType, new(HoleAfterToxic))
}
