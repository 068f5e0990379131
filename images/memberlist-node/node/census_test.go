package main

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func hear(expected int) (*census, *[]string) { return hearDetail(expected, true) }

func hearDetail(expected int, hearsay bool) (*census, *[]string) {
	var said []string
	c := newCensus("me", expected, hearsay, func(event string, fields ...field) {
		text := event
		for _, f := range fields {
			switch f.key {
			case "member", "victim", "accuser", "by", "own", "self", "before", "alive":
				text += fmt.Sprintf(" %s=%v", f.key, f.value)
			}
		}
		said = append(said, text)
	})
	return c, &said
}

func TestWhatHappensToAMemberIsTold(t *testing.T) {
	c, said := hear(0)
	for _, d := range []decision{
		{Kind: "alive", Member: "a"},
		{Kind: "suspected", Member: "a", By: "b"},
		{Kind: "alive", Member: "a", Before: "suspect"},
		{Kind: "suspected", Member: "a", By: "me"},
		{Kind: "fired", Member: "a", By: "me"},
		{Kind: "dead", Member: "a", By: "me", Before: "suspect"},
		{Kind: "forgotten", Member: "a", Before: "dead"},
		{Kind: "alive", Member: "a"},
		{Kind: "left", Member: "a", By: "a", Before: "alive"},
		{Kind: "self-refuted", By: "b", Reason: "dead"},
	} {
		c.Observe(d)
	}
	expected := []string{
		"member.joined member=a self=false before=unknown",
		"member.suspected victim=a accuser=b own=false",
		"member.refuted member=a",
		"member.suspected victim=a accuser=me own=true",
		"suspicion.fired accuser=me victim=a",
		"member.dead victim=a by=me own=true before=suspect",
		"member.forgotten member=a before=dead",
		"member.joined member=a self=false before=dead",
		"member.left member=a before=alive",
		"self.refuted accuser=b",
	}
	if !reflect.DeepEqual(*said, expected) {
		t.Errorf("said\n%s\nexpected\n%s", strings.Join(*said, "\n"), strings.Join(expected, "\n"))
	}
}

func TestWithoutHearsayOnlyThisNodesOwnDecisionsAreTold(t *testing.T) {
	c, said := hearDetail(3, false)
	for _, d := range []decision{
		{Kind: "alive", Member: "me"}, {Kind: "alive", Member: "a"}, {Kind: "alive", Member: "b"},
		{Kind: "suspected", Member: "a", By: "b"},
		{Kind: "confirmed", Member: "a", By: "c"},
		{Kind: "alive", Member: "a", Before: "suspect"},
		{Kind: "suspected", Member: "a", By: "me"},
		{Kind: "fired", Member: "a", By: "me"},
		{Kind: "dead", Member: "a", By: "me", Before: "suspect"},
		{Kind: "dead", Member: "b", By: "c", Before: "alive"},
		{Kind: "forgotten", Member: "a", Before: "dead"},
		{Kind: "self-refuted", By: "b", Reason: "dead"},
		{Kind: "health", Score: 1},
	} {
		c.Observe(d)
	}
	expected := []string{
		"converged alive=3",
		"converged alive=3",
		"member.suspected victim=a accuser=me own=true",
		"suspicion.fired accuser=me victim=a",
		"member.dead victim=a by=me own=true before=suspect",
		"member.dead victim=b by=c own=false before=alive",
		"self.refuted accuser=b",
		"health.changed before=0",
	}
	if !reflect.DeepEqual(*said, expected) {
		t.Errorf("said\n%s\nexpected\n%s", strings.Join(*said, "\n"), strings.Join(expected, "\n"))
	}
	if counts := c.Counts(); counts["alive"] != 1 || counts["dead"] != 2 {
		t.Errorf("counts %v", counts)
	}
}

func TestConvergenceIsToldEachTimeTheExpectedNumberIsReached(t *testing.T) {
	c, said := hear(2)
	c.Observe(decision{Kind: "alive", Member: "me"})
	if c.Converged() {
		t.Error("converged alone")
	}
	c.Observe(decision{Kind: "alive", Member: "a"})
	c.Observe(decision{Kind: "dead", Member: "a", By: "b", Address: "1.2.3.4:5"})
	if dead := c.DeadAddresses(); !reflect.DeepEqual(dead, []string{"1.2.3.4:5"}) {
		t.Errorf("dead are %v", dead)
	}
	c.Observe(decision{Kind: "alive", Member: "a"})
	if n := strings.Count(strings.Join(*said, "\n"), "converged alive=2"); n != 2 || !c.Converged() {
		t.Errorf("told %d times: %v", n, *said)
	}
	if counts := c.Counts(); counts["alive"] != 2 || counts["dead"] != 0 {
		t.Errorf("counts %v", counts)
	}
}

func TestAVerdictNobodyConfirmedSaysNothingOfALastConfirmation(t *testing.T) {
	if got := sinceLastConfirm(decision{}); got != nil {
		t.Errorf("said %v", got)
	}
}
