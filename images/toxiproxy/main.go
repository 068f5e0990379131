// Command toxiproxy is Toxiproxy's server with one more toxic, hole_after.
//
// The module is pinned in go.mod; flags and API are upstream's, with GET /toxic-types added so that a client can tell
// this server from one that lacks the toxic.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime/debug"
	"sort"
	"strings"
	"syscall"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/Shopify/toxiproxy/v2/collectors"
	"github.com/Shopify/toxiproxy/v2/toxics"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
)

const modulePath = "github.com/Shopify/toxiproxy/v2"

// Upstream's own limits; its handlers give up after 25 s by themselves.
const (
	readTimeout  = 15 * time.Second
	writeTimeout = 30 * time.Second
	idleTimeout  = 60 * time.Second
)

// How long open requests may take when the server is told to end: a container has one second.
const shutdownTimeout = 500 * time.Millisecond

// upstreamVersion is the version of the module that was built in, so that /version cannot disagree with go.mod.
func upstreamVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, dependency := range info.Deps {
		if dependency.Path == modulePath {
			return strings.TrimPrefix(dependency.Version, "v")
		}
	}
	return "unknown"
}

func toxicTypes() []string {
	names := make([]string, 0, toxics.Count())
	for name := range toxics.ToxicRegistry {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// newHandler is upstream's API and GET /toxic-types.
func newHandler(server *toxiproxy.ApiServer) http.Handler {
	routes := server.Routes()
	routes.HandleFunc("/toxic-types", func(response http.ResponseWriter, _ *http.Request) {
		response.Header().Set("Content-Type", "application/json;charset=utf-8")
		if err := json.NewEncoder(response).Encode(map[string][]string{"types": toxicTypes()}); err != nil {
			server.Logger.Warn().Err(err).Msg("toxic-types: client went away")
		}
	}).Methods("GET").Name("ToxicTypes")
	return routes
}

func newServer(logger zerolog.Logger, proxyMetrics bool) *toxiproxy.ApiServer {
	toxiproxy.Version = upstreamVersion()
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(prometheus.NewRegistry()), logger)
	if proxyMetrics {
		server.Metrics.ProxyMetrics = collectors.NewProxyMetricCollectors()
	}
	return server
}

func newLogger() (zerolog.Logger, error) {
	logger := zerolog.New(os.Stdout).With().Timestamp().Logger().Level(zerolog.InfoLevel)
	name, ok := os.LookupEnv("LOG_LEVEL")
	if !ok {
		return logger, nil
	}
	level, err := zerolog.ParseLevel(name)
	return logger.Level(level), err
}

func run() error {
	host := flag.String("host", "127.0.0.1", "address that the API listens on")
	port := flag.String("port", "8474", "port that the API listens on")
	config := flag.String("config", "", "JSON file with proxies to create at the start")
	proxyMetrics := flag.Bool("proxy-metrics", false, "count bytes of ended links under /metrics")
	printVersion := flag.Bool("version", false, "print the version and end")
	flag.Parse()
	if *printVersion {
		fmt.Printf("toxiproxy-server version %s\n", upstreamVersion())
		return nil
	}
	logger, err := newLogger()
	if err != nil {
		return fmt.Errorf("LOG_LEVEL: %w", err)
	}
	server := newServer(logger, *proxyMetrics)
	if *config != "" {
		server.PopulateConfig(*config)
	}
	api := &http.Server{
		Addr:         net.JoinHostPort(*host, *port),
		Handler:      newHandler(server),
		ReadTimeout:  readTimeout,
		WriteTimeout: writeTimeout,
		IdleTimeout:  idleTimeout,
	}
	ended := make(chan error, 1)
	go func() { ended <- api.ListenAndServe() }()
	logger.Info().Str("version", toxiproxy.Version).Str("address", api.Addr).Msg("Toxiproxy listens")

	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGINT, syscall.SIGTERM)
	select {
	case err := <-ended:
		return err
	case <-stop:
	}
	deadline, cancel := context.WithTimeout(context.Background(), shutdownTimeout)
	defer cancel()
	if err := api.Shutdown(deadline); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "toxiproxy:", err)
		os.Exit(1)
	}
}
