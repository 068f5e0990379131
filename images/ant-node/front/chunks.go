package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"lukechampine.com/blake3"
)

// chunkSet is a seeded set of chunks, the same at every node that is told of it.
type chunkSet struct {
	Seed     string `json:"seed"`
	Count    int    `json:"count"`
	MinBytes int    `json:"minBytes"`
	MaxBytes int    `json:"maxBytes"`
	// Peer ids of the nodes that hold the set, in hex.
	Peers []string `json:"peers"`
	// How many of the nearest hold each chunk.
	Group int `json:"group"`
}

const maxChunkBytes = 4 << 20

func (set chunkSet) problem() string {
	switch {
	case set.Count < 1 || set.Count > 131_072:
		return fmt.Sprintf("count is %d; expected 1 to 131072", set.Count)
	case set.MinBytes < 1 || set.MaxBytes < set.MinBytes || set.MaxBytes > maxChunkBytes:
		return fmt.Sprintf("sizes are %d to %d; expected 1 to %d, rising", set.MinBytes, set.MaxBytes, maxChunkBytes)
	case set.Group < 1 || len(set.Peers) < 1:
		return "no peer or no group; expected at least one"
	}
	for _, peer := range set.Peers {
		if !peerID.MatchString(peer) {
			return fmt.Sprintf("%.80q is no peer id; expected 64 hex digits", peer)
		}
	}
	return ""
}

// chunk is the content of one, and its address: the BLAKE3 of the content.
func (set chunkSet) chunk(index int) (address [32]byte, content []byte) {
	seeded := blake3.New(32, nil)
	fmt.Fprintf(seeded, "squall/chunk/%s/%d", set.Seed, index)
	stream := seeded.XOF()
	var draw [8]byte
	_, _ = stream.Read(draw[:]) // An endless stream.
	size := set.MinBytes
	if span := set.MaxBytes - set.MinBytes + 1; span > 1 {
		var number uint64
		for _, b := range draw {
			number = number<<8 | uint64(b)
		}
		size += int(number % uint64(span))
	}
	content = make([]byte, size)
	_, _ = stream.Read(content)
	return blake3.Sum256(content), content
}

// holders are the peers nearest to an address by XOR, the nearest first.
func holders(peers [][]byte, address [32]byte, group int) [][]byte {
	nearest := append([][]byte{}, peers...)
	distance := func(peer []byte) []byte {
		apart := make([]byte, len(peer))
		for i := range peer {
			apart[i] = peer[i] ^ address[i]
		}
		return apart
	}
	sort.Slice(nearest, func(a, b int) bool {
		return bytes.Compare(distance(nearest[a]), distance(nearest[b])) < 0
	})
	return nearest[:min(group, len(nearest))]
}

// The layout marker of the store, as version 0.22 and later write it.
var layout = map[string]any{
	"schema": 1, "scheme": "suffix-hex", "shard_chars": 2, "depth": 1, "name_encoding": "lower-hex",
}

func chunkPath(root, address string) string {
	return filepath.Join(root, "chunks", address[len(address)-2:], address)
}

// populate lays those chunks of the set into the store that this peer is to hold.
func populate(root, self string, set chunkSet) (count int, size int64, err error) {
	peers := make([][]byte, len(set.Peers))
	for i, peer := range set.Peers {
		if peers[i], err = hex.DecodeString(peer); err != nil {
			return 0, 0, err
		}
	}
	own, err := hex.DecodeString(self)
	if err != nil {
		return 0, 0, err
	}
	if err := os.MkdirAll(filepath.Join(root, "chunks"), 0o755); err != nil {
		return 0, 0, err
	}
	marker := filepath.Join(root, "chunks", "layout.json")
	if _, missing := os.Stat(marker); missing != nil {
		text, err := json.MarshalIndent(layout, "", "  ")
		if err != nil {
			return 0, 0, err
		}
		if err := os.WriteFile(marker, text, 0o644); err != nil {
			return 0, 0, err
		}
	}
	for index := range set.Count {
		address, content := set.chunk(index)
		mine := false
		for _, holder := range holders(peers, address, set.Group) {
			mine = mine || bytes.Equal(holder, own)
		}
		if !mine {
			continue
		}
		path := chunkPath(root, hex.EncodeToString(address[:]))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return count, size, err
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return count, size, err
		}
		count++
		size += int64(len(content))
	}
	return count, size, nil
}

// addresses are those of the whole set, in its order.
func (set chunkSet) addresses() []string {
	all := make([]string, set.Count)
	for index := range all {
		address, _ := set.chunk(index)
		all[index] = hex.EncodeToString(address[:])
	}
	return all
}

// held lists the addresses in the store, with the bytes they take. What is being
// written at the moment has another name.
func held(root string) (addresses []string, size int64, err error) {
	shards, err := os.ReadDir(filepath.Join(root, "chunks"))
	if os.IsNotExist(err) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	for _, shard := range shards {
		if !shard.IsDir() {
			continue
		}
		files, err := os.ReadDir(filepath.Join(root, "chunks", shard.Name()))
		if err != nil {
			return nil, 0, err
		}
		for _, file := range files {
			if !peerID.MatchString(file.Name()) || !strings.HasSuffix(file.Name(), shard.Name()) {
				continue
			}
			if info, err := file.Info(); err == nil {
				addresses = append(addresses, file.Name())
				size += info.Size()
			}
		}
	}
	return addresses, size, nil
}
