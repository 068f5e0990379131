package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"time"
)

const (
	// An event's line stays below 4 KiB: 40 addresses of 65 characters and the rest.
	keysPerEvent = 40
	stopWithin   = 8 * time.Second
	maxBody      = 1 << 20
)

// serveAdmin listens on the node's own loopback and serves until the process ends.
func serveAdmin(port int, n *node) error {
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return err
	}
	go func() { _ = http.Serve(listener, adminHandler(n)) }() // Ends with the process.
	return nil
}

func adminHandler(n *node) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		ok := n.who() != ""
		status := http.StatusOK
		if !ok {
			status = http.StatusServiceUnavailable
		}
		answer(w, status, fields{"ok": ok})
	})
	mux.HandleFunc("GET /state", func(w http.ResponseWriter, _ *http.Request) {
		keys, size, err := held(n.settings.root)
		if err != nil {
			answer(w, http.StatusInternalServerError, fields{"error": err.Error()})
			return
		}
		answer(w, http.StatusOK, fields{
			"peer": n.who(), "running": n.running(), "held": len(keys), "heldBytes": size,
			"threads": n.settings.threads, "monoNs": monotonicNs(),
		})
	})
	mux.HandleFunc("POST /populate", func(w http.ResponseWriter, r *http.Request) {
		set, ok := readSet(w, r)
		if !ok {
			return
		}
		if n.running() || n.who() == "" {
			answer(w, http.StatusConflict, fields{"error": "chunks are laid in before the node starts, once it has an identity"})
			return
		}
		count, size, err := populate(n.settings.root, n.who(), set)
		if err != nil {
			answer(w, http.StatusInternalServerError, fields{"error": err.Error()})
			return
		}
		n.told.tell("store.populated", fields{"chunks": count, "bytes": size})
		answer(w, http.StatusOK, fields{"chunks": count, "bytes": size})
	})
	// Which keys the set has, told by one node for all.
	mux.HandleFunc("POST /tell-set", func(w http.ResponseWriter, r *http.Request) {
		set, ok := readSet(w, r)
		if !ok {
			return
		}
		keys := set.addresses()
		tellKeys(n, "set.listed", keys)
		answer(w, http.StatusOK, fields{"keys": len(keys)})
	})
	mux.HandleFunc("POST /tell-held", func(w http.ResponseWriter, _ *http.Request) {
		keys, size, err := held(n.settings.root)
		if err != nil {
			answer(w, http.StatusInternalServerError, fields{"error": err.Error()})
			return
		}
		tellKeys(n, "keys.held", keys)
		n.told.tell("store.counted", fields{"keys": len(keys), "bytes": size})
		answer(w, http.StatusOK, fields{"keys": len(keys), "bytes": size})
	})
	mux.HandleFunc("POST /start", func(w http.ResponseWriter, _ *http.Request) {
		if n.who() == "" {
			answer(w, http.StatusConflict, fields{"error": "it has no identity yet"})
			return
		}
		if err := n.start(); err != nil {
			answer(w, http.StatusConflict, fields{"error": err.Error()})
			return
		}
		answer(w, http.StatusOK, fields{})
	})
	// Ends the node but not the container, so that its last words are heard and its store can be read.
	mux.HandleFunc("POST /stop", func(w http.ResponseWriter, _ *http.Request) {
		began := time.Now()
		byItself := n.stop(stopWithin)
		tookMs := time.Since(began).Milliseconds()
		n.told.tell("node.stopped", fields{"byItself": byItself, "tookMs": tookMs})
		answer(w, http.StatusOK, fields{"byItself": byItself, "tookMs": tookMs})
	})
	return mux
}

func readSet(w http.ResponseWriter, r *http.Request) (set chunkSet, ok bool) {
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&set); err != nil {
		answer(w, http.StatusBadRequest, fields{"error": err.Error()})
		return set, false
	}
	if problem := set.problem(); problem != "" {
		answer(w, http.StatusBadRequest, fields{"error": problem})
		return set, false
	}
	return set, true
}

func tellKeys(n *node, event string, keys []string) {
	for from := 0; from < len(keys); from += keysPerEvent {
		n.told.tell(event, fields{"keys": keys[from:min(from+keysPerEvent, len(keys))]})
	}
}

func answer(w http.ResponseWriter, status int, body fields) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // The asker has gone.
}
