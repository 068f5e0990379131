package main

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// sweepNamespace removes every table of ours, and says which there were.
func sweepNamespace(nsFd int) ([]string, error) {
	found, err := ourTables(nsFd)
	if err != nil {
		return nil, err
	}
	for _, name := range found {
		if _, err := removeTable(nsFd, name); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// sweep is the one-shot mode: it removes our tables from the namespaces of
// the given processes, one JSON line each. A process that is gone is no
// error, since its namespace went with it. Where an agent lives it is left
// alone.
func sweep(pids []string) error {
	if len(pids) == 0 {
		return fmt.Errorf("sweep: no PID given; expected at least one process")
	}
	box := newOutbox(os.Stdout, func(error) {})
	failed := 0
	for _, text := range pids {
		line := map[string]any{"pid": text}
		switch removed, err := sweepProcess(text); {
		case err == nil:
			line["removed"] = removed
		default:
			failed++
			line["error"] = err.Error()
		}
		box.put(line)
	}
	box.close()
	<-box.idle
	if failed > 0 {
		return fmt.Errorf("sweep: %d of %d namespaces could not be swept", failed, len(pids))
	}
	return nil
}

func sweepProcess(text string) ([]string, error) {
	pid, err := strconv.Atoi(text)
	if err != nil || pid <= 0 {
		return nil, fmt.Errorf("%q is no PID", text)
	}
	fd, err := unix.Open(fmt.Sprintf("/proc/%d/ns/net", pid), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if os.IsNotExist(err) {
		return []string{}, nil
	}
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	if err := refuseBusy("process "+text, fd); err != nil {
		return nil, err
	}
	return sweepNamespace(fd)
}
