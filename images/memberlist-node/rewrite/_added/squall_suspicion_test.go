package memberlist

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// The clock in these tests is synctest's: it stands still while anything runs,
// so every time is exact.

const (
	squallTestMin    = 10 * time.Second
	squallTestMax    = 60 * time.Second
	squallTestWanted = 3
)

// squallHear collects the events of a test and puts the switches back.
func squallHear(t *testing.T) *[]SquallEvent {
	var heard []SquallEvent
	var mu sync.Mutex
	SquallHook = func(e SquallEvent) {
		mu.Lock()
		defer mu.Unlock()
		heard = append(heard, e)
	}
	t.Cleanup(func() {
		SquallHook = nil
		squallSwitch(switchesOff)
	})
	return &heard
}

type squallSettings struct {
	grace                                              time.Duration
	onTimer, onConfirm, healthAtCreation, penaltyFirst bool
}

var switchesOff = squallSettings{}

func squallSwitch(s squallSettings) {
	SquallSwitches.Grace = s.grace
	SquallSwitches.HealthOnTimer, SquallSwitches.HealthOnConfirm = s.onTimer, s.onConfirm
	SquallSwitches.HealthAtCreation, SquallSwitches.PenaltyFirst = s.healthAtCreation, s.penaltyFirst
}

func TestSquall_EveryVariantFiresWhenItShould(t *testing.T) {
	const grace = 2 * time.Second
	shipped := squallSettings{}
	graceOnly := squallSettings{grace: grace}
	firing := squallSettings{onTimer: true, onConfirm: true}
	both := squallSettings{grace: grace, onTimer: true, onConfirm: true}
	timerOnly := squallSettings{onTimer: true}
	confirmOnly := squallSettings{onConfirm: true}

	at := func(seconds ...float64) []float64 { return seconds }
	cases := []struct {
		name     string
		switches squallSettings
		score    int
		wanted   int       // confirmations
		confirms []float64 // seconds, one new accuser each
		fires    float64   // seconds
		trigger  string
		rearms   int
	}{
		// Three confirmations bring 60 s down to 35, 20.375 and 10 s.
		{"as shipped, unconfirmed: at the maximum", shipped, 7, 3, nil, 60, "timer", 0},
		{"as shipped, confirmed once: halfway", shipped, 7, 3, at(5), 35, "timer", 0},
		{"as shipped, confirmed twice", shipped, 0, 3, at(5, 6), 20.375, "timer", 0},
		{"as shipped, fully confirmed: at the minimum", shipped, 0, 3, at(1, 2, 3), 10, "timer", 0},
		{"as shipped, overdue: at once", shipped, 7, 3, at(40), 40, "confirm", 0},
		{"as shipped, none wanted: at the minimum", shipped, 7, 0, nil, 10, "timer", 0},

		{"grace, overdue: two seconds later", graceOnly, 7, 3, at(40), 42, "grace", 0},
		{"grace, overdue and confirmed again: two seconds after the last", graceOnly, 7, 3, at(40, 41), 43, "grace", 0},
		{"grace, in time: as shipped", graceOnly, 7, 3, at(5), 35, "timer", 0},
		{"grace, a moment before overdue: no grace", graceOnly, 7, 3, at(34.5), 35, "timer", 0},
		{"grace, unconfirmed: as shipped", graceOnly, 7, 3, nil, 60, "timer", 0},

		{"health at firing, healthy: as shipped", firing, 0, 3, at(40), 40, "confirm", 0},
		{"health at firing, unhealthy and unconfirmed: eight times the maximum", firing, 7, 3, nil, 480, "timer", 1},
		{"health at firing, unhealthy and overdue: eight times what one confirmation asks", firing, 7, 3, at(40), 280, "timer", 1},
		{"health at firing, unhealthy and fully confirmed: eight times the minimum", firing, 7, 3, at(40, 40.1, 40.2), 80, "timer", 3},
		{"health at firing, fully confirmed after eight times the minimum: at once, healthy or not", firing, 7, 3, at(90, 90.1, 90.2), 90.2, "confirm", 3},
		{"health at firing, half recovered: at once after four times the minimum", firing, 3, 3, at(41, 41.1, 41.2), 41.2, "confirm", 2},
		{"health at firing, none wanted: eight times the minimum", firing, 7, 0, nil, 80, "timer", 1},

		{"both, unhealthy and unconfirmed: as health at firing", both, 7, 3, nil, 480, "timer", 1},
		{"both, fully confirmed after eight times the minimum: the grace", both, 7, 3, at(90, 90.1, 90.2), 92.2, "grace", 1},
		{"both, healthy and overdue: the grace", both, 0, 3, at(40), 42, "grace", 0},
		{"both, less left than the grace: the grace", both, 3, 3, at(37.3, 37.4, 37.5), 41.5, "timer", 1},

		{"timer path only, overdue: at once", timerOnly, 7, 3, at(40), 40, "confirm", 0},
		{"timer path only, unconfirmed: eight times the maximum", timerOnly, 7, 3, nil, 480, "timer", 1},
		{"confirm path only, overdue: later", confirmOnly, 7, 3, at(40), 280, "timer", 1},
		{"confirm path only, unconfirmed: at the maximum", confirmOnly, 7, 3, nil, 60, "timer", 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			heard := squallHear(t)
			squallSwitch(c.switches)
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				w := &squallWatch{score: func() int { return c.score }, member: "victim", firstBy: "first"}
				w.trigger.Store(squallByTimer)
				fired := []time.Duration{}
				s := newSuspicion("first", c.wanted, squallTestMin, squallTestMax, func(n int) {
					fired = append(fired, time.Since(start))
					squallFired(w, &dead{Node: "victim", From: "me"}, n)
				})
				squallAttach(s, w)
				for i, second := range c.confirms {
					time.Sleep(time.Until(start.Add(seconds(second))))
					if !s.Confirm(string(rune('a' + i))) {
						t.Fatalf("confirmation %d was not taken", i)
					}
					synctest.Wait()
				}
				time.Sleep(time.Until(start.Add(time.Hour)))
				synctest.Wait()

				if len(fired) != 1 || fired[0] != seconds(c.fires) {
					t.Fatalf("fired at %v, expected once at %v", fired, seconds(c.fires))
				}
				verdict := squallLast(*heard, "fired")
				if verdict.Trigger != c.trigger || verdict.Rearms != c.rearms || verdict.SinceStart != seconds(c.fires) {
					t.Fatalf("verdict by %q after %d re-arms and %v, expected %q after %d and %v",
						verdict.Trigger, verdict.Rearms, verdict.SinceStart, c.trigger, c.rearms, seconds(c.fires))
				}
				if n := len(c.confirms); n > 0 {
					by, ago := string(rune('a'+n-1)), seconds(c.fires)-seconds(c.confirms[n-1])
					if verdict.LastBy != by || verdict.SinceLastConfirm != ago {
						t.Fatalf("last confirmed by %q %v before, expected by %q %v before", verdict.LastBy, verdict.SinceLastConfirm, by, ago)
					}
				}
				if verdict.Confirmations != len(c.confirms) || verdict.Score != c.score {
					t.Fatalf("verdict says %d confirmations and score %d", verdict.Confirmations, verdict.Score)
				}
			})
		})
	}
}

