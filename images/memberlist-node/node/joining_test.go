package main

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func peersOf(bind, name, list string) (first, later []string) {
	j := joiner{s: settings{Bind: bind, Port: 7946, NodeName: name, Join: strings.Split(list, ",")}}
	return j.peers()
}

func TestSeedsAskThoseBeforeThemSoThatNoIslandsForm(t *testing.T) {
	const list = "10.0.0.1,10.0.0.2:7946,10.0.0.3,10.0.0.4"
	for _, c := range []struct {
		bind         string
		first, later []string
	}{
		{"10.0.0.1", []string{"10.0.0.2:7946", "10.0.0.3", "10.0.0.4"}, nil},
		{"10.0.0.2", []string{"10.0.0.1"}, []string{"10.0.0.3", "10.0.0.4"}},
		{"10.0.0.4", []string{"10.0.0.1", "10.0.0.2:7946", "10.0.0.3"}, []string{}},
	} {
		first, later := peersOf(c.bind, "any", list)
		if !reflect.DeepEqual(first, c.first) || !reflect.DeepEqual(later, c.later) {
			t.Errorf("%s asks %v, then %v; expected %v, then %v", c.bind, first, later, c.first, c.later)
		}
	}
}

func TestOtherNodesSpreadOverTheSeeds(t *testing.T) {
	begins := map[string]int{}
	for i := range 100 {
		first, later := peersOf("10.0.9.9", strings.Repeat("n", i+1), "10.0.0.1,10.0.0.2,10.0.0.3")
		if len(first) != 3 || len(later) != 0 {
			t.Fatalf("asks %v, then %v", first, later)
		}
		begins[first[0]]++
	}
	for seed, n := range begins {
		if n < 15 {
			t.Errorf("%s is asked first by %d of 100", seed, n)
		}
	}
}

func TestANodeAloneInItsListAsksNobody(t *testing.T) {
	if first, later := peersOf("10.0.0.1", "n", "10.0.0.1"); first != nil || later != nil {
		t.Errorf("asks %v, %v", first, later)
	}
}

func TestJoiningIsTriedUntilSomebodyAnswersAndSettlingEndsWithConvergence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		members, refusals, settled := 1, 5, 0
		c, _ := hear(3)
		j := joiner{
			s:      settings{Bind: "10.0.0.9", Port: 7946, NodeName: "n", Join: []string{"10.0.0.1", "10.0.0.2"}, Expected: 3, Warp: 1},
			census: c,
			emit:   func(string, ...field) {},
			join: func(peers []string) (int, error) {
				if refusals > 0 {
					refusals--
					return 0, errors.New("refused")
				}
				if members++; members > 2 {
					settled++
				}
				if settled == 2 {
					c.converged = true
				}
				return 1, nil
			},
			members: func() int { return members },
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		ended := make(chan struct{})
		go func() { j.Run(ctx); close(ended) }()
		time.Sleep(time.Hour)
		select {
		case <-ended:
		default:
			t.Error("goes on after convergence")
		}
		if refusals != 0 || settled != 2 {
			t.Errorf("%d refusals left, asked %d more", refusals, settled)
		}
	})
}

func TestJoiningStopsWhenTheNodeEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := hear(3)
		j := joiner{
			s: settings{Bind: "10.0.0.9", Port: 7946, Join: []string{"10.0.0.1"}, Expected: 3, Warp: 1}, census: c,
			join: func([]string) (int, error) { return 0, errors.New("refused") }, members: func() int { return 1 },
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		j.Run(ctx) // would never end by itself
	})
}
