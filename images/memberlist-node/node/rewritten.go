//go:build rewritten

package main

import (
	"time"

	"github.com/hashicorp/memberlist"
)

const rewritten = true

// observeLibrary takes the hook of the rewritten library. Call it before Create.
func observeLibrary(observe func(decision)) {
	memberlist.SquallHook = func(e memberlist.SquallEvent) { observe(decision(e)) }
}

// setSwitches hands the switches to the rewritten library. Call it before Create.
func setSwitches(s switches, warped func(ms int) time.Duration) {
	to := &memberlist.SquallSwitches
	to.Grace = 0
	if s.Grace {
		to.Grace = warped(s.GraceMs)
	}
	to.HealthOnTimer = s.HealthAtFiring && s.HealthAtFiringPath != "confirm"
	to.HealthOnConfirm = s.HealthAtFiring && s.HealthAtFiringPath != "timer"
	to.HealthAtCreation = s.HealthAtCreation
	to.PenaltyFirst = s.PenaltyFirst
}

func rememberedMembers(list *memberlist.Memberlist) []memberState {
	members := []memberState{}
	for _, m := range list.SquallMembers() {
		members = append(members, memberState{m.Name, m.Address, m.State, m.Incarnation, ms(m.SinceChange)})
	}
	return members
}
