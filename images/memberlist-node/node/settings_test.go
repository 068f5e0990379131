package main

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"
)

func from(env map[string]string) func(string) string {
	return func(name string) string {
		if name == "SQUALL_BIND" && env[name] == "" {
			return "127.0.0.1"
		}
		return env[name]
	}
}

func TestEveryProblemOfTheSettingsIsReportedAtOnce(t *testing.T) {
	_, err := loadSettings(from(map[string]string{
		"SQUALL_PORT": "0", "SQUALL_WARP": "NaN", "SQUALL_BIND": "nowhere", "SQUALL_VARIANT": "bth",
		"SQUALL_GRACE": "maybe", "SQUALL_PROBE_TIMEOUT_MS": "1000", "SQUALL_LOG_LEVEL": "loud",
		"SQUALL_HEALTH_AT_FIRING": "true", "SQUALL_HEALTH_AT_CREATION": "true",
	}))
	for _, name := range []string{"SQUALL_PORT", "SQUALL_WARP", "SQUALL_BIND", "SQUALL_VARIANT", "SQUALL_GRACE",
		"SQUALL_PROBE_TIMEOUT_MS", "SQUALL_LOG_LEVEL", "scale twice"} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("nothing is said of %s: %v", name, err)
		}
	}
}

func TestASwitchThatIsSetOverridesTheVariant(t *testing.T) {
	s, err := loadSettings(from(map[string]string{"SQUALL_VARIANT": "both", "SQUALL_GRACE": "false", "SQUALL_HEALTH_AT_FIRING_PATH": "timer"}))
	if err != nil {
		t.Fatal(err)
	}
	if s.Switches.Grace || !s.Switches.HealthAtFiring || s.Switches.HealthAtFiringPath != "timer" {
		t.Errorf("switches are %+v", s.Switches)
	}
}

func TestWarpDividesEveryIntervalAndTimeout(t *testing.T) {
	at := func(warp string) settings {
		s, err := loadSettings(from(map[string]string{"SQUALL_WARP": warp}))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	real, warped := libraryConfig(at("1"), nil), libraryConfig(at("4"), nil)
	compare := func(name string, a, b time.Duration) {
		if a == 0 || a != 4*b {
			t.Errorf("%s: %v at real speed and %v at warp 4", name, a, b)
		}
	}
	compare("probe interval", real.ProbeInterval, warped.ProbeInterval)
	compare("probe timeout", real.ProbeTimeout, warped.ProbeTimeout)
	compare("gossip interval", real.GossipInterval, warped.GossipInterval)
	compare("gossip to the dead", real.GossipToTheDeadTime, warped.GossipToTheDeadTime)
	compare("push/pull interval", real.PushPullInterval, warped.PushPullInterval)
	compare("TCP timeout", real.TCPTimeout, warped.TCPTimeout)
	compare("grace", at("1").warped(defaultGraceMs), at("4").warped(defaultGraceMs))
}

func TestWithoutLifeguardTheTimeoutIsFixedAndNoProbeSlowsDown(t *testing.T) {
	s, err := loadSettings(from(map[string]string{"SQUALL_VARIANT": "no-lifeguard"}))
	if err != nil {
		t.Fatal(err)
	}
	if c := libraryConfig(s, nil); c.SuspicionMaxTimeoutMult != 1 || c.AwarenessMaxMultiplier != 1 || c.SuspicionMult != 5 {
		t.Errorf("multipliers %d, %d, %d", c.SuspicionMaxTimeoutMult, c.AwarenessMaxMultiplier, c.SuspicionMult)
	}
}

type imageFile struct {
	Settings []struct {
		Name, Env string
		Default   any
	}
	Fixes    []string
	Variants map[string]struct{ Settings map[string]any }
	Mutants  map[string]struct {
		Settings map[string]any
		Mutates  struct{ Fix, Rule string }
	}
}

func readImageFile(t *testing.T) imageFile {
	text, err := os.ReadFile("../image.json")
	if err != nil {
		t.Fatal(err)
	}
	var f imageFile
	if err := json.Unmarshal(text, &f); err != nil {
		t.Fatal(err)
	}
	return f
}

// asEnvironment is what a harness would set for these settings.
func (f imageFile) asEnvironment(t *testing.T, values map[string]any) map[string]string {
	env := map[string]string{}
	for name, value := range values {
		found := false
		for _, s := range f.Settings {
			if s.Name == name {
				env[s.Env], found = fmt.Sprint(value), true
				if number, is := value.(float64); is {
					env[s.Env] = strconv.FormatFloat(number, 'f', -1, 64) // as the harness writes numbers
				}
			}
		}
		if !found {
			t.Errorf("image.json: %s is not among the settings", name)
		}
	}
	return env
}

func TestTheImageFileAndTheNodeMeanTheSameByEveryVariantAndMutant(t *testing.T) {
	f := readImageFile(t)
	named := map[string]map[string]any{}
	for name, v := range f.Variants {
		named[name] = v.Settings
	}
	for name, m := range f.Mutants {
		named[name] = m.Settings
		if m.Mutates.Fix == "" || m.Mutates.Rule == "" {
			t.Errorf("mutant %s does not say which fix and rule it mutates", name)
		}
	}
	if len(named) != len(variants) {
		t.Errorf("image.json names %d variants and mutants, the node %d", len(named), len(variants))
	}
	for name, values := range named {
		bySwitches, err := loadSettings(from(f.asEnvironment(t, values)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		byName, err := loadSettings(from(map[string]string{"SQUALL_VARIANT": name}))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if bySwitches.Switches != byName.Switches {
			t.Errorf("%s: image.json makes it %+v, the node %+v", name, bySwitches.Switches, byName.Switches)
		}
	}
}

func TestTheImageFileHasTheDefaultsOfTheNode(t *testing.T) {
	f := readImageFile(t)
	stated := map[string]any{}
	for _, s := range f.Settings {
		if s.Default != "" {
			stated[s.Name] = s.Default
		}
	}
	withStated, err := loadSettings(from(f.asEnvironment(t, stated)))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := loadSettings(from(nil))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(withStated, plain) {
		t.Errorf("with the defaults of image.json set: %+v; with nothing set: %+v", withStated, plain)
	}
}

func TestEverySettingOfTheImageFileChangesTheNode(t *testing.T) {
	other := map[string]string{
		"nodeName": "x", "bind": "127.0.0.9", "port": "1", "join": "a", "expected": "3", "adminPort": "1", "label": "l",
		"logLevel": "debug", "events": "all", "variant": "grace", "warp": "2", "grace": "true", "graceMs": "1", "healthAtFiring": "true",
		"healthAtFiringPath": "timer", "healthAtCreation": "true", "penaltyFirst": "true", "lifeguard": "false",
		"disableTcpPings": "true", "probeTimeoutMs": "2", "probeIntervalMs": "2000", "memoryLimitBytes": "33554432",
	}
	plain, err := loadSettings(from(nil))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range readImageFile(t).Settings {
		value, ok := other[s.Name]
		if !ok {
			value = "7"
		}
		changed, err := loadSettings(from(map[string]string{s.Env: value}))
		if err != nil {
			t.Errorf("%s=%s: %v", s.Env, value, err)
		}
		if reflect.DeepEqual(plain, changed) {
			t.Errorf("%s=%s: changes nothing", s.Env, value)
		}
	}
}
