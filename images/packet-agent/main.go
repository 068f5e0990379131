// Command packet-agent breaks the network of containers from inside their
// network namespaces, under the control of JSON lines on its standard input,
// and puts it right again by itself when that input ends. See README.md.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/signal"
	"runtime"

	"golang.org/x/sys/unix"
)

func init() {
	// The main goroutine keeps the main thread: no other goroutine may move it
	// into a namespace and end on it.
	runtime.LockOSThread()
}

// exitDirty says that something could not be undone.
const exitDirty = 1

func main() {
	log.SetFlags(log.Lmicroseconds)
	log.SetPrefix("packet-agent: ")
	args := os.Args[1:]
	switch {
	case len(args) == 0:
		os.Exit(serve())
	case args[0] == "sweep":
		if err := sweep(args[1:]); err != nil {
			log.Print(err)
			os.Exit(exitDirty)
		}
	case args[0] == "version":
		fmt.Println(version)
	default:
		log.Printf("unknown argument %q; expected none, sweep PID..., or version", args[0])
		os.Exit(2)
	}
}

// serve runs the agent until its controller is gone, says bye, or a signal
// asks it to stop.
func serve() int {
	// A controller that closes our output must not kill us before we lift.
	signal.Ignore(unix.SIGPIPE)
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, unix.SIGTERM, unix.SIGINT, unix.SIGHUP)

	a := newAgent()
	gone := make(chan string, 2)
	a.out = newOutbox(os.Stdout, func(err error) { gone <- deadmanReason(err) })
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		if err := a.serve(ctx, os.Stdin); err != nil {
			gone <- deadmanReason(err)
			return
		}
		gone <- "bye"
	}()

	var err error
	select {
	case reason := <-gone:
		err = a.end(reason)
	case s := <-stop:
		err = a.end("signal " + s.String())
	}
	a.out.finish()
	if err != nil {
		return exitDirty
	}
	return 0
}
