package main

import (
	"bytes"
	"io"
	"log"
)

var levels = map[string]int{"debug": 0, "info": 1, "warn": 2, "error": 3}

// levelFilter drops lines of the library's log below a level; a line without
// one passes. The logger hands over one line a call.
type levelFilter struct {
	out   io.Writer
	least int
}

func (f levelFilter) Write(line []byte) (int, error) {
	for tag, level := range map[string]int{"[DEBUG]": 0, "[INFO]": 1, "[WARN]": 2, "[ERR]": 3} {
		if bytes.Contains(line, []byte(tag)) && level < f.least {
			return len(line), nil
		}
	}
	return f.out.Write(line)
}

func newLogger(out io.Writer, level string) *log.Logger {
	return log.New(levelFilter{out, levels[level]}, "", log.LstdFlags|log.Lmicroseconds)
}
