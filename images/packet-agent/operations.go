package main

import (
	"context"
	"errors"
	"os"
)

func opHello(a *agent, _ context.Context, r *request) (map[string]any, error) {
	if _, err := decode[struct{}](r); err != nil {
		return nil, err
	}
	return map[string]any{
		"version": version, "pid": os.Getpid(), "monoNs": monoNs(), "capabilities": a.capabilities(),
	}, nil
}

type enrollRequest struct {
	Nodes []nodeToEnroll `json:"nodes"`
}

type nodeToEnroll struct {
	Name string `json:"name"`
	Pid  int    `json:"pid"`
	// StartTime, where the controller knows it, guards against a PID that was
	// given to another process before the request.
	StartTime *uint64 `json:"startTime,omitempty"`
	// Addresses it is to have besides its own, for a fleet of clients.
	Addresses []string `json:"addresses,omitempty"`
}

type enrolled struct {
	Name      string   `json:"name"`
	StartTime uint64   `json:"startTime"`
	IP        string   `json:"ip"`
	IPs       []string `json:"ips"`
	IPv6      []string `json:"ipv6"`
	// SweptTables are tables of ours that an agent before us left there.
	SweptTables []string `json:"sweptTables"`
}

func opEnroll(a *agent, _ context.Context, r *request) (map[string]any, error) {
	q, err := decode[enrollRequest](r)
	if err != nil {
		return nil, err
	}
	list, err := gather(ruleChangesAtOnce, q.Nodes, a.enroll)
	return map[string]any{"nodes": list}, err
}

type nodesRequest struct {
	Nodes []string `json:"nodes"`
}

func opRelease(a *agent, _ context.Context, r *request) (map[string]any, error) {
	q, err := decode[nodesRequest](r)
	if err != nil {
		return nil, err
	}
	released := []string{}
	var failures []error
	for _, name := range q.Nodes {
		found, err := a.find([]string{name})
		if err != nil {
			continue // not enrolled, or its namespace went first: nothing to do
		}
		if err := a.release(found[0]); err != nil {
			failures = append(failures, err)
			continue
		}
		released = append(released, name)
	}
	return map[string]any{"released": released}, errors.Join(failures...)
}

func opArm(a *agent, _ context.Context, r *request) (map[string]any, error) {
	q, err := decode[struct {
		Faults []faultSpec `json:"faults"`
	}](r)
	if err != nil {
		return nil, err
	}
	if len(q.Faults) == 0 {
		return nil, fail("bad-request", "arm: no faults; expected at least one")
	}
	faults, err := a.arm(q.Faults)
	if err != nil {
		return nil, err
	}
	measured, err := a.measureOverhead(nodesOf(faults))
	if err != nil {
		return nil, errors.Join(err, a.disarm(faults))
	}
	return map[string]any{"armed": idsOf(faults), "nodes": measured, "rule": a.form.String()}, nil
}

func opApply(a *agent, _ context.Context, r *request) (map[string]any, error) {
	q, err := decode[struct {
		IDs     []string `json:"ids"`
		AfterMs float64  `json:"afterMs"`
		ForMs   *float64 `json:"forMs"`
	}](r)
	if err != nil {
		return nil, err
	}
	if q.AfterMs < 0 || (q.ForMs != nil && *q.ForMs < 0) {
		return nil, fail("bad-request", "apply: afterMs or forMs is negative")
	}
	faults, err := a.named(q.IDs)
	if err != nil {
		return nil, err
	}
	applyNs, liftNs, err := a.apply(faults, q.AfterMs, q.ForMs)
	if err != nil {
		return nil, err
	}
	planned := map[string]any{"atNs": applyNs}
	if q.ForMs != nil {
		planned["liftsAtNs"] = liftNs
	}
	return planned, nil
}

// named looks up faults of a request that must name at least one.
func (a *agent) named(ids []string) ([]*fault, error) {
	if len(ids) == 0 {
		return nil, fail("bad-request", "no ids; expected at least one fault")
	}
	return a.findFaults(ids)
}

