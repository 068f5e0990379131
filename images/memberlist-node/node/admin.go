package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"
)

const maxBodyBytes = 1 << 20

// listenAdmin serves on loopback only: faults never touch it, and nobody else reaches it.
func listenAdmin(n *node) error {
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(n.settings.AdminPort)))
	if err != nil {
		return fmt.Errorf("admin port: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, map[string]any{"ok": true, "epoch": n.rebirth.Epoch})
	})
	mux.HandleFunc("GET /state", func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, n.state()) })
	mux.HandleFunc("GET /census", func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, n.beliefs()) })
	mux.HandleFunc("POST /join", n.serveJoin)
	mux.HandleFunc("POST /leave", n.serveLeave)
	mux.HandleFunc("POST /reset", n.serveReset)
	mux.HandleFunc("/clock", notHere("memberlist reads the system's clock: it has none that could be injected, so a leap is not possible; use warp"))
	mux.HandleFunc("/storm", notHere("memberlist has no requests that a storm could answer"))
	server := &http.Server{Handler: mux, ReadTimeout: 10 * time.Second, WriteTimeout: 60 * time.Second}
	go func() { n.fatal(server.Serve(listener)) }()
	return nil
}

func (n *node) serveJoin(w http.ResponseWriter, r *http.Request) {
	var body struct{ Peers []string }
	if err := readJSON(r, &body); err != nil || len(body.Peers) == 0 {
		refuse(w, http.StatusBadRequest, errors.Join(errors.New(`expected {"peers":["address[:port]"]}`), err))
		return
	}
	joined, err := n.list.Join(body.Peers)
	if err != nil {
		refuse(w, http.StatusBadGateway, err)
		return
	}
	answer(w, http.StatusOK, map[string]any{"joined": joined})
}

func (n *node) serveLeave(w http.ResponseWriter, _ *http.Request) {
	if err := n.list.Leave(n.settings.warped(5_000)); err != nil {
		refuse(w, http.StatusGatewayTimeout, err)
		return
	}
	answer(w, http.StatusOK, map[string]any{"left": true})
}

func (n *node) serveReset(w http.ResponseWriter, r *http.Request) {
	var body struct{ Env map[string]*string }
	if err := readJSON(r, &body); err != nil {
		refuse(w, http.StatusBadRequest, err)
		return
	}
	env, err := n.rebirth.overridden(body.Env)
	if err == nil {
		_, err = loadSettings(func(name string) string { return env[name] })
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, err)
		return
	}
	w.Header().Set("Connection", "close")
	answer(w, http.StatusOK, map[string]any{"epoch": n.rebirth.Epoch + 1})
	if err := http.NewResponseController(w).Flush(); err != nil {
		n.log.Printf("[WARN] reset: the answer was not delivered: %v", err)
	}
	n.reset(env)
}

func notHere(reason string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { refuse(w, http.StatusNotImplemented, errors.New(reason)) }
}

// readJSON takes an empty body as {}.
func readJSON(r *http.Request, into any) error {
	text, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, maxBodyBytes))
	if err != nil || len(text) == 0 {
		return err
	}
	return json.Unmarshal(text, into)
}

func refuse(w http.ResponseWriter, status int, err error) {
	answer(w, status, map[string]any{"error": err.Error()})
}

func answer(w http.ResponseWriter, status int, body any) {
	text, err := json.Marshal(body)
	if err != nil {
		panic(err) // plain data
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)+1))
	w.WriteHeader(status)
	// A client that went away is its own affair: there is nobody left to tell.
	_, _ = w.Write(append(text, '\n'))
}
