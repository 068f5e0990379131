package main

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"
	"sync"

	"github.com/google/nftables"
	"github.com/google/nftables/expr"
	"golang.org/x/sys/unix"
)

// redirectTableName is a table of its own: redirections outlive faults.
const redirectTableName = "squall_redirect"

// redirectRule sends new TCP connections of a node to another address.
type redirectRule struct {
	Node     string `json:"node"`
	DstIP    string `json:"dstIp"`
	DstPort  int    `json:"dstPort"`
	Protocol string `json:"protocol"`
	ToIP     string `json:"toIp"`
	ToPort   int    `json:"toPort"`
	// Connections is how many were redirected so far: the kernel shows the
	// first packet of each connection to the rule, and no other.
	Connections uint64 `json:"connections"`
}

func (r redirectRule) sameSource(o redirectRule) bool {
	return r.Node == o.Node && r.DstIP == o.DstIP && r.DstPort == o.DstPort && r.Protocol == o.Protocol
}

// redirectBook is what is redirected, a node each.
type redirectBook struct {
	mu    sync.Mutex
	rules map[*node][]redirectRule
}

func (r *redirectRule) check(withTarget bool) error {
	if r.Protocol == "" {
		r.Protocol = "tcp"
	}
	if r.Protocol != "tcp" {
		return fail("bad-redirect", "protocol is %q; expected tcp", r.Protocol)
	}
	if err := checkEndpoint("destination", r.DstIP, r.DstPort); err != nil || !withTarget {
		return err
	}
	return checkEndpoint("target", r.ToIP, r.ToPort)
}

func checkEndpoint(what, ip string, port int) error {
	if addr, err := netip.ParseAddr(ip); err != nil || !addr.Is4() {
		return fail("bad-redirect", "%s %q is no IPv4 address", what, ip)
	}
	if port < 1 || port > 65535 {
		return fail("bad-redirect", "%s port is %d; expected 1 to 65535", what, port)
	}
	return nil
}

// redirect adds rules; one for the same source and destination replaces the
// old one. Connections that exist keep the way they have.
func (a *agent) redirect(rules []redirectRule) error {
	return a.changeRedirects(rules, true, func(have []redirectRule, r redirectRule) []redirectRule {
		return append(slices.DeleteFunc(have, r.sameSource), r)
	})
}

// unredirect takes rules away; one that is not there is no error.
func (a *agent) unredirect(rules []redirectRule) error {
	return a.changeRedirects(rules, false, func(have []redirectRule, r redirectRule) []redirectRule {
		return slices.DeleteFunc(have, r.sameSource)
	})
}

func (a *agent) changeRedirects(
	rules []redirectRule, withTarget bool, change func([]redirectRule, redirectRule) []redirectRule,
) error {
	if len(rules) == 0 {
		return fail("bad-redirect", "no rules; expected at least one")
	}
	book := &a.redirects
	book.mu.Lock()
	defer book.mu.Unlock()
	changed := map[*node][]redirectRule{}
	for _, r := range rules {
		if err := r.check(withTarget); err != nil {
			return err
		}
		found, err := a.find([]string{r.Node})
		if err != nil {
			return err
		}
		n := found[0]
		if _, begun := changed[n]; !begun {
			changed[n] = slices.Clone(book.rules[n])
		}
		changed[n] = change(changed[n], r)
	}
	if book.rules == nil {
		book.rules = map[*node][]redirectRule{}
	}
	for n, want := range changed {
		var counted map[string]uint64
		if len(book.rules[n]) > 0 {
			var err error
			if counted, err = n.redirectCounters(); err != nil {
				return err
			}
		}
		if err := n.installRedirects(want, counted); err != nil {
			return err
		}
		book.rules[n] = want
	}
	return nil
}

// drop removes what is redirected on a node that leaves.
func (b *redirectBook) drop(n *node) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, redirected := b.rules[n]; !redirected {
		return nil
	}
	delete(b.rules, n)
	return n.withNamespace(func(nsFd int) error {
		_, err := removeTable(nsFd, redirectTableName)
		return err
	})
}

