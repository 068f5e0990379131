package main

import "log"

const (
	// heldMaxPackets and heldMaxBytes bound what a lane holds in memory; the
	// kernel's queue has the same limit in packets.
	heldMaxPackets = queueMaxPackets
	heldMaxBytes   = 128 << 20
	// releaseBatchPackets leave between two looks at the lane's lock.
	releaseBatchPackets = 64
)

// gate is the last stage: holds. Everything that comes out of the stages
// before it, delayed packets included, stops here while a hold acts. The
// lane's lock is held.
func (l *lane) gate(it *item, now int64) {
	var holders uint64
	for _, b := range l.bindings {
		if it.gateMatch&b.bit == 0 {
			continue
		}
		switch b.fault.holdAction(it.protocol) {
		case actHold:
			if b.holding() {
				holders |= b.bit
			}
		case actDrop:
			if b.acts() {
				l.drop(b, it, now)
				return
			}
		case actPass:
			if b.acts() {
				b.counts.passed++
			}
		}
	}
	if holders == 0 {
		if err := l.release(it, &l.out); err != nil {
			l.sendFailed(it.slow, err)
		}
		if l.out.full() {
			l.flush()
		}
		return
	}
	it.holders = holders
	l.hold(it, now)
}

func (l *lane) hold(it *item, now int64) {
	if l.held.len() >= heldMaxPackets || l.held.bytes+len(it.data) > heldMaxBytes {
		l.overflow(it.holders)
		l.discard(it)
		return
	}
	l.detach(it)
	l.eachBit(it.holders, func(b *binding) {
		b.counts.held++
		b.kept++
		b.counts.affected(now)
	})
	l.held.add(*it)
}

// overflow counts a packet lost for want of room, and tells the controller of
// the first one of each fault: the trial is void.
func (l *lane) overflow(bits uint64) {
	l.eachBit(bits, func(b *binding) {
		if b.counts.overflowed++; b.counts.overflowed == 1 {
			l.node.agent.event("overflow", map[string]any{
				"id": b.fault.spec.ID, "node": l.node.name, "direction": l.dir.String(),
			})
		}
	})
}

// sendFailed counts a packet that faults delayed and that could not be sent.
func (l *lane) sendFailed(bits uint64, err error) {
	l.eachBit(bits, func(b *binding) { b.counts.sendErrors++ })
	log.Printf("node %s %s: a packet could not be sent again: %v", l.node.name, l.dir, err)
}

// drain lets go of what the fault holds in this lane, in order, while new
// arrivals join the tail; when the tail is reached the fault is flipped off
// under the lane's lock. A packet that another fault holds as well stays.
// With a pace, what was held when the release began leaves at that rate, and
// what joined since then without one.
func (l *lane) drain(b *binding, pacePps float64) {
	l.draining.Lock()
	defer l.draining.Unlock()
	l.mu.Lock()
	paced, at := b.kept, l.held.base
	l.mu.Unlock()
	started := monoNs()
	var sent uint64
	var out verdicts
	for {
		room := releaseBatchPackets
		if pacePps > 0 && sent < paced && !l.node.agent.closing() {
			due := started + int64(float64(sent)/pacePps*1e9)
			l.node.agent.sleep(untilNs(due))
			room = max(1, min(room, int(pacePps/1000)))
		}
		var batch []item
		l.mu.Lock()
		batch, at = l.held.take(b.bit, at, room)
		if len(batch) == 0 {
			b.drained.Store(true)
			l.mu.Unlock()
			return
		}
		l.mu.Unlock()
		leaves := batch[:0:0]
		for i := range batch {
			if batch[i].holders == 0 {
				leaves = append(leaves, batch[i])
			}
		}
		failed := l.send(leaves, &out)
		l.account(b, batch, leaves, failed)
		sent += uint64(len(batch))
	}
}

// send lets a batch go on, outside the lane's lock, and says how many packets
// could not.
func (l *lane) send(batch []item, out *verdicts) (failed uint64) {
	for i := range batch {
		if err := l.release(&batch[i], out); err != nil {
			if failed++; failed == 1 {
				log.Printf("node %s %s: a packet could not be sent again: %v", l.node.name, l.dir, err)
			}
		}
		if out.full() {
			l.sendVerdicts(out)
		}
	}
	l.sendVerdicts(out)
	return failed
}

func (l *lane) sendVerdicts(out *verdicts) {
	l.mu.Lock()
	q := l.queue
	l.mu.Unlock()
	if q == nil {
		return
	}
	if err := out.send(q); err != nil {
		q.verdictErrors.Add(1)
		log.Printf("node %s %s: verdicts: %v", l.node.name, l.dir, err)
	}
}

// account closes the books on a batch: every packet of it is let go by b, and
// those that nothing else holds have left.
func (l *lane) account(b *binding, batch, leaves []item, failed uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := monoNs()
	b.kept -= uint64(len(batch))
	if l.abandoned.Load() {
		b.counts.abandoned += uint64(len(batch))
		return
	}
	b.counts.released += uint64(len(batch)) - failed
	b.counts.sendErrors += failed
	for i := range leaves {
		b.counts.kept(now - leaves[i].arrivedNs)
	}
	b.counts.lastNs = now
	if b.counts.firstReleasedNs == 0 {
		b.counts.firstReleasedNs = now
	}
}

// heldList keeps held packets in order. Positions count from the start of
// time, so that a release can walk the list while the tail grows and other
// parts of the head go away.
type heldList struct {
	items []item
	// gone marks places whose packet has left; base is the position of items[0].
	gone  []bool
	base  int
	live  int
	bytes int
}

func (h *heldList) len() int { return h.live }

func (h *heldList) add(it item) {
	h.items = append(h.items, it)
	h.gone = append(h.gone, false)
	h.live++
	h.bytes += len(it.data)
}

// take clears bit from up to room packets from position at on, and removes
// those that no fault holds any more. It returns the packets it cleared, in
// order, and where to go on; nothing means that the end was reached.
func (h *heldList) take(bit uint64, at, room int) ([]item, int) {
	var batch []item
	for at = max(at, h.base); at-h.base < len(h.items) && len(batch) < room; at++ {
		i := at - h.base
		if h.gone[i] || h.items[i].holders&bit == 0 {
			continue
		}
		h.items[i].holders &^= bit
		batch = append(batch, h.items[i])
		if h.items[i].holders == 0 {
			h.bytes -= len(h.items[i].data)
			h.items[i] = item{}
			h.gone[i] = true
			h.live--
		}
	}
	h.trim()
	return batch, at
}

// trim forgets the places at the head whose packets have left.
func (h *heldList) trim() {
	n := 0
	for n < len(h.items) && h.gone[n] {
		n++
	}
	if n == 0 {
		return
	}
	h.base += n
	if n == len(h.items) {
		h.items, h.gone = nil, nil
		return
	}
	h.items, h.gone = h.items[n:], h.gone[n:]
}
