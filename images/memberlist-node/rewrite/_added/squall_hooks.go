package memberlist

import (
	"sync/atomic"
	"time"
)

// SquallHook receives every decision that the public delegates do not show. It
// is called from several goroutines, mostly with the library's locks held: it
// must not block and must not call back into the Memberlist. Set it, and SquallSwitches, before Create.
var SquallHook func(SquallEvent)

// SquallSwitches choose the behaviour at run time. The zero value is the
// library as shipped.
var SquallSwitches struct {
	// Grace is how long a confirmation that finds the timeout already passed
	// waits before it fires. Zero fires at once, as shipped.
	Grace time.Duration
	// HealthOnTimer and HealthOnConfirm make the timer's own path and the
	// instant path of a confirmation read the health score when they fire.
	HealthOnTimer   bool
	HealthOnConfirm bool
	// HealthAtCreation scales both timeouts by the score at creation.
	HealthAtCreation bool
	// PenaltyFirst applies the penalty of a failed probe before the suspicion
	// that it raises is created.
	PenaltyFirst bool
}

// SquallEvent is one decision. Which fields mean something depends on Kind;
// the node's README lists them.
type SquallEvent struct {
	Kind string
	// Member is whom it is about, By who said so (the accuser).
	Member, By  string
	Address     string
	Incarnation uint32
	// Before is the member's state before, in lower case; "" when unknown.
	Before string
	Reason string

	// Of a suspicion.
	FirstBy          string
	LastBy           string
	Confirmations    int
	Wanted           int
	Trigger          string
	SinceStart       time.Duration
	SinceLastConfirm time.Duration
	Min, Max         time.Duration
	Timeout          time.Duration
	Wait             time.Duration
	Rearms           int
	Members          int

	// Of this node's health.
	Score, ScoreBefore int
	NacksMissing       int
}

func squallEmit(e SquallEvent) {
	if SquallHook != nil {
		SquallHook(e)
	}
}

func squallStateName(s NodeStateType) string {
	return s.metricsString()
}

// squallRefuted: this node heard itself accused (or misdescribed) and answered
// with a higher incarnation.
func squallRefuted(m *Memberlist, reason, by string, incarnation uint32) {
	squallEmit(SquallEvent{Kind: "self-refuted", Member: m.config.Name, By: by, Reason: reason,
		Incarnation: incarnation, Score: m.awareness.GetHealthScore()})
}

// squallDead is called just before the state changes to dead or left.
func squallDead(m *Memberlist, state *nodeState, d *dead) {
	kind := "dead"
	if d.Node == d.From {
		kind = "left"
	}
	squallEmit(SquallEvent{Kind: kind, Member: state.Name, By: d.From, Incarnation: d.Incarnation,
		Address: state.Address(), Before: squallStateName(state.State), Score: m.awareness.GetHealthScore()})
}

// squallAlive is called just before the state changes to alive.
func squallAlive(_ *Memberlist, state *nodeState, a *alive, known bool) {
	before := ""
	if known {
		before = squallStateName(state.State)
	}
	squallEmit(SquallEvent{Kind: "alive", Member: state.Name, Incarnation: a.Incarnation,
		Address: state.Address(), Before: before})
}

// squallForgotten: a dead member was dropped from the list of nodes.
func squallForgotten(_ *Memberlist, state *nodeState) {
	squallEmit(SquallEvent{Kind: "forgotten", Member: state.Name, Before: squallStateName(state.State)})
}

func squallHealthChanged(_ *awareness, before, score int) {
	squallEmit(SquallEvent{Kind: "health", ScoreBefore: before, Score: score})
}

// squallProbeFailed returns the penalty that is still to be applied.
func squallProbeFailed(m *Memberlist, member string, penalty, nacksWanted int) int {
	squallEmit(SquallEvent{Kind: "probe-failed", Member: member, NacksMissing: penalty, Wanted: nacksWanted,
		Score: m.awareness.GetHealthScore()})
	if !SquallSwitches.PenaltyFirst {
		return penalty
	}
	m.awareness.ApplyDelta(penalty)
	return 0
}

// SquallMember is a member as this node sees it, the dead included.
type SquallMember struct {
	Name, Address, State string
	Incarnation          uint32
	SinceChange          time.Duration
}

// SquallMembers lists every member this node still remembers.
func (m *Memberlist) SquallMembers() []SquallMember {
	m.nodeLock.RLock()
	defer m.nodeLock.RUnlock()
	members := make([]SquallMember, 0, len(m.nodes))
	for _, n := range m.nodes {
		members = append(members, SquallMember{Name: n.Name, Address: n.Address(), State: squallStateName(n.State),
			Incarnation: n.Incarnation, SinceChange: time.Since(n.StateChange)})
	}
	return members
}

// squallWatch is what one suspicion knows beside the library's own fields.
type squallWatch struct {
	score       func() int
	suspicion   *suspicion // set once, before the suspicion knows the watch
	member      string
	firstBy     string
	incarnation uint32

	// cleared: the suspicion was answered or overtaken, so its timer, which
	// the library leaves running, no longer has anything to say.
	cleared atomic.Bool
	trigger atomic.Value // string: "timer", "confirm" or "grace"
	rearms  atomic.Int32
	last    atomic.Pointer[squallConfirmation]
}

type squallConfirmation struct {
	by string
	at time.Time
}
