package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// A method answers a request; its result or error becomes JSON.
type method struct {
	name string
	call func(ctx context.Context, request []byte) (any, error)
}

// methods returns all methods.
func methods() []method {
	return []method{
		{"isas", asked(isas)},
		{"eval", asked(evaluate)},
		{"explain", asked(explain)},
		{"show", asked(show)},
		{"list", asked(list)},
		{"draw", asked(draw)},
	}
}

// asked returns a method for one kind of request. Unknown members of a request are an error, as they may be
// misspelled.
func asked[T any](f func(context.Context, *T) (any, error)) func(context.Context, []byte) (any, error) {
	return func(ctx context.Context, request []byte) (any, error) {
		var r T
		d := json.NewDecoder(bytes.NewReader(request))
		d.DisallowUnknownFields()
		if err := d.Decode(&r); err != nil {
			return nil, fmt.Errorf("the request cannot be read: %w", err)
		}
		if d.More() {
			return nil, errors.New("the request cannot be read: there is more behind it")
		}
		return f(ctx, &r)
	}
}

// An Error is why there is no result.
type Error struct {
	Message  string      `json:"message"`
	Hint     string      `json:"hint,omitempty"`
	Register string      `json:"register,omitempty"` // the assignment at fault
	Errors   []TextError `json:"errors,omitempty"`   // of a text, one by one
}

func (e *Error) Error() string { return e.Message }

// A TextError is an error in a text.
type TextError struct {
	Line   int    `json:"line"` // from 1
	Col    int    `json:"col"`  // in characters, from 1
	Code   string `json:"code"`
	Msg    string `json:"msg"`
	Hint   string `json:"hint,omitempty"`
	Ref    string `json:"ref,omitempty"`    // where the broken rule is stated
	Source string `json:"source,omitempty"` // the line
}

// mostErrors is how many errors of a text are reported.
const mostErrors = 50

// textErrors returns the error of a text.
func textErrors(errs []*isa.Error) *Error {
	e := &Error{Message: "1 error"}
	if len(errs) != 1 {
		e.Message = fmt.Sprintf("%d errors", len(errs))
	}
	for _, x := range errs[:min(len(errs), mostErrors)] {
		e.Errors = append(e.Errors, textError(x))
	}
	if len(errs) == 1 {
		e.Message = errs[0].Msg
	}
	return e
}

func textError(x *isa.Error) TextError {
	at := min(max(x.Col-1, 0), len(x.Source))
	return TextError{x.Line, len([]rune(x.Source[:at])) + 1, x.Code, x.Msg, x.Hint, x.Ref, x.Source}
}

// Call answers a request. The answer is always JSON: a panic of a method is an error in it, too, as a page has no
// other place to report it.
func Call(ctx context.Context, name string, request []byte) (answer []byte) {
	defer func() {
		if x := recover(); x != nil {
			answer = failed(&Error{Message: fmt.Sprintf("a fault of heddle's own: %v", x), Hint: "please report it, with what was asked"})
		}
	}()
	all := methods()
	i := slices.IndexFunc(all, func(m method) bool { return m.name == name })
	if i < 0 {
		var names []string
		for _, m := range all {
			names = append(names, m.name)
		}
		return failed(&Error{Message: fmt.Sprintf("no method %q", name), Hint: "there are " + strings.Join(names, ", ")})
	}
	result, err := all[i].call(ctx, request)
	if err != nil {
		return failed(err)
	}
	return encoded(struct {
		Result any `json:"result"`
	}{result})
}

// failed returns the answer for an error.
func failed(err error) []byte {
	var e *Error
	if !errors.As(err, &e) {
		e = &Error{Message: err.Error()}
		if one := (*isa.Error)(nil); errors.As(err, &one) {
			e = textErrors([]*isa.Error{one})
		}
	}
	return encoded(struct {
		Error *Error `json:"error"`
	}{e})
}

func encoded(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("web: " + err.Error()) // all answers are plain data
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
