package main

import (
	"math"
	"sync"
	"time"
)

// census turns the library's decisions into events and keeps what this node
// believes of every member, the forgotten included.
type census struct {
	self     string
	expected int
	hearsay  bool // tell what was only heard from others, too
	emit     func(event string, fields ...field)

	mu        sync.Mutex
	members   map[string]belief
	alive     int
	converged bool // this node has seen the expected number alive at least once
	changed   time.Time
}

type belief struct{ state, address string }

func newCensus(self string, expected int, hearsay bool, emit func(string, ...field)) *census {
	return &census{self: self, expected: expected, hearsay: hearsay, emit: emit, members: map[string]belief{}, changed: time.Now()}
}

// Observe is the library's hook; the library's locks are held.
func (c *census) Observe(e decision) {
	switch e.Kind {
	case "alive":
		c.sawAlive(e)
	case "suspected":
		c.set(e.Member, "suspect", "")
		if !c.hearsay && e.By != c.self {
			return
		}
		c.emit("member.suspected", field{"victim", e.Member}, field{"accuser", e.By}, field{"own", e.By == c.self},
			field{"incarnation", e.Incarnation}, field{"confirmations", 0}, field{"wanted", e.Wanted},
			field{"minMs", ms(e.Min)}, field{"maxMs", ms(e.Max)}, field{"score", e.Score}, field{"members", e.Members})
	case "confirmed":
		if !c.hearsay {
			return
		}
		c.emit("member.confirmed", field{"victim", e.Member}, field{"accuser", e.By}, field{"firstAccuser", e.FirstBy},
			field{"incarnation", e.Incarnation}, field{"confirmations", e.Confirmations}, field{"wanted", e.Wanted},
			field{"sinceStartMs", ms(e.SinceStart)}, field{"timeoutMs", ms(e.Timeout)}, field{"score", e.Score})
	case "deferred":
		c.emit("suspicion.deferred", field{"victim", e.Member}, field{"firstAccuser", e.FirstBy},
			field{"incarnation", e.Incarnation}, field{"confirmations", e.Confirmations}, field{"wanted", e.Wanted},
			field{"sinceStartMs", ms(e.SinceStart)}, field{"timeoutMs", ms(e.Timeout)}, field{"waitMs", ms(e.Wait)}, field{"score", e.Score})
	case "rearmed":
		c.emit("suspicion.rearmed", field{"victim", e.Member}, field{"firstAccuser", e.FirstBy}, field{"trigger", e.Trigger},
			field{"incarnation", e.Incarnation}, field{"confirmations", e.Confirmations}, field{"wanted", e.Wanted},
			field{"sinceStartMs", ms(e.SinceStart)}, field{"scaledTimeoutMs", ms(e.Timeout)}, field{"waitMs", ms(e.Wait)}, field{"score", e.Score})
	case "fired":
		c.emit("suspicion.fired", field{"accuser", c.self}, field{"victim", e.Member}, field{"firstAccuser", e.FirstBy},
			field{"incarnation", e.Incarnation}, field{"confirmations", e.Confirmations}, field{"wanted", e.Wanted},
			field{"trigger", e.Trigger}, field{"sinceStartMs", ms(e.SinceStart)},
			field{"lastConfirmedBy", e.LastBy}, field{"sinceLastConfirmMs", sinceLastConfirm(e)},
			field{"timeoutMs", ms(e.Timeout)}, field{"scaledTimeoutMs", ms(e.Timeout * time.Duration(e.Score+1))},
			field{"minMs", ms(e.Min)}, field{"maxMs", ms(e.Max)}, field{"rearms", e.Rearms}, field{"score", e.Score})
	case "dead":
		c.set(e.Member, "dead", e.Address)
		c.emit("member.dead", field{"victim", e.Member}, field{"by", e.By}, field{"own", e.By == c.self},
			field{"before", e.Before}, field{"incarnation", e.Incarnation}, field{"score", e.Score})
	case "left":
		c.set(e.Member, "left", e.Address)
		c.emit("member.left", field{"member", e.Member}, field{"before", e.Before}, field{"incarnation", e.Incarnation})
	case "forgotten":
		if !c.hearsay {
			return
		}
		c.emit("member.forgotten", field{"member", e.Member}, field{"before", e.Before})
	case "self-refuted":
		c.emit("self.refuted", field{"accuser", e.By}, field{"reason", e.Reason}, field{"incarnation", e.Incarnation}, field{"score", e.Score})
	case "health":
		c.emit("health.changed", field{"before", e.ScoreBefore}, field{"score", e.Score})
	case "probe-failed":
		c.emit("probe.failed", field{"target", e.Member}, field{"penalty", e.NacksMissing}, field{"nacksWanted", e.Wanted}, field{"score", e.Score})
	default:
		c.emit("library.decided", field{"kind", e.Kind}, field{"member", e.Member})
	}
}

// sawAlive: a suspect or dead member, or one we did not know, is alive now.
func (c *census) sawAlive(e decision) {
	c.mu.Lock()
	before := c.members[e.Member].state
	c.mu.Unlock()
	if before == "" {
		before = "unknown"
	}
	switch {
	case !c.hearsay:
	case before == "suspect":
		c.emit("member.refuted", field{"member", e.Member}, field{"incarnation", e.Incarnation})
	default:
		c.emit("member.joined", field{"member", e.Member}, field{"self", e.Member == c.self}, field{"address", e.Address},
			field{"before", before}, field{"incarnation", e.Incarnation})
	}
	c.set(e.Member, "alive", e.Address)
}

func (c *census) set(member, state, address string) {
	c.mu.Lock()
	was := c.members[member]
	c.changed = time.Now()
	if address == "" {
		address = was.address
	}
	c.members[member] = belief{state, address}
	if was.state == "alive" {
		c.alive--
	}
	reached := false
	if state == "alive" {
		c.alive++
		reached = c.alive == c.expected
	}
	if reached {
		c.converged = true
	}
	alive := c.alive
	c.mu.Unlock()
	if reached {
		c.emit("converged", field{"alive", alive})
	}
}

// Converged is true once the expected number has been alive at one time.
func (c *census) Converged() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.converged
}

// QuietFor is how long ago a member last changed.
func (c *census) QuietFor() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Since(c.changed)
}

// Counts is how many members are in each state; forgotten dead count as dead.
func (c *census) Counts() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	counts := map[string]int{"alive": 0, "suspect": 0, "dead": 0, "left": 0}
	for _, b := range c.members {
		counts[b.state]++
	}
	return counts
}

// DeadAddresses are those a re-join loop tries.
func (c *census) DeadAddresses() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var addresses []string
	for _, b := range c.members {
		if b.state == "dead" {
			addresses = append(addresses, b.address)
		}
	}
	return addresses
}

// sinceLastConfirm is null when nobody confirmed.
func sinceLastConfirm(e decision) any {
	if e.LastBy == "" {
		return nil
	}
	return ms(e.SinceLastConfirm)
}

// ms is a duration in milliseconds with microseconds kept.
func ms(d time.Duration) float64 {
	return math.Round(float64(d)/float64(time.Microsecond)) / 1000
}
