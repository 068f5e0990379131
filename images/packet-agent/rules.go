package main

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/google/nftables"
	"github.com/google/nftables/expr"
	"github.com/google/nftables/xt"
	"golang.org/x/sys/unix"
)

const (
	// tableName is ours alone: deleting it removes exactly what we added.
	tableName = "squall"

	queueIn  uint16 = 0x5a10
	queueOut uint16 = 0x5a11

	// markResent is on every packet that the agent sends again; the output
	// chain lets it pass. markProbe is on the agent's own probes, which are
	// always queued and never leave the namespace. Marks do not cross
	// namespaces.
	markResent uint32 = 0x53510001
	markProbe  uint32 = 0x53510002
)

// protocolSet says which protocols a chain sends to its queue.
type protocolSet struct{ udp, tcp, all bool }

func (s protocolSet) empty() bool { return !s.udp && !s.tcp && !s.all }

func (s protocolSet) union(o protocolSet) protocolSet {
	return protocolSet{s.udp || o.udp, s.tcp || o.tcp, s.all || o.all}
}

// queueForm is how a rule sends a packet to a queue.
type queueForm int

const (
	// nativeQueue is nf_tables' own expression; some kernels lack it.
	nativeQueue queueForm = iota
	// compatQueue is xtables' NFQUEUE target through nf_tables' compat layer.
	compatQueue
)

func (f queueForm) String() string {
	if f == nativeQueue {
		return "nft queue"
	}
	return "xt NFQUEUE"
}

func (f queueForm) expression(num uint16) expr.Any {
	if f == nativeQueue {
		return &expr.Queue{Num: num, Total: 1, Flag: expr.QueueFlagBypass}
	}
	// struct xt_NFQ_info_v3: queuenum, queues_total, flags (1 = bypass), each
	// 16 bits in host order, padded to 8 bytes.
	info := make(xt.Unknown, 8)
	binary.NativeEndian.PutUint16(info[0:], num)
	binary.NativeEndian.PutUint16(info[2:], 1)
	binary.NativeEndian.PutUint16(info[4:], 1)
	return &expr.Target{Name: "NFQUEUE", Rev: 3, Info: &info}
}

// ruleSet is what a node's packets are queued for.
type ruleSet struct {
	in, out protocolSet
	// probe: the agent's own probes are queued.
	probe bool
}

func (r ruleSet) empty() bool { return r.in.empty() && r.out.empty() && !r.probe }

// installRules replaces the table's rules in one transaction: there is no
// instant at which a packet of a queued protocol slips through. Chains that
// exist stay, since removing one would empty the queues.
func installRules(nsFd int, form queueForm, rules ruleSet) error {
	c, err := nftables.New(nftables.WithNetNSFd(nsFd))
	if err != nil {
		return fmt.Errorf("nf_tables: %w", err)
	}
	accept := nftables.ChainPolicyAccept
	table := c.AddTable(&nftables.Table{Family: nftables.TableFamilyIPv4, Name: tableName})
	chain := func(name string, hook *nftables.ChainHook) *nftables.Chain {
		ch := c.AddChain(&nftables.Chain{
			Name: name, Table: table, Type: nftables.ChainTypeFilter,
			Hooknum: hook, Priority: nftables.ChainPriorityRaw, Policy: &accept,
		})
		c.FlushChain(ch)
		return ch
	}
	prerouting := chain("prerouting", nftables.ChainHookPrerouting)
	output := chain("output", nftables.ChainHookOutput)
	add := func(ch *nftables.Chain, parts ...[]expr.Any) {
		var all []expr.Any
		for _, part := range parts {
			all = append(all, part...)
		}
		c.AddRule(&nftables.Rule{Table: table, Chain: ch, Exprs: all})
	}
	toQueue := func(num uint16) []expr.Any { return []expr.Any{form.expression(num)} }
	for _, protocol := range rules.in.matches() {
		add(prerouting, notLoopback(expr.MetaKeyIIFNAME), protocol, toQueue(queueIn))
	}
	if rules.probe {
		add(output, notLoopback(expr.MetaKeyOIFNAME), mark(expr.CmpOpEq, markProbe), toQueue(queueOut))
	}
	for _, protocol := range rules.out.matches() {
		add(output, notLoopback(expr.MetaKeyOIFNAME), mark(expr.CmpOpNeq, markResent), protocol, toQueue(queueOut))
	}
	if err := c.Flush(); err != nil {
		return fmt.Errorf("install rules (%s): %w", form, err)
	}
	return nil
}

// matches lists the conditions, one rule each, that select the set.
func (s protocolSet) matches() [][]expr.Any {
	if s.all {
		return [][]expr.Any{nil}
	}
	var out [][]expr.Any
	if s.udp {
		out = append(out, l4proto(unix.IPPROTO_UDP))
	}
	if s.tcp {
		out = append(out, l4proto(unix.IPPROTO_TCP))
	}
	return out
}

func l4proto(number byte) []expr.Any {
	return []expr.Any{
		&expr.Meta{Key: expr.MetaKeyL4PROTO, Register: 1},
		&expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: []byte{number}},
	}
}

func notLoopback(key expr.MetaKey) []expr.Any {
	name := make([]byte, unix.IFNAMSIZ)
	copy(name, "lo")
	return []expr.Any{
		&expr.Meta{Key: key, Register: 1},
		&expr.Cmp{Op: expr.CmpOpNeq, Register: 1, Data: name},
	}
}

func mark(op expr.CmpOp, value uint32) []expr.Any {
	return []expr.Any{
		&expr.Meta{Key: expr.MetaKeyMARK, Register: 1},
		&expr.Cmp{Op: op, Register: 1, Data: binary.NativeEndian.AppendUint32(nil, value)},
	}
}

// removeTable deletes one table of ours; found is false when there was none.
// Unregistering its hooks makes the kernel drop every packet that any queue of
// the namespace still holds, so drain first.
func removeTable(nsFd int, name string) (found bool, err error) {
	c, err := nftables.New(nftables.WithNetNSFd(nsFd))
	if err != nil {
		return false, fmt.Errorf("nf_tables: %w", err)
	}
	c.DelTable(&nftables.Table{Family: nftables.TableFamilyIPv4, Name: name})
	switch err := c.Flush(); {
	case err == nil:
		return true, nil
	case errors.Is(err, unix.ENOENT):
		return false, nil
	default:
		return false, fmt.Errorf("remove table %s: %w", name, err)
	}
}

// ourTables lists which tables of ours the kernel has in the namespace.
func ourTables(nsFd int) ([]string, error) {
	c, err := nftables.New(nftables.WithNetNSFd(nsFd))
	if err != nil {
		return nil, fmt.Errorf("nf_tables: %w", err)
	}
	tables, err := c.ListTablesOfFamily(nftables.TableFamilyIPv4)
	if err != nil {
		return nil, fmt.Errorf("list tables: %w", err)
	}
	names := []string{}
	for _, t := range tables {
		if t.Name == tableName || t.Name == redirectTableName {
			names = append(names, t.Name)
		}
	}
	return names, nil
}
