package main

import (
	"errors"
	"fmt"
)

// opError is what a refused or failed request answers with. Code is stable and
// meant for programs, Message is a sentence for people, Facts carries figures.
type opError struct {
	Code    string         `json:"code"`
	Message string         `json:"message"`
	Facts   map[string]any `json:"facts,omitempty"`
}

func (e *opError) Error() string { return e.Code + ": " + e.Message }

func fail(code, format string, args ...any) *opError {
	return &opError{Code: code, Message: fmt.Sprintf(format, args...)}
}

func (e *opError) with(key string, value any) *opError {
	if e.Facts == nil {
		e.Facts = map[string]any{}
	}
	e.Facts[key] = value
	return e
}

// asOpError keeps the code of an opError and files everything else under
// "internal".
func asOpError(err error) *opError {
	var op *opError
	if errors.As(err, &op) {
		return op
	}
	return fail("internal", "%v", err)
}
