package main

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"strings"
)

// newStream is the random stream of one fault on one node in one direction.
// It depends on the seed, the fault's kind, the node's name and the direction,
// and on nothing else: not on the fault's id, nor on other faults. The same
// sequence of packets therefore meets the same decisions in every run.
func newStream(seed []byte, kind, node string, dir direction) *rand.Rand {
	text := strings.Join([]string{string(seed), kind, node, dir.String()}, "\x00")
	sum := sha256.Sum256([]byte(text))
	return rand.New(rand.NewPCG(binary.BigEndian.Uint64(sum[0:]), binary.BigEndian.Uint64(sum[8:])))
}
