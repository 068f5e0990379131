package main

import (
	"log"

	"github.com/hashicorp/memberlist"
)

// libraryConfig is LAN defaults with what the settings say.
func libraryConfig(s settings, logger *log.Logger) *memberlist.Config {
	c := memberlist.DefaultLANConfig()
	c.Name = s.NodeName
	c.BindAddr, c.BindPort = s.Bind, s.Port
	c.AdvertiseAddr, c.AdvertisePort = s.Bind, s.Port
	c.Label = s.Label
	c.Logger = logger

	c.SuspicionMult = s.SuspicionMult
	c.SuspicionMaxTimeoutMult = s.SuspicionMaxTimeoutMult
	c.AwarenessMaxMultiplier = s.AwarenessMaxMultiplier
	if !s.Switches.Lifeguard {
		c.SuspicionMaxTimeoutMult = 1 // the timeout is its minimum, whatever confirmations come
		c.AwarenessMaxMultiplier = 1  // the score stays 0: no probe is slowed down
	}
	c.IndirectChecks = s.IndirectChecks
	c.RetransmitMult = s.RetransmitMult
	c.GossipNodes = s.GossipNodes
	c.DisableTcpPings = s.DisableTCPPings

	c.ProbeInterval = s.warped(s.ProbeIntervalMs)
	c.ProbeTimeout = s.warped(s.ProbeTimeoutMs)
	c.GossipInterval = s.warped(s.GossipIntervalMs)
	c.GossipToTheDeadTime = s.warped(s.GossipToTheDeadMs)
	c.PushPullInterval = s.warped(s.PushPullIntervalMs)
	c.TCPTimeout = s.warped(s.TCPTimeoutMs)
	return c
}
