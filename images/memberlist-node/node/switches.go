package main

import "sort"

// switches are the fixes of this image and what belongs to them.
type switches struct {
	Grace              bool   `json:"grace"`
	GraceMs            int    `json:"graceMs"`
	HealthAtFiring     bool   `json:"healthAtFiring"`
	HealthAtFiringPath string `json:"healthAtFiringPath"` // both, timer or confirm
	HealthAtCreation   bool   `json:"healthAtCreation"`
	PenaltyFirst       bool   `json:"penaltyFirst"`
	Lifeguard          bool   `json:"lifeguard"`
}

const defaultGraceMs = 2000

var shipped = switches{GraceMs: defaultGraceMs, HealthAtFiringPath: "both", Lifeguard: true}

// variants are named switches, mutants included; image.json says the same, and
// a test compares the two.
var variants = map[string]switches{
	"shipped":                          shipped,
	"grace":                            with(func(s *switches) { s.Grace = true }),
	"health-at-creation":               with(func(s *switches) { s.HealthAtCreation = true }),
	"health-at-creation-penalty-first": with(func(s *switches) { s.HealthAtCreation, s.PenaltyFirst = true, true }),
	"health-at-firing":                 with(func(s *switches) { s.HealthAtFiring = true }),
	"both":                             with(func(s *switches) { s.Grace, s.HealthAtFiring = true, true }),
	"no-lifeguard":                     with(func(s *switches) { s.Lifeguard = false }),

	"health-at-firing-timer-only":   with(func(s *switches) { s.HealthAtFiring, s.HealthAtFiringPath = true, "timer" }),
	"health-at-firing-confirm-only": with(func(s *switches) { s.HealthAtFiring, s.HealthAtFiringPath = true, "confirm" }),
	"both-without-grace":            with(func(s *switches) { s.HealthAtFiring = true }),
	"both-without-health":           with(func(s *switches) { s.Grace = true }),
	"both-health-at-creation":       with(func(s *switches) { s.Grace, s.HealthAtCreation = true, true }),
}

func with(change func(*switches)) switches {
	s := shipped
	change(&s)
	return s
}

// loadSwitches starts from the named variant; every switch that is set by
// itself then overrides it.
func loadSwitches(e *environment) (string, switches) {
	names := make([]string, 0, len(variants))
	for name := range variants {
		names = append(names, name)
	}
	sort.Strings(names)
	name := e.oneOf("SQUALL_VARIANT", "shipped", names...)
	s := variants[name]
	s.Grace = e.yes("SQUALL_GRACE", s.Grace)
	s.GraceMs = e.whole("SQUALL_GRACE_MS", s.GraceMs, 1, longestMs)
	s.HealthAtFiring = e.yes("SQUALL_HEALTH_AT_FIRING", s.HealthAtFiring)
	s.HealthAtFiringPath = e.oneOf("SQUALL_HEALTH_AT_FIRING_PATH", s.HealthAtFiringPath, "both", "timer", "confirm")
	s.HealthAtCreation = e.yes("SQUALL_HEALTH_AT_CREATION", s.HealthAtCreation)
	s.PenaltyFirst = e.yes("SQUALL_PENALTY_FIRST", s.PenaltyFirst)
	s.Lifeguard = e.yes("SQUALL_LIFEGUARD", s.Lifeguard)
	if s.HealthAtFiring && s.HealthAtCreation {
		e.problem("SQUALL_HEALTH_AT_FIRING and SQUALL_HEALTH_AT_CREATION: both are on, which would scale twice; expected at most one")
	}
	return name, s
}
