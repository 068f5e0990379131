package main

import (
	"context"
	"hash/fnv"
	"math/rand/v2"
	"net"
	"slices"
	"strconv"
	"time"
)

// Joining.
//
// A join exchanges the whole list of members with one peer, so every node asks
// one peer only, and gossip does the rest. The peers of SQUALL_JOIN that are
// nodes of the list themselves ask those before them, so that the seeds form a
// tree and never two islands; every other node begins at a place of the list
// that its name decides, which spreads the load.
const (
	joinRetryLeastMs  = 100
	joinRetryMostMs   = 1_000
	joinIslandGraceMs = 10_000 // a seed whose predecessors never answer then asks its successors
	joinSpreadPerNode = 10 * time.Millisecond
	joinSpreadMost    = 1500 * time.Millisecond
	settleQuietMs     = 2_000 // nothing new for this long: those who are missing did not come by gossip
	settleMost        = 10
)

type joiner struct {
	s       settings
	join    func(peers []string) (int, error)
	members func() int
	census  *census
	emit    func(string, ...field)
}

// Run joins, then exchanges lists with a few more peers for as long as the
// expected number has not been seen, then serves the re-join loop.
func (j *joiner) Run(ctx context.Context) {
	first, later := j.peers()
	if len(first)+len(later) > 0 {
		spread := min(time.Duration(j.s.Expected)*joinSpreadPerNode, joinSpreadMost)
		if len(first) > 0 && !pause(ctx, upTo(spread)) {
			return
		}
		if !j.untilJoined(ctx, first, later) || !j.settle(ctx, append(first, later...)) {
			return
		}
	}
	j.rejoin(ctx, append(first, later...))
}

// peers splits the list without ourselves into those to ask at once and those
// to ask when the first never answer.
func (j *joiner) peers() (first, later []string) {
	own := net.JoinHostPort(j.s.Bind, strconv.Itoa(j.s.Port))
	place := slices.IndexFunc(j.s.Join, func(peer string) bool { return withPort(peer, j.s.Port) == own })
	others := slices.DeleteFunc(slices.Clone(j.s.Join), func(peer string) bool { return withPort(peer, j.s.Port) == own })
	switch {
	case len(others) == 0:
		return nil, nil
	case place < 0:
		h := fnv.New32a()
		h.Write([]byte(j.s.NodeName))
		start := int(h.Sum32() % uint32(len(others)))
		return append(slices.Clone(others[start:]), others[:start]...), nil
	case place == 0:
		return others, nil // the root of the tree: whoever it reaches, no island comes of it
	}
	return others[:place], others[place:]
}

func (j *joiner) untilJoined(ctx context.Context, first, later []string) bool {
	began := time.Now()
	wait := j.s.warped(joinRetryLeastMs)
	for attempt := 1; ; attempt++ {
		peers := first
		if time.Since(began) > j.s.warped(joinIslandGraceMs) {
			peers = append(slices.Clone(first), later...)
		}
		for _, peer := range peers {
			if ctx.Err() != nil {
				return false
			}
			if j.members() > 1 && attempt > 1 {
				j.emit("joined", field{"peer", ""}, field{"attempts", attempt}, field{"tookMs", ms(time.Since(began))})
				return true // somebody else found us meanwhile
			}
			if _, err := j.join([]string{peer}); err == nil && j.members() > 1 {
				j.emit("joined", field{"peer", peer}, field{"attempts", attempt}, field{"tookMs", ms(time.Since(began))})
				return true
			}
		}
		if !pause(ctx, wait/2+upTo(wait)) {
			return false
		}
		wait = min(wait*3/2, j.s.warped(joinRetryMostMs))
	}
}

// settle is false when the node ends meanwhile. While others still turn up it
// waits: each exchange costs both sides the whole list.
func (j *joiner) settle(ctx context.Context, peers []string) bool {
	quiet := j.s.warped(settleQuietMs)
	for tries := 0; j.s.Expected > 0 && tries < settleMost && !j.census.Converged(); {
		if !pause(ctx, quiet/2+upTo(quiet/2)) {
			return false
		}
		if j.census.Converged() || j.census.QuietFor() < quiet {
			continue
		}
		tries++
		_, err := j.join(pick(peers))
		j.emit("settling", field{"attempt", tries}, field{"ok", err == nil})
	}
	return true
}

// rejoin asks one dead member now and then, as layers above the library do;
// off unless SQUALL_REJOIN_MS is set.
func (j *joiner) rejoin(ctx context.Context, peers []string) {
	every := j.s.warped(j.s.RejoinMs)
	for every > 0 && pause(ctx, every) {
		dead := j.census.DeadAddresses()
		if len(dead) == 0 && j.members() <= 1 {
			dead = peers
		}
		if len(dead) == 0 {
			continue
		}
		peer := pick(dead)
		_, err := j.join(peer)
		j.emit("rejoin.tried", field{"peer", peer[0]}, field{"ok", err == nil})
	}
}

func pick(peers []string) []string {
	return []string{peers[rand.IntN(len(peers))]}
}

func upTo(d time.Duration) time.Duration {
	if d <= 0 {
		return 0
	}
	return rand.N(d)
}

// pause is false when the context ended first.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

func withPort(peer string, port int) string {
	if _, _, err := net.SplitHostPort(peer); err == nil {
		return peer
	}
	return net.JoinHostPort(peer, strconv.Itoa(port))
}
