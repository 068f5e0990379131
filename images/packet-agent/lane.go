package main

import (
	"errors"
	"log"
	"math/rand/v2"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
)

type direction byte

const (
	inbound direction = iota
	outbound
)

func (d direction) String() string {
	if d == inbound {
		return "in"
	}
	return "out"
}

// lane is the path of a node's packets in one direction: the queue they come
// from, the faults they meet, and what waits on the way.
//
// A packet that cannot go on at once is kept differently in each direction.
// Inbound it stays in the kernel's queue, without a verdict. Outbound it is
// copied and dropped at once, since a packet withheld there stays charged to
// the sender's socket and stalls it; the copy is sent again when its time comes.
type lane struct {
	dir  direction
	node *node

	mu       sync.Mutex
	queue    *queue
	sender   *rawSender
	bindings []*binding // in pipeline order
	slots    [maxFaultsPerNode]*binding
	ports    fragmentPorts
	out      verdicts
	held     heldList
	waiting  waitList
	probes   []probeArrival
	// wake tells the pump that the earliest due time may have changed.
	wake chan struct{}
	// loops counts the goroutines that serve the open queue.
	loops sync.WaitGroup

	// abandoned: the node's process has ended, so what waits goes with it. Sent
	// on at that moment it would arrive before its time.
	abandoned atomic.Bool

	// draining lets one release at a time run in the lane, which keeps order.
	draining sync.Mutex
}

// maxFaultsPerNode is how many faults may be armed on a node: one bit each.
const maxFaultsPerNode = 64

// binding is a fault on one lane.
type binding struct {
	fault *fault
	lane  *lane
	bit   uint64
	rng   *rand.Rand
	// drained is set, under the lane's lock, when the fault has let go of its
	// last packet here; from then on it meets no packet.
	drained atomic.Bool
	ending  sync.Once

	// Under the lane's lock.
	counts  counts
	kept    uint64 // packets of this fault waiting now
	lastDue int64  // delay: nothing later in line leaves before this
	tatNs   int64  // rate: theoretical arrival time of the next byte
}

// acts says whether new packets meet the fault now.
func (b *binding) acts() bool {
	return b.fault.phase.Load() == phaseApplied && !b.drained.Load()
}

// holding says whether a hold still keeps what matches it: while it acts, and
// while it drains, so that what arrives joins the tail.
func (b *binding) holding() bool {
	p := b.fault.phase.Load()
	return (p == phaseApplied || p == phaseLifting) && !b.drained.Load()
}

// inForce is what a probe asks.
func (b *binding) inForce() bool {
	if b.fault.spec.Kind == kindHold {
		return b.holding()
	}
	return b.acts()
}

// snapshot is the counts as they are now, without the delays.
func (b *binding) snapshot() counts {
	b.lane.mu.Lock()
	defer b.lane.mu.Unlock()
	c := b.counts
	c.late = nil
	return c
}

func newLane(n *node, dir direction) *lane {
	return &lane{dir: dir, node: n, wake: make(chan struct{}, 1)}
}

func (l *lane) queueNum() uint16 {
	if l.dir == inbound {
		return queueIn
	}
	return queueOut
}

// bind adds a fault to the lane; it must not act yet.
func (l *lane) bind(f *fault) (*binding, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	slot := slices.Index(l.slots[:], nil)
	if slot < 0 {
		return nil, fail("too-many-faults", "node %s: %d faults are armed; expected at most %d at a time",
			l.node.name, maxFaultsPerNode, maxFaultsPerNode)
	}
	b := &binding{fault: f, lane: l, bit: 1 << slot}
	if len(f.spec.Seed) > 0 {
		b.rng = newStream(f.spec.Seed, f.spec.Kind, l.node.name, l.dir)
	}
	l.slots[slot] = b
	l.bindings = append(l.bindings, b)
	slices.SortStableFunc(l.bindings, func(x, y *binding) int { return x.fault.rank - y.fault.rank })
	return b, nil
}

