package main

import (
	"encoding/json"
	"errors"
	"testing"
)

type line struct {
	Event  string  `json:"event"`
	MonoNs int64   `json:"monoNs"`
	Seq    uint64  `json:"seq"`
	LateUs []int64 `json:"lateUs"`
}

var errEnough = errors.New("enough")

func TestEachLineTellsTheLatenessOfEveryWakeUpSinceTheLineBefore(t *testing.T) {
	var lines []line
	err := watch(func(text []byte) (int, error) {
		var read line
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		lines = append(lines, read)
		if len(lines) == 3 {
			return 0, errEnough
		}
		return len(text), nil
	})
	if !errors.Is(err, errEnough) {
		t.Fatalf("watch ended with %v; expected the writer's error", err)
	}
	if lines[0].Event != "ready" {
		t.Errorf("the first event is %q; expected ready", lines[0].Event)
	}
	for index, read := range lines {
		if read.Seq != uint64(index+1) {
			t.Errorf("line %d has seq %d; expected no gap", index+1, read.Seq)
		}
	}
	for _, read := range lines[1:] {
		elapsedUs := int64(0)
		for _, late := range read.LateUs {
			if late < 0 {
				t.Errorf("lateness %d; expected 0 or more", late)
			}
			elapsedUs += late + sleepNs/1_000
		}
		// The sleeps and their lateness fill the time between two reports, but for
		// what happens between two sleeps.
		if elapsedUs < reportNs/1_000*9/10 {
			t.Errorf("wake-ups account for %d µs of a report; expected nearly %d", elapsedUs, reportNs/1_000)
		}
	}
	if lines[2].MonoNs-lines[1].MonoNs < reportNs {
		t.Errorf("reports are %d ns apart; expected at least %d", lines[2].MonoNs-lines[1].MonoNs, reportNs)
	}
}
