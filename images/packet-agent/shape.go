package main

import (
	"container/heap"
	"time"
)

// depart is when a packet of size bytes may leave a token bucket of burstBytes
// filled at bytesPerSecond (the virtual scheduling form of the generic cell
// rate algorithm, ITU-T I.371). ok is false when the line before it is full.
func (b *binding) depart(at int64, size int) (due int64, ok bool) {
	s := &b.fault.spec
	perByte := 1e9 / *s.BytesPerSecond
	tat := max(b.tatNs, at) + int64(float64(size)*perByte)
	due = max(at, tat-int64(*s.BurstBytes*perByte))
	if due > at && b.kept >= uint64(*s.QueuePackets) {
		return 0, false
	}
	b.tatNs = tat
	return due, true
}

// delayUntil adds the delay, and a jitter spread evenly over ±jitterMs. Unless
// reordering is asked for, no packet leaves before an earlier one.
func (b *binding) delayUntil(at int64) int64 {
	s := &b.fault.spec
	ms := *s.DelayMs
	if s.JitterMs != nil && *s.JitterMs > 0 {
		ms += *s.JitterMs * (2*b.rng.Float64() - 1)
	}
	due := at + msToNs(ms)
	if s.Reorder != nil && *s.Reorder {
		return due
	}
	b.lastDue = max(due, b.lastDue)
	return b.lastDue
}

// keep puts a packet into the lane's waiting list until due.
func (l *lane) keep(it *item, due, now int64) {
	if l.waiting.len() >= queueMaxPackets {
		l.overflow(it.slow)
		l.discard(it)
		return
	}
	l.detach(it)
	l.eachBit(it.slow, func(b *binding) {
		b.kept++
		b.counts.affected(now)
	})
	l.waiting.add(*it, due)
	l.nudge()
}

func (l *lane) nudge() {
	select {
	case l.wake <- struct{}{}:
	default: // a wake-up is pending already
	}
}

// pump lets waiting packets go on when they are due, until stop.
func (l *lane) pump(stop <-chan struct{}) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		wait := l.releaseDue()
		timer.Reset(wait)
		select {
		case <-stop:
			return
		case <-l.wake:
		case <-timer.C:
		}
	}
}

// releaseDue passes on what is due and says how long the next one has.
func (l *lane) releaseDue() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.passOnDue()
}

func (l *lane) passOnDue() time.Duration {
	defer l.flush()
	for l.waiting.len() > 0 {
		now := monoNs()
		first := &l.waiting.heap[0]
		if first.due > now {
			return time.Duration(first.due - now)
		}
		w := heap.Pop(&l.waiting.heap).(waiter)
		l.eachBit(w.item.slow, func(b *binding) {
			b.kept--
			if l.abandoned.Load() {
				b.counts.abandoned++
				return
			}
			b.counts.kept(now - w.item.arrivedNs)
		})
		l.gate(&w.item, now)
	}
	return time.Hour
}

// expire lets everything that the fault delays leave now, in the order of its
// arrival.
func (l *lane) expire(b *binding) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := monoNs()
	for i := range l.waiting.heap {
		if w := &l.waiting.heap[i]; w.item.slow&b.bit != 0 && w.due > now {
			w.due = now
		}
	}
	heap.Init(&l.waiting.heap)
	b.drained.Store(true)
	l.passOnDue()
}

// eachBit calls fn for the lane's binding of each bit.
func (l *lane) eachBit(bits uint64, fn func(*binding)) {
	for slot := 0; bits != 0; slot, bits = slot+1, bits>>1 {
		if bits&1 != 0 && l.slots[slot] != nil {
			fn(l.slots[slot])
		}
	}
}

// waitList orders packets by due time, and by arrival where that is equal.
type waitList struct {
	heap waitHeap
	next uint64
}

type waiter struct {
	item item
	due  int64
	seq  uint64
}

func (w *waitList) len() int { return len(w.heap) }

func (w *waitList) add(it item, due int64) {
	heap.Push(&w.heap, waiter{it, due, w.next})
	w.next++
}

type waitHeap []waiter

func (h waitHeap) Len() int { return len(h) }
func (h waitHeap) Less(i, j int) bool {
	return h[i].due < h[j].due || (h[i].due == h[j].due && h[i].seq < h[j].seq)
}
func (h waitHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *waitHeap) Push(x any)   { *h = append(*h, x.(waiter)) }
func (h *waitHeap) Pop() any {
	last := len(*h) - 1
	w := (*h)[last]
	(*h)[last] = waiter{}
	*h = (*h)[:last]
	return w
}
