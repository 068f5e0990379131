package main

import "slices"

// fields checks what only some kinds have, and fills in defaults.
func (f *fault) fields() error {
	s := &f.spec
	used := map[string][]string{
		kindHold:      {"udp", "tcp", "other", "pacePps"},
		kindLoss:      {"ratio", "seed"},
		kindDelay:     {"delayMs", "jitterMs", "reorder", "seed"},
		kindDuplicate: {"ratio", "seed"},
		kindReorder:   {"ratio", "delayMs", "seed"},
		kindCorrupt:   {"ratio", "detected", "seed"},
		kindRate:      {"bytesPerSecond", "burstBytes", "queuePackets"},
	}[s.Kind]
	present := []struct {
		name string
		set  bool
	}{
		{"udp", s.UDP != ""}, {"tcp", s.TCP != ""}, {"other", s.Other != ""}, {"pacePps", s.PacePps != nil},
		{"ratio", s.Ratio != nil}, {"delayMs", s.DelayMs != nil}, {"jitterMs", s.JitterMs != nil},
		{"reorder", s.Reorder != nil}, {"detected", s.Detected != nil},
		{"bytesPerSecond", s.BytesPerSecond != nil}, {"burstBytes", s.BurstBytes != nil},
		{"queuePackets", s.QueuePackets != nil},
	}
	for _, field := range present {
		if field.set && !slices.Contains(used, field.name) {
			return bad(s, "%s means nothing for this kind", field.name)
		}
	}
	switch s.Kind {
	case kindHold:
		return f.holdFields()
	case kindLoss, kindDuplicate, kindReorder, kindCorrupt:
		if err := f.ratioFields(); err != nil {
			return err
		}
	case kindRate:
		return f.rateFields()
	}
	return f.delayFields()
}

func (f *fault) holdFields() error {
	s := &f.spec
	for _, field := range []struct {
		name string
		text string
		to   *action
	}{{"udp", s.UDP, &f.hold.udp}, {"tcp", s.TCP, &f.hold.tcp}, {"other", s.Other, &f.hold.other}} {
		switch field.text {
		case "hold", "":
			*field.to = actHold
		case "drop":
			*field.to = actDrop
		case "pass":
			*field.to = actPass
		default:
			return bad(s, "%s is %q; expected hold, drop or pass", field.name, field.text)
		}
	}
	if f.hold.udp == actPass && f.hold.tcp == actPass && f.hold.other == actPass {
		return bad(s, "every protocol passes; expected at least one to be held or dropped")
	}
	if s.PacePps != nil && *s.PacePps <= 0 {
		return bad(s, "pacePps is %v; expected more than 0 packets a second", *s.PacePps)
	}
	return nil
}

func (f *fault) ratioFields() error {
	s := &f.spec
	if s.Ratio == nil || *s.Ratio < 0 || *s.Ratio > 1 {
		return bad(s, "ratio is missing or out of range; expected 0 to 1")
	}
	if s.Kind == kindCorrupt && s.Detected == nil {
		return bad(s, "detected is missing; expected true (bad checksum) or false (good checksum)")
	}
	if s.Kind == kindDuplicate && f.in {
		return bad(s, "an inbound packet cannot be handed over twice; expected direction out "+
			"(duplicate at the sending nodes instead)")
	}
	if len(s.Seed) == 0 {
		return bad(s, "seed is missing; expected a number or text, so that the decisions can be repeated")
	}
	return nil
}

func (f *fault) delayFields() error {
	s := &f.spec
	switch s.Kind {
	case kindReorder:
		if s.DelayMs == nil || *s.DelayMs <= 0 {
			return bad(s, "delayMs is missing or not positive; expected how late a chosen packet leaves")
		}
	case kindDelay:
		if s.DelayMs == nil || *s.DelayMs < 0 {
			return bad(s, "delayMs is missing or negative; expected milliseconds")
		}
		if s.JitterMs != nil && (*s.JitterMs < 0 || *s.JitterMs > *s.DelayMs) {
			return bad(s, "jitterMs is %v; expected 0 to delayMs", *s.JitterMs)
		}
		if s.JitterMs != nil && *s.JitterMs > 0 && len(s.Seed) == 0 {
			return bad(s, "seed is missing; expected a number or text, so that the jitter can be repeated")
		}
	}
	return nil
}

const (
	defaultBurstBytes   = 16 << 10
	defaultQueuePackets = 1000
)

func (f *fault) rateFields() error {
	s := &f.spec
	if s.BytesPerSecond == nil || *s.BytesPerSecond <= 0 {
		return bad(s, "bytesPerSecond is missing or not positive")
	}
	if s.BurstBytes == nil {
		burst := float64(defaultBurstBytes)
		s.BurstBytes = &burst
	}
	if s.QueuePackets == nil {
		packets := defaultQueuePackets
		s.QueuePackets = &packets
	}
	if *s.BurstBytes < 0 || *s.QueuePackets < 0 {
		return bad(s, "burstBytes and queuePackets; expected 0 or more")
	}
	return nil
}
