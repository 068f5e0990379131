package main

import (
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
	"syscall"
)

// A reset runs the process anew in the same container and network namespace.
// What goes over is kept in these variables of the new process.
const (
	epochVariable = "SQUALL_INTERNAL_EPOCH" // how many resets there were
	seqVariable   = "SQUALL_INTERNAL_SEQ"   // the last event's number
	baseVariable  = "SQUALL_INTERNAL_BASE"  // the environment that the container was started with
)

type rebirth struct {
	Epoch int
	Seq   uint64
	Base  map[string]string
}

func loadRebirth(environ []string) (rebirth, error) {
	r := rebirth{Base: map[string]string{}}
	kept := ""
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		var err error
		switch name {
		case epochVariable:
			r.Epoch, err = strconv.Atoi(value)
		case seqVariable:
			r.Seq, err = strconv.ParseUint(value, 10, 64)
		case baseVariable:
			kept = value
		default:
			r.Base[name] = value
		}
		if err != nil {
			return r, fmt.Errorf("%s=%q: was not left by a reset: %w", name, value, err)
		}
	}
	if kept != "" {
		r.Base = nil
		if err := json.Unmarshal([]byte(kept), &r.Base); err != nil {
			return r, fmt.Errorf("%s=%q: was not left by a reset: %w", baseVariable, kept, err)
		}
	}
	return r, nil
}

// overridden is the environment at the container's start with overrides in it;
// null takes a variable away. An earlier reset's overrides are not kept.
func (r rebirth) overridden(overrides map[string]*string) (map[string]string, error) {
	env := map[string]string{}
	for name, value := range r.Base {
		env[name] = value
	}
	for name, value := range overrides {
		if !strings.HasPrefix(name, "SQUALL_") || strings.HasPrefix(name, "SQUALL_INTERNAL_") {
			return nil, fmt.Errorf("env.%s: may not be overridden; expected a name that begins with SQUALL_", name)
		}
		if value == nil {
			delete(env, name)
		} else {
			env[name] = *value
		}
	}
	return env, nil
}

// exec replaces this process; it returns only on failure.
func (r rebirth) exec(env map[string]string, lastSeq uint64) error {
	base, err := json.Marshal(r.Base)
	if err != nil {
		return err
	}
	list := []string{
		fmt.Sprintf("%s=%d", epochVariable, r.Epoch+1),
		fmt.Sprintf("%s=%d", seqVariable, lastSeq),
		fmt.Sprintf("%s=%s", baseVariable, base),
	}
	for name, value := range env {
		list = append(list, name+"="+value)
	}
	sort.Strings(list)
	program, err := os.Executable()
	if err != nil {
		return err
	}
	return syscall.Exec(program, os.Args, list)
}
