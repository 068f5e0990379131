package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"time"
)

const identityWithin = 30 * time.Second

var peerID = regexp.MustCompile(`^[0-9a-f]{64}$`)

// The peer, once known, so that a restarted container need not ask again.
func peerFile(root string) string { return filepath.Join(root, "squall-peer") }

// identity is the node's peer id. The node makes it at its first start and says it
// before it does anything else; it is ended there, and keeps it in its root.
func identity(ctx context.Context, s settings) (string, error) {
	if known, err := os.ReadFile(peerFile(s.root)); err == nil && peerID.Match(known) {
		return string(known), nil
	}
	if err := os.MkdirAll(s.root, 0o755); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, identityWithin)
	defer cancel()
	command := exec.CommandContext(ctx, s.program, s.arguments()...)
	command.Env = s.environment()
	command.Stderr = os.Stderr
	out, err := command.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := command.Start(); err != nil {
		return "", err
	}
	peer, err := findPeer(out)
	_ = command.Process.Kill()
	_ = command.Wait() // It was killed; what it says about that is of no use.
	if err != nil {
		return "", err
	}
	return peer, os.WriteFile(peerFile(s.root), []byte(peer), 0o644)
}

// findPeer reads log lines until one names the node's own peer id.
func findPeer(log io.Reader) (string, error) {
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var line struct {
			Message string `json:"message"`
			PeerID  string `json:"peer_id"`
		}
		if json.Unmarshal(lines.Bytes(), &line) == nil &&
			line.Message == "Node identity resolved" && peerID.MatchString(line.PeerID) {
			return line.PeerID, nil
		}
	}
	if err := lines.Err(); err != nil {
		return "", err
	}
	return "", fmt.Errorf("the node ended, or took longer than %s, before it said who it is", identityWithin)
}
