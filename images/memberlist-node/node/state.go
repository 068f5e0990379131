package main

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

type memberState struct {
	Name          string  `json:"name"`
	Address       string  `json:"address"`
	State         string  `json:"state"`
	Incarnation   uint32  `json:"incarnation"`
	SinceChangeMs float64 `json:"sinceChangeMs"`
}

type nodeState struct {
	Name        string            `json:"name"`
	Address     string            `json:"address"`
	Variant     string            `json:"variant"`
	Labels      map[string]string `json:"labels"`
	Epoch       int               `json:"epoch"`
	Converged   bool              `json:"converged"`
	Counts      map[string]int    `json:"counts"`
	HealthScore int               `json:"healthScore"`
	Members     []memberState     `json:"members"` // without the dead that the library has dropped; counts has them
	UptimeMs    float64           `json:"uptimeMs"`
	RSSBytes    int64             `json:"rssBytes"`
	Goroutines  int               `json:"goroutines"`
	LastSeq     uint64            `json:"lastSeq"`
	MonoNs      int64             `json:"monoNs"`
	Settings    settings          `json:"settings"`
}

// beliefs are what decides whether anything can still happen, without the list of members that makes a state large:
// how many members are alive, suspect, dead and left in this node's eyes, and its health score. Every suspect has a timer.
func (n *node) beliefs() map[string]int {
	beliefs := n.census.Counts()
	beliefs["healthScore"] = n.list.GetHealthScore()
	return beliefs
}

func (n *node) state() nodeState {
	return nodeState{
		Name:        n.settings.NodeName,
		Address:     n.list.LocalNode().Address(),
		Variant:     n.settings.Variant,
		Labels:      map[string]string{"variant": n.settings.Variant, "system": "memberlist"},
		Epoch:       n.rebirth.Epoch,
		Converged:   n.census.Converged(),
		Counts:      n.census.Counts(),
		HealthScore: n.list.GetHealthScore(),
		Members:     rememberedMembers(n.list),
		UptimeMs:    ms(time.Since(n.began)),
		RSSBytes:    residentBytes(),
		Goroutines:  runtime.NumGoroutine(),
		LastSeq:     n.emitter.Seq(),
		MonoNs:      monotonicNs(),
		Settings:    n.settings,
	}
}

// residentBytes is 0 where /proc cannot be read.
func residentBytes() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}
