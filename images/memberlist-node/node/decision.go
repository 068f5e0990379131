package main

import "time"

// decision is what the rewritten library tells its hook, field for field
// (SquallEvent in rewrite/_added/squall_hooks.go).
type decision struct {
	Kind        string
	Member, By  string
	Address     string
	Incarnation uint32
	Before      string
	Reason      string

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

	Score, ScoreBefore int
	NacksMissing       int
}