type idsRequest struct {
	IDs []string `json:"ids"`
}

// opLift ends faults and waits until that is done. A fault that is not known
// is no error: it may have been disarmed.
func opLift(a *agent, _ context.Context, r *request) (map[string]any, error) {
	q, err := decode[idsRequest](r)
	if err != nil {
		return nil, err
	}
	faults, unknown := a.knownFaults(q.IDs)
	err = a.lift(faults)
	lifted := map[string]liftReport{}
	for _, f := range faults {
		lifted[f.spec.ID] = f.report
	}
	return map[string]any{"lifted": lifted, "unknown": unknown}, err
}

// opDisarm lifts faults and forgets them; one that is not known is no error.
func opDisarm(a *agent, _ context.Context, r *request) (map[string]any, error) {
	q, err := decode[idsRequest](r)
	if err != nil {
		return nil, err
	}
	faults, unknown := a.knownFaults(q.IDs)
	return map[string]any{"disarmed": idsOf(faults), "unknown": unknown}, a.disarm(faults)
}

func opWitness(a *agent, _ context.Context, r *request) (map[string]any, error) {
	q, err := decode[idsRequest](r)
	if err != nil {
		return nil, err
	}
	faults := a.allFaults()
	if len(q.IDs) > 0 {
		if faults, err = a.findFaults(q.IDs); err != nil {
			return nil, err
		}
	}
	list, figures, err := a.witness(faults)
	return map[string]any{"atNs": monoNs(), "faults": list, "nodes": figures}, err
}

func opProbe(a *agent, _ context.Context, r *request) (map[string]any, error) {
	q, err := decode[struct {
		Nodes   []string `json:"nodes"`
		RatePps float64  `json:"ratePps"`
		ForMs   float64  `json:"forMs"`
		IDs     []string `json:"ids"`
	}](r)
	if err != nil {
		return nil, err
	}
	nodes, err := a.find(q.Nodes)
	if err != nil {
		return nil, err
	}
	faults, err := a.named(q.IDs)
	if err != nil {
		return nil, err
	}
	return a.runProbe(nodes, faults, q.RatePps, q.ForMs)
}

func opHTTP(a *agent, ctx context.Context, r *request) (map[string]any, error) {
	q, err := decode[httpRequest](r)
	if err != nil {
		return nil, err
	}
	nodes, err := a.find([]string{q.Node})
	if err != nil {
		return nil, err
	}
	response, err := a.http(ctx, nodes[0], q)
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"status": response.Status, "headers": response.Headers, "body": response.Body, "encoding": response.Encoding,
	}, nil
}

type redirectRequest struct {
	Rules []redirectRule `json:"rules"`
}

func opRedirect(a *agent, _ context.Context, r *request) (map[string]any, error) {
	q, err := decode[redirectRequest](r)
	if err != nil {
		return nil, err
	}
	return map[string]any{}, a.redirect(q.Rules)
}

func opUnredirect(a *agent, _ context.Context, r *request) (map[string]any, error) {
	q, err := decode[redirectRequest](r)
	if err != nil {
		return nil, err
	}
	return map[string]any{}, a.unredirect(q.Rules)
}

func opSnapshot(a *agent, _ context.Context, r *request) (map[string]any, error) {
	if _, err := decode[struct{}](r); err != nil {
		return nil, err
	}
	redirections, err := a.redirections()
	if err != nil {
		return nil, err
	}
	nodes, err := a.nodeStates()
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"atNs": monoNs(), "nodes": nodes, "faults": a.faultStates(), "redirects": redirections,
	}, nil
}

func opBye(a *agent, _ context.Context, r *request) (map[string]any, error) {
	if _, err := decode[struct{}](r); err != nil {
		return nil, err
	}
	return map[string]any{}, a.end("bye")
}

func idsOf(faults []*fault) []string {
	ids := make([]string, len(faults))
	for i, f := range faults {
		ids[i] = f.spec.ID
	}
	return ids
}
