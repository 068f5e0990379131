// Command traffic-node sends and receives datagrams and streams on demand and
// counts them. Tests of the fault room watch through it what a fault does.
package main

import (
	"encoding/json"
	"log"
	"net/http"
	"os"
	"os/signal"
	"syscall"
)

const (
	udpPort   = 7000
	tcpPort   = 7001
	floodPort = 7002
	adminAddr = "127.0.0.1:8080"
)

func main() {
	sink := newSink()
	go sink.listen(udpPort)
	go echo(tcpPort)
	go fountain(floodPort)
	streams := &streams{}
	storm := &storm{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { reply(w, struct{}{}) })
	mux.HandleFunc("GET /received", func(w http.ResponseWriter, _ *http.Request) { reply(w, sink.report()) })
	mux.HandleFunc("POST /forget", func(w http.ResponseWriter, _ *http.Request) { sink.forget(); reply(w, struct{}{}) })
	post(mux, "/send", sendDatagrams)
	post(mux, "/connect", connect)
	post(mux, "/drink", drink)
	post(mux, "/open", streams.open)
	post(mux, "/talk", streams.talk)
	post(mux, "/storm", storm.set)
	mux.HandleFunc("GET /storm", func(w http.ResponseWriter, _ *http.Request) { reply(w, storm.get()) })
	mux.HandleFunc("GET /work", storm.work)
	go func() { log.Fatal(http.ListenAndServe(adminAddr, mux)) }()
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	<-stop
}

// post serves an operation that takes and gives JSON.
func post[In, Out any](mux *http.ServeMux, path string, do func(In) Out) {
	mux.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) {
		var in In
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		reply(w, do(in))
	})
}

func reply(w http.ResponseWriter, value any) {
	w.Header().Set("content-type", "application/json")
	if err := json.NewEncoder(w).Encode(value); err != nil {
		log.Print(err)
	}
}