// unbind takes a fault that holds nothing any more off the lane.
func (l *lane) unbind(b *binding) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.bindings = slices.DeleteFunc(l.bindings, func(x *binding) bool { return x == b })
	if slot := slices.Index(l.slots[:], b); slot >= 0 {
		l.slots[slot] = nil
	}
	// The next fault in this place has not been matched with what waits.
	for i := range l.waiting.heap {
		l.waiting.heap[i].item.gateMatch &^= b.bit
	}
}

// needs is what the armed faults must see of the lane's packets.
func (l *lane) needs() (set protocolSet, copyRange uint32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	copyRange = headerBytes
	if l.dir == outbound {
		copyRange = wholePacket
	}
	for _, b := range l.bindings {
		set = set.union(b.fault.protocols())
		if b.fault.spec.Kind == kindCorrupt {
			copyRange = wholePacket
		}
	}
	return set, copyRange
}

// open binds the queue and starts to serve it.
func (l *lane) open(nsFd int) error {
	_, copyRange := l.needs()
	q, err := openQueue(nsFd, l.queueNum(), copyRange)
	if err != nil {
		return err
	}
	q.orphaned = &l.abandoned
	q.onOverrun = func() {
		l.node.agent.event("overflow", map[string]any{"node": l.node.name, "direction": l.dir.String(), "enobufs": 1})
	}
	if l.dir == outbound {
		sender, err := openRawSender(nsFd)
		if err != nil {
			return errors.Join(err, q.close())
		}
		l.sender = sender
	}
	l.mu.Lock()
	l.queue = q
	l.mu.Unlock()
	stop := make(chan struct{})
	l.loops.Add(2)
	go func() {
		defer l.loops.Done()
		defer close(stop)
		if err := q.receive(l.judge, l.settle); err != nil && l.isOpen() {
			log.Printf("node %s %s: queue ended: %v", l.node.name, l.dir, err)
			l.node.agent.event("queue-failed", map[string]any{
				"node": l.node.name, "direction": l.dir.String(), "message": err.Error(),
			})
		}
	}()
	go func() {
		defer l.loops.Done()
		l.pump(stop)
	}()
	return nil
}

func (l *lane) isOpen() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.queue != nil
}

// close ends the queue. Whatever the kernel still holds for it is lost, so the
// node drains and removes its rules first.
func (l *lane) close() error {
	l.mu.Lock()
	q := l.queue
	l.queue = nil
	l.mu.Unlock()
	if q == nil {
		return nil
	}
	err := q.close()
	l.loops.Wait()
	if l.sender != nil {
		err = errors.Join(err, l.sender.close())
		l.sender = nil
	}
	return err
}

func (l *lane) peer(p *packet) netip.Addr {
	if l.dir == inbound {
		return p.src
	}
	return p.dst
}

// settle sends the verdicts of a batch and closes the books on its probes.
func (l *lane) settle() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.flush()
	l.settleProbes()
}

// setCopyRange changes how much of each packet the open queue copies.
func (l *lane) setCopyRange(copyRange uint32) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.queue.setCopyRange(copyRange)
}

// flush hands gathered verdicts to the kernel. The lane's lock is held.
func (l *lane) flush() {
	if l.queue == nil {
		l.out.buf = l.out.buf[:0]
		return
	}
	if err := l.out.send(l.queue); err != nil {
		l.queue.verdictErrors.Add(1)
		log.Printf("node %s %s: verdicts: %v", l.node.name, l.dir, err)
	}
}

func (l *lane) verdict(id, verdict uint32, payload []byte) {
	l.out.add(l.queueNum(), id, verdict, payload)
	if l.out.full() {
		l.flush()
	}
}

// waitingNow is how many packets the lane keeps at this moment.
func (l *lane) waitingNow() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held.len() + l.waiting.len()
}