func TestSquall_AScoreThatFallsIsReadWhenTheTimerFires(t *testing.T) {
	heard := squallHear(t)
	squallSwitch(squallSettings{onTimer: true, onConfirm: true})
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var score atomic.Int32
		score.Store(7)
		w := &squallWatch{score: func() int { return int(score.Load()) }, member: "victim"}
		w.trigger.Store(squallByTimer)
		s := newSuspicion("first", squallTestWanted, squallTestMin, squallTestMax, func(n int) {
			squallFired(w, &dead{Node: "victim", From: "me"}, n)
		})
		squallAttach(s, w)
		time.Sleep(59 * time.Second)
		synctest.Wait()
		score.Store(0)
		time.Sleep(time.Until(start.Add(time.Hour)))
		synctest.Wait()
		if verdict := squallLast(*heard, "fired"); verdict.SinceStart != squallTestMax {
			t.Fatalf("fired after %v, expected %v", verdict.SinceStart, squallTestMax)
		}
	})
}

// Confirmations of one packet arrive while the timer function runs for the first.
func TestSquall_AConfirmationInTheMidstOfArmingCounts(t *testing.T) {
	heard := squallHear(t)
	squallSwitch(squallSettings{onTimer: true, onConfirm: true})
	synctest.Test(t, func(t *testing.T) {
		var s *suspicion
		late := []string{"b", "c"}
		w := &squallWatch{member: "victim", score: func() int { return 7 }}
		w.trigger.Store(squallByTimer)
		s = newSuspicion("first", squallTestWanted, squallTestMin, squallTestMax, func(n int) {
			squallFired(w, &dead{Node: "victim", From: "me"}, n)
		})
		squallAttach(s, w)
		time.Sleep(40 * time.Second)
		hear := SquallHook
		SquallHook = func(e SquallEvent) {
			if e.Kind == "rearmed" { // the count was read, the timer is not armed yet
				for _, by := range late {
					s.Confirm(by)
				}
				late = nil
			}
			hear(e)
		}
		s.Confirm("a")
		time.Sleep(time.Hour)
		synctest.Wait()
		verdict := squallLast(*heard, "fired")
		if verdict.SinceStart != 8*squallTestMin || verdict.Confirmations != 3 {
			t.Fatalf("fired after %v with %d confirmations, expected after %v with 3", verdict.SinceStart, verdict.Confirmations, 8*squallTestMin)
		}
	})
}

