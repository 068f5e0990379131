package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"
)

// settings of a node. Durations are those of real speed: warp has not been applied.
type settings struct {
	NodeName  string   `json:"nodeName"`
	Bind      string   `json:"bind"`
	Port      int      `json:"port"`
	Join      []string `json:"join"`
	Expected  int      `json:"expected"`
	AdminPort int      `json:"adminPort"`
	Label     string   `json:"label"`
	LogLevel  string   `json:"logLevel"`
	Events    string   `json:"events"` // decisions or all

	Variant  string   `json:"variant"`
	Switches switches `json:"switches"`
	Warp     float64  `json:"warp"`

	SuspicionMult           int  `json:"suspicionMult"`
	SuspicionMaxTimeoutMult int  `json:"suspicionMaxTimeoutMult"`
	AwarenessMaxMultiplier  int  `json:"awarenessMaxMultiplier"`
	IndirectChecks          int  `json:"indirectChecks"`
	RetransmitMult          int  `json:"retransmitMult"`
	GossipNodes             int  `json:"gossipNodes"`
	ProbeIntervalMs         int  `json:"probeIntervalMs"`
	ProbeTimeoutMs          int  `json:"probeTimeoutMs"`
	GossipIntervalMs        int  `json:"gossipIntervalMs"`
	GossipToTheDeadMs       int  `json:"gossipToTheDeadMs"`
	PushPullIntervalMs      int  `json:"pushPullIntervalMs"`
	TCPTimeoutMs            int  `json:"tcpTimeoutMs"`
	DisableTCPPings         bool `json:"disableTcpPings"`
	RejoinMs                int  `json:"rejoinMs"`

	GCPercent        int `json:"gcPercent"`
	MemoryLimitBytes int `json:"memoryLimitBytes"`
	Threads          int `json:"threads"`
}

// warped divides a duration of real speed by the warp.
func (s settings) warped(ms int) time.Duration {
	return time.Duration(float64(ms) * float64(time.Millisecond) / s.Warp)
}

// environment reads typed values and collects every problem.
type environment struct {
	get      func(string) string
	problems []error
}

func (e *environment) text(name, fallback string) string {
	if v := strings.TrimSpace(e.get(name)); v != "" {
		return v
	}
	return fallback
}

func (e *environment) whole(name string, fallback, least, most int) int {
	text := e.text(name, "")
	if text == "" {
		return fallback
	}
	v, err := strconv.Atoi(text)
	if err != nil || v < least || v > most {
		e.problem("%s=%q: expected a whole number from %d to %d", name, text, least, most)
		return fallback
	}
	return v
}

func (e *environment) yes(name string, fallback bool) bool {
	text := e.text(name, "")
	if text == "" {
		return fallback
	}
	v, err := strconv.ParseBool(text)
	if err != nil {
		e.problem("%s=%q: expected true or false", name, text)
		return fallback
	}
	return v
}

func (e *environment) oneOf(name, fallback string, choices ...string) string {
	text := e.text(name, fallback)
	for _, c := range choices {
		if c == text {
			return text
		}
	}
	e.problem("%s=%q: expected one of %s", name, text, strings.Join(choices, ", "))
	return fallback
}

func (e *environment) problem(format string, args ...any) {
	e.problems = append(e.problems, fmt.Errorf(format, args...))
}

const (
	longestMs  = 24 * 3600 * 1000
	mostNodes  = 100_000
	highestInt = 1000
)

