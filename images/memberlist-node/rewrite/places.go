package main

import (
	"go/ast"
	"go/parser"
	"go/token"
)

// The one version that the edits below are written for.
const (
	libraryPath    = "github.com/hashicorp/memberlist"
	libraryVersion = "v0.7.0"
)

const (
	suspicionFile = "suspicion.go"
	awarenessFile = "awareness.go"
	stateFile     = "state.go"
	stateTestFile = "state_test.go"
)

// places is everything that is changed in the library: calls into the files
// under _added, which hold the behaviour and the events.
var places = []edit{
	// The timer function and the instant path of a confirmation.
	{suspicionFile, "newSuspicion", "assignment of a timer function that only calls fn",
		assignTo("s.timeoutFn", token.ASSIGN, literalCalling("fn")), instead,
		"s.timeoutFn = func() { squallTimeout(s, fn) }"},
	{suspicionFile, "suspicion.Confirm", "go statement that calls s.timeoutFn",
		goOf("s.timeoutFn"), instead, "squallOverdue(s)"},
	{suspicionFile, "suspicion.Confirm", "definition of n from s.n.Add",
		assignTo("n", token.DEFINE, resultOf("s.n.Add")), after, "squallConfirmed(s, from, n)"},

	// The score.
	{awarenessFile, "awareness.ApplyDelta", "call of metrics.SetGaugeWithLabels",
		callOf("metrics.SetGaugeWithLabels"), before, "squallHealthChanged(a, initial, final)"},

	// A failed probe: the order of the penalty and the suspicion.
	{stateFile, "Memberlist.probeNode", "call of m.suspectNode",
		callOf("m.suspectNode"), before,
		"awarenessDelta = squallProbeFailed(m, node.Name, awarenessDelta, expectedNacks)"},

	// A suspicion: creation, verdict, and the accusation of ourselves.
	{stateFile, "Memberlist.suspectNode", "definition of max",
		assignTo("max", token.DEFINE, anyValue), after, "watch := squallSuspected(m, s, k, n, &min, &max)"},
	{stateFile, "Memberlist.suspectNode", "entry of newSuspicion in m.nodeTimers",
		indexAssign("m.nodeTimers", resultOf("newSuspicion")), after, "squallAttach(m.nodeTimers[s.Node], watch)"},
	{stateFile, "Memberlist.suspectNode", "call of m.deadNode",
		callOf("m.deadNode"), before, "squallFired(watch, d, numConfirmations)"},
	{stateFile, "Memberlist.suspectNode", "call of m.refute",
		callOf("m.refute"), after, `squallRefuted(m, "suspect", s.From, state.Incarnation)`},

	// Death, and refuting our own.
	{stateFile, "Memberlist.deadNode", "delete from m.nodeTimers",
		deleteFrom("m.nodeTimers"), before, "squallCleared(m, d.Node)"},
	{stateFile, "Memberlist.deadNode", "assignment of state.Incarnation",
		assignTo("state.Incarnation", token.ASSIGN, anyValue), after, "squallDead(m, state, d)"},
	{stateFile, "Memberlist.deadNode", "call of m.refute",
		callOf("m.refute"), after, `squallRefuted(m, "dead", d.From, state.Incarnation)`},

	// Joining, refutations heard, and refuting a wrong description of ourselves.
	{stateFile, "Memberlist.aliveNode", "delete from m.nodeTimers",
		deleteFrom("m.nodeTimers"), before, "squallCleared(m, a.Node)"},
	{stateFile, "Memberlist.aliveNode", "assignment of StateAlive to state.State",
		assignTo("state.State", token.ASSIGN, named("StateAlive")), before, "squallAlive(m, state, a, ok)"},
	{stateFile, "Memberlist.aliveNode", "call of m.refute",
		callOf("m.refute"), after, `squallRefuted(m, "alive", "", state.Incarnation)`},

	// The dead who are dropped.
	{stateFile, "Memberlist.resetNodes", "delete from m.nodeMap",
		deleteFrom("m.nodeMap"), before, "squallForgotten(m, m.nodes[i])"},

	// The library's own tests, which are run on a network in memory.
	{stateTestFile, "HostMemberlist", "assignment from newMemberlist",
		assignFrom("newMemberlist"), before, "squallConnect(c)"},
}

// addWatchField gives the suspicion a field for what we keep about it.
func addWatchField(file *ast.File) error {
	found := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok || spec.Name.Name != "suspicion" {
			return true
		}
		if fields, ok := spec.Type.(*ast.StructType); ok {
			found++
			kind, err := parser.ParseExpr("atomic.Pointer[squallWatch]")
			if err != nil {
				panic(err) // a constant
			}
			fields.Fields.List = append(fields.Fields.List, &ast.Field{Names: []*ast.Ident{ast.NewIdent("squall")}, Type: kind})
		}
		return true
	})
	if found != 1 {
		return misfit{suspicionFile, "the file", "struct type suspicion", found}
	}
	return nil
}
