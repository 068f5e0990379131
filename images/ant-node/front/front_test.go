package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lukechampine.com/blake3"
)

func peersOf(count int) []string {
	peers := make([]string, count)
	for i := range peers {
		sum := blake3.Sum256([]byte{byte(i)})
		peers[i] = hex.EncodeToString(sum[:])
	}
	return peers
}

func TestChunksLieInTheLayoutAtTheirSevenNearest(t *testing.T) {
	set := chunkSet{Seed: "7", Count: 40, MinBytes: 100, MaxBytes: 300, Peers: peersOf(12), Group: 7}
	holdersOf := map[string]int{}
	var total int64
	for _, peer := range set.Peers {
		root := t.TempDir()
		count, size, err := populate(root, peer, set)
		if err != nil {
			t.Fatal(err)
		}
		keys, bytesHeld, err := held(root)
		if err != nil || len(keys) != count || bytesHeld != size {
			t.Fatalf("%d keys of %d bytes are held, %d of %d were laid in: %v", len(keys), bytesHeld, count, size, err)
		}
		for _, key := range keys {
			content, err := os.ReadFile(filepath.Join(root, "chunks", key[62:], key))
			if err != nil {
				t.Fatal(err)
			}
			if sum := blake3.Sum256(content); hex.EncodeToString(sum[:]) != key {
				t.Fatalf("%s holds what has another address", key)
			}
			if len(content) < 100 || len(content) > 300 {
				t.Fatalf("%d bytes; expected 100 to 300", len(content))
			}
			holdersOf[key]++
		}
		total += size
		marker, err := os.ReadFile(filepath.Join(root, "chunks", "layout.json"))
		if err != nil || !strings.Contains(string(marker), `"suffix-hex"`) {
			t.Fatalf("layout.json: %s %v", marker, err)
		}
	}
	if len(holdersOf) != 40 {
		t.Fatalf("%d keys; expected 40", len(holdersOf))
	}
	for key, count := range holdersOf {
		if count != 7 {
			t.Fatalf("%s is held %d times; expected 7", key, count)
		}
	}
	for _, key := range set.addresses() {
		if holdersOf[key] == 0 {
			t.Fatalf("%s of the set is nowhere", key)
		}
	}
}

func TestTheSameSeedGivesTheSameChunks(t *testing.T) {
	set := chunkSet{Seed: "a", MinBytes: 1000, MaxBytes: 1000}
	first, content := set.chunk(3)
	again, same := set.chunk(3)
	other, _ := chunkSet{Seed: "b", MinBytes: 1000, MaxBytes: 1000}.chunk(3)
	if first != again || !bytes.Equal(content, same) || first == other || len(content) != 1000 {
		t.Fatal("a seed decides the chunks, and nothing else does")
	}
}

func TestHoldersAreTheNearestByXor(t *testing.T) {
	peers := [][]byte{make([]byte, 32), make([]byte, 32), make([]byte, 32)}
	peers[0][0], peers[1][0], peers[2][0] = 0xf0, 0x0f, 0x01
	var address [32]byte
	address[0] = 0x0e
	got := holders(peers, address, 2)
	if got[0][0] != 0x0f || got[1][0] != 0x01 {
		t.Fatalf("%x; expected 0f (1 apart) and 01 (15 apart)", got)
	}
}

func TestSetsThatMakeNoSenseAreRefused(t *testing.T) {
	good := chunkSet{Seed: "1", Count: 1, MinBytes: 1, MaxBytes: 1, Peers: peersOf(1), Group: 1}
	if problem := good.problem(); problem != "" {
		t.Fatal(problem)
	}
	for name, change := range map[string]func(*chunkSet){
		"count": func(s *chunkSet) { s.Count = 0 },
		"sizes": func(s *chunkSet) { s.MaxBytes = 5 << 20 },
		"group": func(s *chunkSet) { s.Group = 0 },
		"peer":  func(s *chunkSet) { s.Peers = []string{"../../etc"} },
	} {
		bad := good
		change(&bad)
		if !strings.Contains(bad.problem(), name) {
			t.Errorf("%s: %q", name, bad.problem())
		}
	}
}

func TestTheNodesCommandLine(t *testing.T) {
	env := map[string]string{
		"SQUALL_BIND": "198.18.0.11", "SQUALL_BOOTSTRAP": "198.18.0.10, 198.18.0.11",
		"SQUALL_REWARDS_ADDRESS": "0x01", "SQUALL_ARGS": "--disable-webrtc-direct",
	}
	s, err := readSettings(func(name string) string { return env[name] })
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(s.arguments(), " ")
	want := "--root-dir /data --port 10000 --ipv4-only --enable-logging --log-format json --log-level info " +
		"--network-mode testnet --rewards-address 0x01 --bootstrap 198.18.0.10:10000 --disable-webrtc-direct"
	if got != want {
		t.Fatalf("%s\nexpected %s", got, want)
	}
	env["SQUALL_PORT"], env["SQUALL_START"] = "0", "soon"
	if _, err := readSettings(func(name string) string { return env[name] }); err == nil ||
		!strings.Contains(err.Error(), "SQUALL_PORT") || !strings.Contains(err.Error(), "SQUALL_START") {
		t.Fatalf("%v; expected both problems at once", err)
	}
}