// loadSettings reports all problems together.
func loadSettings(get func(string) string) (settings, error) {
	e := &environment{get: get}
	hostname, err := os.Hostname()
	if err != nil {
		hostname = "member"
	}
	s := settings{
		NodeName:  e.text("SQUALL_NODE_NAME", hostname),
		Port:      e.whole("SQUALL_PORT", 7946, 1, 65535),
		Expected:  e.whole("SQUALL_EXPECTED", 0, 0, mostNodes),
		AdminPort: e.whole("SQUALL_ADMIN_PORT", 7100, 1, 65535),
		Label:     e.text("SQUALL_LABEL", ""),
		LogLevel:  e.oneOf("SQUALL_LOG_LEVEL", "warn", "debug", "info", "warn", "error"),
		Events:    e.oneOf("SQUALL_EVENTS", "decisions", "decisions", "all"),

		SuspicionMult:           e.whole("SQUALL_SUSPICION_MULT", 5, 1, highestInt),
		SuspicionMaxTimeoutMult: e.whole("SQUALL_SUSPICION_MAX_TIMEOUT_MULT", 6, 1, highestInt),
		AwarenessMaxMultiplier:  e.whole("SQUALL_AWARENESS_MAX_MULTIPLIER", 8, 1, highestInt),
		IndirectChecks:          e.whole("SQUALL_INDIRECT_CHECKS", 3, 0, highestInt),
		RetransmitMult:          e.whole("SQUALL_RETRANSMIT_MULT", 4, 1, highestInt),
		GossipNodes:             e.whole("SQUALL_GOSSIP_NODES", 3, 0, highestInt),
		ProbeIntervalMs:         e.whole("SQUALL_PROBE_INTERVAL_MS", 1000, 1, longestMs),
		ProbeTimeoutMs:          e.whole("SQUALL_PROBE_TIMEOUT_MS", 500, 1, longestMs),
		GossipIntervalMs:        e.whole("SQUALL_GOSSIP_INTERVAL_MS", 200, 1, longestMs),
		GossipToTheDeadMs:       e.whole("SQUALL_GOSSIP_TO_THE_DEAD_MS", 30_000, 0, longestMs),
		PushPullIntervalMs:      e.whole("SQUALL_PUSH_PULL_INTERVAL_MS", 30_000, 0, longestMs),
		TCPTimeoutMs:            e.whole("SQUALL_TCP_TIMEOUT_MS", 10_000, 1, longestMs),
		DisableTCPPings:         e.yes("SQUALL_DISABLE_TCP_PINGS", false),
		RejoinMs:                e.whole("SQUALL_REJOIN_MS", 0, 0, longestMs),

		GCPercent:        e.whole("SQUALL_GC_PERCENT", defaultGCPercent, 1, 100_000),
		MemoryLimitBytes: e.whole("SQUALL_MEMORY_LIMIT_BYTES", defaultMemoryLimitBytes, leastMemoryLimitBytes, 1<<40),
		Threads:          e.whole("SQUALL_THREADS", defaultThreads, 1, 256),
	}
	s.Variant, s.Switches = loadSwitches(e)
	s.Warp = e.warp()
	s.Bind = e.bind()
	for _, peer := range strings.Split(e.text("SQUALL_JOIN", ""), ",") {
		if peer = strings.TrimSpace(peer); peer != "" {
			s.Join = append(s.Join, peer)
		}
	}
	if s.ProbeTimeoutMs >= s.ProbeIntervalMs {
		e.problem("SQUALL_PROBE_TIMEOUT_MS=%d: expected less than the probe interval of %d ms", s.ProbeTimeoutMs, s.ProbeIntervalMs)
	}
	return s, errors.Join(e.problems...)
}

func (e *environment) warp() float64 {
	text := e.text("SQUALL_WARP", "1")
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= 0.01 && v <= 100) {
		e.problem("SQUALL_WARP=%q: expected a number from 0.01 to 100", text)
		return 1
	}
	return v
}

func (e *environment) bind() string {
	text := e.text("SQUALL_BIND", "")
	if text == "" {
		address, err := ownAddress()
		if err != nil {
			e.problem("SQUALL_BIND: is not set and %w", err)
		}
		return address
	}
	if net.ParseIP(text) == nil {
		e.problem("SQUALL_BIND=%q: expected an IP address", text)
	}
	return text
}

// ownAddress is the first address of this network namespace in the benchmarking
// range that beds use, or else the first that is not loopback.
func ownAddress() (string, error) {
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return "", fmt.Errorf("no address could be listed: %w", err)
	}
	beds := net.IPNet{IP: net.IPv4(198, 18, 0, 0).To4(), Mask: net.CIDRMask(15, 32)}
	other := ""
	for _, a := range addresses {
		ipNet, ok := a.(*net.IPNet)
		if !ok || ipNet.IP.To4() == nil || !ipNet.IP.IsGlobalUnicast() {
			continue
		}
		if beds.Contains(ipNet.IP) {
			return ipNet.IP.String(), nil
		}
		if other == "" {
			other = ipNet.IP.String()
		}
	}
	if other == "" {
		return "", errors.New("no interface has an IPv4 address besides loopback")
	}
	return other, nil
}