// installRedirects replaces the node's redirections in one transaction; a rule
// that stays goes on counting where it was.
//
// Neither the chain nor a last rule that matches nothing goes away before the
// node does: with the last address translation of a namespace the kernel
// unhooks connection tracking, and with every hook that is removed it drops
// what the namespace's queues hold.
func (n *node) installRedirects(rules []redirectRule, counted map[string]uint64) error {
	return n.withNamespace(func(nsFd int) error {
		c, err := nftables.New(nftables.WithNetNSFd(nsFd))
		if err != nil {
			return fmt.Errorf("nf_tables: %w", err)
		}
		table, chain := redirectChain(c)
		c.FlushChain(chain)
		for _, r := range append(slices.Clone(rules), keepsTracking) {
			c.AddRule(&nftables.Rule{
				Table: table, Chain: chain, Exprs: r.expressions(counted[r.key()]), UserData: []byte(r.key()),
			})
		}
		if err := c.Flush(); err != nil {
			return fmt.Errorf("node %s: redirect: %w", n.name, err)
		}
		return nil
	})
}

// keepsTracking is a redirection that no packet meets: nothing is sent to the
// address zero.
var keepsTracking = redirectRule{DstIP: "0.0.0.0", DstPort: 1, Protocol: "tcp", ToIP: "0.0.0.0", ToPort: 1}

func redirectChain(c *nftables.Conn) (*nftables.Table, *nftables.Chain) {
	accept := nftables.ChainPolicyAccept
	table := c.AddTable(&nftables.Table{Family: nftables.TableFamilyIPv4, Name: redirectTableName})
	return table, c.AddChain(&nftables.Chain{
		Name: "output", Table: table, Type: nftables.ChainTypeNAT,
		Hooknum: nftables.ChainHookOutput, Priority: nftables.ChainPriorityNATDest, Policy: &accept,
	})
}

// key names a rule in the kernel, so that its counter can be found again.
func (r redirectRule) key() string {
	return fmt.Sprintf("%s:%d/%s>%s:%d", r.DstIP, r.DstPort, r.Protocol, r.ToIP, r.ToPort)
}

func (r redirectRule) expressions(counted uint64) []expr.Any {
	dst := netip.MustParseAddr(r.DstIP).As4()
	to := netip.MustParseAddr(r.ToIP).As4()
	port := func(n int) []byte { return binary.BigEndian.AppendUint16(nil, uint16(n)) }
	return append(l4proto(unix.IPPROTO_TCP),
		&expr.Payload{DestRegister: 1, Base: expr.PayloadBaseNetworkHeader, Offset: 16, Len: 4},
		&expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: dst[:]},
		&expr.Payload{DestRegister: 1, Base: expr.PayloadBaseTransportHeader, Offset: 2, Len: 2},
		&expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: port(r.DstPort)},
		&expr.Counter{Packets: counted},
		&expr.Immediate{Register: 1, Data: to[:]},
		&expr.Immediate{Register: 2, Data: port(r.ToPort)},
		&expr.NAT{Type: expr.NATTypeDestNAT, Family: unix.NFPROTO_IPV4, RegAddrMin: 1, RegProtoMin: 2},
	)
}

// redirections reads back every rule and its counter from the kernel.
func (a *agent) redirections() ([]redirectRule, error) {
	book := &a.redirects
	book.mu.Lock()
	defer book.mu.Unlock()
	list := []redirectRule{}
	for n, rules := range book.rules {
		counted, err := n.redirectCounters()
		if err != nil {
			if asOpError(err).Code == "namespace-gone" {
				continue
			}
			return nil, err
		}
		for _, r := range rules {
			connections, there := counted[r.key()]
			if !there {
				return nil, fail("redirect-lost", "node %s: the kernel has no rule for %s any more", n.name, r.key())
			}
			r.Connections = connections
			list = append(list, r)
		}
	}
	return list, nil
}

func (n *node) redirectCounters() (map[string]uint64, error) {
	counted := map[string]uint64{}
	err := n.withNamespace(func(nsFd int) error {
		c, err := nftables.New(nftables.WithNetNSFd(nsFd))
		if err != nil {
			return fmt.Errorf("nf_tables: %w", err)
		}
		table := &nftables.Table{Family: nftables.TableFamilyIPv4, Name: redirectTableName}
		rules, err := c.GetRules(table, &nftables.Chain{Name: "output", Table: table})
		if err != nil {
			return fmt.Errorf("node %s: read redirections: %w", n.name, err)
		}
		for _, r := range rules {
			for _, e := range r.Exprs {
				if counter, ok := e.(*expr.Counter); ok {
					counted[string(r.UserData)] = counter.Packets
				}
			}
		}
		return nil
	})
	return counted, err
}
