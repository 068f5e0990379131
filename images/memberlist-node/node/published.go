//go:build !rewritten

package main

import (
	"time"

	"github.com/hashicorp/memberlist"
)

// Against the library as published the node compiles, so that editors and unit
// tests work, and refuses to start: it would say nothing and switch nothing.
const rewritten = false

func observeLibrary(func(decision)) {}

func setSwitches(switches, func(ms int) time.Duration) {}

func rememberedMembers(*memberlist.Memberlist) []memberState { return nil }
