package main

import (
	"math/rand/v2"
	"net/http"
	"sync"
)

// storm is the switch that a node of ours has for answering 421.
type storm struct {
	mu       sync.Mutex
	on       bool
	ratio    float64
	answered int
}

type stormRequest struct {
	On    bool    `json:"on"`
	Ratio float64 `json:"ratio"`
	Body  string  `json:"body"`
	Seed  string  `json:"seed"`
}

type stormReport struct {
	On       bool `json:"on"`
	Answered int  `json:"answered"`
}

func (s *storm) set(r stormRequest) stormReport {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.on, s.ratio = r.On, r.Ratio
	return stormReport{s.on, s.answered}
}

func (s *storm) get() stormReport {
	s.mu.Lock()
	defer s.mu.Unlock()
	return stormReport{s.on, s.answered}
}

// work is a request that the storm may answer.
func (s *storm) work(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.on && rand.Float64() < s.ratio {
		s.answered++
		w.WriteHeader(http.StatusMisdirectedRequest)
		return
	}
	w.WriteHeader(http.StatusOK)
}