func TestSquall_ASuspicionThatWasAnsweredSaysNothing(t *testing.T) {
	for _, switches := range []squallSettings{{}, {grace: time.Second, onTimer: true, onConfirm: true}} {
		heard := squallHear(t)
		squallSwitch(switches)
		synctest.Test(t, func(t *testing.T) {
			m := squallDeafNode(t, 8)
			squallMeet(m, "victim", "witness-1", "witness-2")
			m.awareness.ApplyDelta(7)
			m.suspectNode(&suspect{Incarnation: 1, Node: "victim", From: "witness-1"})
			m.aliveNode(&alive{Incarnation: 2, Node: "victim", Addr: squallAddress, Port: 1, Vsn: m.config.BuildVsnArray()}, nil, false)
			time.Sleep(time.Hour)
			synctest.Wait()
			if kinds := squallKinds(*heard, "victim"); kinds != "alive suspected alive" {
				t.Fatalf("said %q of the victim", kinds)
			}
		})
	}
}

// The order of the penalty and the suspicion: three probes in a row fail, each
// without any sign of life from the three who were asked to help.
func TestSquall_WhichScoreASuspicionIsCreatedWith(t *testing.T) {
	const min, max = 5 * time.Second, 30 * time.Second
	cases := []struct {
		name     string
		switches squallSettings
		scores   []int // at the creation of each suspicion
		scaled   bool
	}{
		{"as shipped: the penalty comes after", switchesOff, []int{0, 3, 6}, false},
		{"health at creation: the first is created healthy", squallSettings{healthAtCreation: true}, []int{0, 3, 6}, true},
		{"penalty first: the first is created unhealthy", squallSettings{healthAtCreation: true, penaltyFirst: true}, []int{3, 6, 7}, true},
		{"penalty first alone: the timeouts are the same", squallSettings{penaltyFirst: true}, []int{3, 6, 7}, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			heard := squallHear(t)
			squallSwitch(c.switches)
			synctest.Test(t, func(t *testing.T) {
				m := squallDeafNode(t, 8)
				squallMeet(m, "victim-1", "victim-2", "victim-3", "helper-1", "helper-2", "helper-3")
				for _, victim := range []string{"victim-1", "victim-2", "victim-3"} {
					m.probeNodeByAddr(victim)
				}
				if score := m.GetHealthScore(); score != 7 {
					t.Errorf("score %d after three failures, expected 7", score)
				}
				suspected := slices.DeleteFunc(slices.Clone(*heard), func(e SquallEvent) bool { return e.Kind != "suspected" })
				if len(suspected) != len(c.scores) {
					t.Fatalf("%d suspicions, expected %d", len(suspected), len(c.scores))
				}
				for i, e := range suspected {
					factor := time.Duration(1)
					if c.scaled {
						factor = time.Duration(c.scores[i] + 1)
					}
					if e.Score != c.scores[i] || e.Min != factor*min || e.Max != factor*max {
						t.Errorf("suspicion %d: score %d, %v to %v; expected %d, %v to %v", i, e.Score, e.Min, e.Max,
							c.scores[i], factor*min, factor*max)
					}
				}
			})
		})
	}
}

func TestSquall_WithoutLifeguardOnlyTheMinimumCounts(t *testing.T) {
	heard := squallHear(t)
	synctest.Test(t, func(t *testing.T) {
		m := squallDeafNode(t, 1)
		m.config.SuspicionMaxTimeoutMult = 1
		squallMeet(m, "victim", "witness-1", "witness-2", "witness-3")
		m.probeNodeByAddr("victim")
		m.suspectNode(&suspect{Incarnation: 1, Node: "victim", From: "witness-1"})
		time.Sleep(time.Hour)
		synctest.Wait()
		verdict := squallLast(*heard, "fired")
		if verdict.SinceStart != 5*time.Second || verdict.Score != 0 || verdict.Confirmations != 1 {
			t.Fatalf("verdict %+v, expected after 5 s with score 0", verdict)
		}
	})
}

func seconds(s float64) time.Duration {
	return time.Duration(s * float64(time.Second)).Round(time.Millisecond)
}

func squallLast(heard []SquallEvent, kind string) SquallEvent {
	for _, e := range slices.Backward(heard) {
		if e.Kind == kind {
			return e
		}
	}
	return SquallEvent{}
}

func squallKinds(heard []SquallEvent, member string) string {
	var kinds []string
	for _, e := range heard {
		if e.Member == member {
			kinds = append(kinds, e.Kind)
		}
	}
	return strings.Join(kinds, " ")
}
