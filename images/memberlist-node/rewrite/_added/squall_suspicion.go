package memberlist

import "time"

// The ways in which a verdict comes about.
const (
	squallByTimer   = "timer"   // the timer ran out (re-armed or not)
	squallByConfirm = "confirm" // a confirmation found the timeout passed and fired at once
	squallByGrace   = "grace"   // the same, after the grace
)

// squallSuspected is called when a suspicion is about to be created; it may
// scale the timeouts, and returns what the suspicion will carry.
func squallSuspected(m *Memberlist, s *suspect, wanted, members int, min, max *time.Duration) *squallWatch {
	if SquallSwitches.HealthAtCreation {
		*min = m.awareness.ScaleTimeout(*min)
		*max = m.awareness.ScaleTimeout(*max)
	}
	w := &squallWatch{score: m.awareness.GetHealthScore, member: s.Node, firstBy: s.From, incarnation: s.Incarnation}
	w.trigger.Store(squallByTimer)
	squallEmit(SquallEvent{Kind: "suspected", Member: s.Node, By: s.From, Incarnation: s.Incarnation,
		Wanted: wanted, Members: members, Min: *min, Max: *max, Score: w.score()})
	return w
}

// squallAttach hands the watch to the suspicion. Until then, and for ever in
// the library's own tests, a suspicion behaves as shipped.
func squallAttach(s *suspicion, w *squallWatch) {
	w.suspicion = s
	s.squall.Store(w)
}

// squallCleared marks the suspicion of a member, if any, as answered.
func squallCleared(m *Memberlist, member string) {
	if s, ok := m.nodeTimers[member]; ok {
		if w := s.squall.Load(); w != nil {
			w.cleared.Store(true)
		}
	}
}

// squallConfirmed notes a new confirmation.
func squallConfirmed(s *suspicion, by string, n int32) {
	w := s.squall.Load()
	if w == nil {
		return
	}
	w.last.Store(&squallConfirmation{by: by, at: time.Now()})
	squallEmit(SquallEvent{Kind: "confirmed", Member: w.member, By: by, FirstBy: w.firstBy, Confirmations: int(n),
		Wanted: int(s.k), SinceStart: time.Since(s.start), Timeout: squallTotal(s, n), Score: w.score(),
		Incarnation: w.incarnation})
}

// squallTotal is the timeout that n confirmations ask for, from the start of
// the suspicion and without regard to health.
func squallTotal(s *suspicion, n int32) time.Duration {
	if s.k < 1 {
		return s.min
	}
	return remainingSuspicionTime(n, s.k, 0, s.min, s.max)
}

// squallOverdue stands where a confirmation found the timeout passed and had
// stopped the timer.
func squallOverdue(s *suspicion) {
	w := s.squall.Load()
	if w == nil {
		go s.timeoutFn()
		return
	}
	grace := SquallSwitches.Grace
	if grace <= 0 {
		w.trigger.Store(squallByConfirm)
		go s.timeoutFn()
		return
	}
	w.trigger.Store(squallByGrace)
	s.timer.Reset(grace)
	n := s.n.Load()
	squallEmit(SquallEvent{Kind: "deferred", Member: w.member, FirstBy: w.firstBy, Confirmations: int(n), Wanted: int(s.k),
		SinceStart: time.Since(s.start), Timeout: squallTotal(s, n), Wait: grace, Score: w.score(), Incarnation: w.incarnation})
}

// squallTimeout is the timer function of every suspicion, reached by the timer
// and by a confirmation alike.
func squallTimeout(s *suspicion, fire func(int)) {
	w := s.squall.Load()
	if w == nil {
		fire(int(s.n.Load()))
		return
	}
	if w.cleared.Load() || squallRearm(s, w) {
		return
	}
	fire(int(s.n.Load()))
}

// squallRearm reads the health score now and, when the timeout scaled by it has
// not passed, arms the timer for what is left of it, or for the grace where
// that is longer.
//
// A confirmation that arrives while this runs finds the timer stopped and does
// nothing, so the count is read again after arming.
func squallRearm(s *suspicion, w *squallWatch) bool {
	trigger := w.trigger.Load().(string)
	guarded := SquallSwitches.HealthOnConfirm
	if trigger == squallByTimer {
		guarded = SquallSwitches.HealthOnTimer
	}
	if !guarded {
		return false
	}
	for {
		n := s.n.Load()
		score := w.score()
		scaled := squallTotal(s, n) * time.Duration(score+1)
		since := time.Since(s.start)
		extra := scaled - since
		if extra <= 0 {
			return false
		}
		wait := max(extra, SquallSwitches.Grace)
		w.rearms.Add(1)
		w.trigger.Store(squallByTimer)
		squallEmit(SquallEvent{Kind: "rearmed", Member: w.member, FirstBy: w.firstBy, Confirmations: int(n), Wanted: int(s.k),
			Trigger: trigger, SinceStart: since, Timeout: scaled, Wait: wait, Score: score, Incarnation: w.incarnation})
		s.timer.Reset(wait)
		if s.n.Load() == n || !s.timer.Stop() {
			return true
		}
	}
}

// squallFired is called when the timer's verdict stands: the member is about to
// be marked dead by this node itself.
func squallFired(w *squallWatch, d *dead, confirmations int) {
	now, s := time.Now(), w.suspicion
	e := SquallEvent{Kind: "fired", Member: d.Node, By: d.From, FirstBy: w.firstBy, Confirmations: confirmations,
		Wanted: int(s.k), Trigger: w.trigger.Load().(string), SinceStart: now.Sub(s.start),
		Timeout: squallTotal(s, int32(confirmations)), Min: s.min, Max: s.max, Score: w.score(),
		Rearms: int(w.rearms.Load()), Incarnation: d.Incarnation}
	if last := w.last.Load(); last != nil {
		e.LastBy, e.SinceLastConfirm = last.by, now.Sub(last.at)
	}
	squallEmit(e)
}