func TestAReserveOfItsOwnReachesTheNodeInAFile(t *testing.T) {
	env := map[string]string{"SQUALL_ROOT_DIR": t.TempDir(), "SQUALL_DISK_RESERVE_BYTES": "4194304"}
	s, err := readSettings(func(name string) string { return env[name] })
	if err != nil {
		t.Fatal(err)
	}
	if err := s.writeConfig(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(s.root, "squall-node.toml"))
	if err != nil || string(text) != "[storage]\ndisk_reserve_mb = 4\n" {
		t.Fatalf("%q %v", text, err)
	}
	if got := strings.Join(s.arguments(), " "); !strings.Contains(got, "--config "+s.configFile()) {
		t.Fatal(got)
	}
}

func TestThePeerIsFoundInTheLog(t *testing.T) {
	peer := peersOf(1)[0]
	log := `{"message":"ant-node starting","version":"0.23.1"}` + "\nnot json\n" +
		`{"timestamp":"2026-01-01T00:00:00Z","level":"INFO","message":"Node identity resolved","peer_id":"` + peer + `","root_dir":"/data"}` + "\n"
	if got, err := findPeer(strings.NewReader(log)); err != nil || got != peer {
		t.Fatalf("%s %v", got, err)
	}
	if _, err := findPeer(strings.NewReader(`{"message":"Node identity resolved","peer_id":"../x"}` + "\n")); err == nil {
		t.Fatal("what is no peer id was taken for one")
	}
}

// A node that is a shell script: it says who it is, and ends when it is told to.
func fakeNode(t *testing.T) (*node, *bytes.Buffer) {
	t.Helper()
	root := t.TempDir()
	program := filepath.Join(root, "program")
	script := fmt.Sprintf("#!/bin/sh\necho '{\"message\":\"Node identity resolved\",\"peer_id\":\"%s\"}'\nexec sleep 60\n", peersOf(1)[0])
	if err := os.WriteFile(program, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	return newNode(settings{program: program, root: root, port: 10000}, &teller{out: &out}), &out
}

func ask(n *node, method, path, body string) (int, fields) {
	w := httptest.NewRecorder()
	adminHandler(n).ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader(body)))
	var got fields
	_ = json.Unmarshal(w.Body.Bytes(), &got)
	return w.Code, got
}

func TestALifeFromIdentityToStop(t *testing.T) {
	n, out := fakeNode(t)
	if status, _ := ask(n, "GET", "/healthz", ""); status != 503 {
		t.Fatalf("%d before it has an identity; expected 503", status)
	}
	peer, err := identity(t.Context(), n.settings)
	if err != nil {
		t.Fatal(err)
	}
	n.identified(peer)
	set, _ := json.Marshal(chunkSet{Seed: "1", Count: 50, MinBytes: 10, MaxBytes: 10, Peers: []string{peer}, Group: 7})
	if status, got := ask(n, "POST", "/populate", string(set)); status != 200 || got["chunks"] != 50.0 {
		t.Fatalf("%d %v", status, got)
	}
	if hasStarted(n.settings.root) {
		t.Fatal("it has not started yet")
	}
	if status, _ := ask(n, "POST", "/start", ""); status != 200 || !n.running() || !hasStarted(n.settings.root) {
		t.Fatalf("%d", status)
	}
	if status, _ := ask(n, "POST", "/start", ""); status != 409 {
		t.Fatalf("%d for a second start; expected 409", status)
	}
	if status, _ := ask(n, "POST", "/populate", string(set)); status != 409 {
		t.Fatalf("%d for chunks under a node that runs; expected 409", status)
	}
	if status, got := ask(n, "POST", "/tell-held", ""); status != 200 || got["keys"] != 50.0 {
		t.Fatalf("%d %v", status, got)
	}
	if status, got := ask(n, "POST", "/stop", ""); status != 200 || got["byItself"] != true {
		t.Fatalf("%d %v", status, got)
	}
	if n.running() {
		t.Fatal("it was stopped")
	}
	select {
	case code := <-n.died:
		t.Fatalf("a stop that was asked for is no death: %d", code)
	default:
	}
	for _, line := range strings.Split(strings.TrimSpace(out.String()), "\n") {
		if len(line) > 4096 {
			t.Fatalf("a line of %d bytes may be torn by what the node writes", len(line))
		}
	}
	if !strings.Contains(out.String(), `"peakRssBytes":`) {
		t.Fatal("what the node took is told when it has ended")
	}
	if got := strings.Count(out.String(), `"event":"keys.held"`); got != 2 {
		t.Fatalf("%d events for 50 keys; expected 2", got)
	}
}

func TestANodeThatEndsByItselfIsToldOf(t *testing.T) {
	n, _ := fakeNode(t)
	if err := os.WriteFile(n.settings.program, []byte("#!/bin/sh\nexit 7\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := n.start(); err != nil {
		t.Fatal(err)
	}
	if code := <-n.died; code != 7 {
		t.Fatalf("%d; expected 7", code)
	}
}
