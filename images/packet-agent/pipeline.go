package main

import (
	"math"

	"golang.org/x/sys/unix"
)

// item is a packet on its way through a lane, after the first stages.
type item struct {
	id        uint32
	data      []byte // a copy of its own once detached or changed
	protocol  byte
	arrivedNs int64
	// detached: the kernel's packet was dropped and this copy stands for it.
	detached bool
	// changed: data differs from what the kernel has.
	changed bool
	// twice: leaves a second time.
	twice bool
	// slow has the bits of the faults that delay it; holders those that hold it.
	slow    uint64
	holders uint64
	// gateMatch has the bits of the holds whose selector it matches: judged
	// once, when the packet was whole, and needed again after a delay.
	gateMatch uint64
}

// judge takes one packet from the queue through the faults of its lane, in
// the order of pipelineOrder. Only the last stages may keep it.
func (l *lane) judge(p *packet) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p.mark == markProbe && l.dir == outbound {
		l.probe(p)
		return
	}
	l.ports.complete(p)
	now := monoNs()
	peer := l.peer(p)
	it := item{id: p.id, data: p.data, protocol: p.protocol, arrivedNs: now}
	due := now
	for _, b := range l.bindings {
		kind := b.fault.spec.Kind
		if kind == kindHold {
			if b.fault.match.matches(p, peer) {
				it.gateMatch |= b.bit
				if b.holding() {
					b.counts.tcpBytes += uint64(p.tcpPayload())
				}
			}
			continue
		}
		if b.kept > 0 && b.fault.phase.Load() == phaseLifting && b.fault.match.matches(p, peer) {
			// What it delayed is about to leave: this one stays behind it.
			it.slow |= b.bit
			due = math.MaxInt64
			continue
		}
		if !b.acts() || !b.fault.match.matches(p, peer) {
			continue
		}
		b.counts.tcpBytes += uint64(p.tcpPayload())
		switch kind {
		case kindDrop:
			l.drop(b, &it, now)
			return
		case kindBlackhole:
			if p.syn {
				l.drop(b, &it, now)
				return
			}
			b.counts.passed++
		case kindLoss:
			if b.chance() {
				l.drop(b, &it, now)
				return
			}
			b.counts.passed++
		case kindCorrupt:
			if b.chance() && b.corrupt(p, &it) {
				b.counts.corrupted++
				b.counts.affected(now)
			} else {
				b.counts.passed++
			}
		case kindDuplicate:
			if b.chance() {
				it.twice = true
				b.counts.duplicated++
				b.counts.affected(now)
			} else {
				b.counts.passed++
			}
		case kindRate:
			size := p.size
			if it.twice {
				size *= 2 // a copy needs room of its own
			}
			next, ok := b.depart(due, size)
			if !ok {
				l.drop(b, &it, now)
				return
			}
			if next > now || b.kept > 0 {
				it.slow |= b.bit
				b.counts.delayed++
			} else {
				b.counts.passed++
			}
			due = next
		case kindDelay:
			due = b.delayUntil(due)
			it.slow |= b.bit
			b.counts.delayed++
		case kindReorder:
			if b.chance() {
				due += msToNs(*b.fault.spec.DelayMs)
				it.slow |= b.bit
				b.counts.reordered++
			} else {
				b.counts.passed++
			}
		}
	}
	if it.slow == 0 {
		l.gate(&it, now)
		return
	}
	l.keep(&it, due, now)
}

// chance draws one decision of the fault's stream.
func (b *binding) chance() bool { return b.rng.Float64() < *b.fault.spec.Ratio }

func (l *lane) drop(b *binding, it *item, now int64) {
	b.counts.dropped++
	if it.protocol == unix.IPPROTO_TCP {
		b.counts.droppedTcp++
	}
	b.counts.affected(now)
	l.discard(it)
}

// discard ends a packet silently: a queue's drop is no error to the sender.
func (l *lane) discard(it *item) {
	if !it.detached {
		l.verdict(it.id, nfDrop, nil)
	}
}

// detach makes the packet ours to keep: outbound the kernel's is dropped, and
// the copy remains.
func (l *lane) detach(it *item) {
	if l.dir == inbound {
		if !it.changed {
			it.data = nil // the kernel has it
		}
		return
	}
	if !it.detached {
		if !it.changed {
			it.data = append([]byte(nil), it.data...)
		}
		it.detached = true
		l.verdict(it.id, nfDrop, nil)
	}
}

// release lets a packet go on. It may send, so the lane's lock is held only
// where the order needs it; v gathers the verdicts.
func (l *lane) release(it *item, v *verdicts) error {
	if l.abandoned.Load() {
		if !it.detached {
			v.add(l.queueNum(), it.id, nfDrop, nil)
		}
		return nil
	}
	if it.detached {
		if it.twice {
			if err := l.sender.send(it.data); err != nil {
				return err
			}
		}
		return l.sender.send(it.data)
	}
	var err error
	if it.twice {
		err = l.sender.send(it.data)
	}
	var payload []byte
	if it.changed {
		payload = it.data
	}
	v.add(l.queueNum(), it.id, nfAccept, payload)
	return err
}
