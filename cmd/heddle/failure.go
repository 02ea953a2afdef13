package main

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/check"
	"github.com/heddle-gpu/heddle/internal/clang"
	"github.com/heddle-gpu/heddle/internal/spell"
	"github.com/heddle-gpu/heddle/isa"
)

// refused are the errors of a text, which are printed one by one. If there is a file name, their number is printed
// after them.
type refused struct {
	file string
	errs []*isa.Error
}

func (r refused) Error() string {
	if r.file == "" {
		return spell.Count(len(r.errs), "error")
	}
	return r.file + ": " + spell.Count(len(r.errs), "error")
}

// textErrors returns the errors of a text that does not assemble or of a source that does not compile, with the name of
// the file; nil for other errors.
func textErrors(err error) (file string, list []*isa.Error) {
	var r refused
	var c *clang.FailedError
	var u *clang.UndefinedError
	switch {
	case errors.As(err, &r):
		return r.file, r.errs
	case errors.As(err, &c):
		for _, d := range c.Errors {
			list = append(list, &isa.Error{Code: "clang", File: d.File, Line: d.Line, Col: d.Col, Source: d.Source, Msg: d.Msg})
		}
		return c.File, list
	case errors.As(err, &u):
		for i, at := range u.Calls {
			if at.Known() {
				list = append(list, &isa.Error{Code: isa.ErrSymbol, File: at.File, Line: at.Line, Col: at.Col, Msg: "nothing defines " + u.Functions[i]})
			}
		}
		return u.File, list
	}
	return "", nil
}

// A detailed error is printed with its line and a caret.
type detailed struct{ err *isa.Error }

func (d detailed) Error() string { return d.err.Detail() }

func (d detailed) Unwrap() error { return d.err }

// tell prints an error on standard error.
func (a *app) tell(err error) {
	var r refused
	if errors.As(err, &r) {
		for _, e := range r.errs {
			fmt.Fprintln(a.err, shownText(e.Detail()))
		}
		if r.file == "" {
			return
		}
	}
	fmt.Fprintf(a.err, "heddle: %s\n", shownText(a.plain(err)))
	var h hinted
	if errors.As(err, &h) {
		fmt.Fprintf(a.err, "    %s\n", shownText(h.hint))
	}
}

// A jsonFailure is an error of a command.
type jsonFailure struct {
	Message string      `json:"message"`
	Hint    string      `json:"hint,omitempty"`
	File    string      `json:"file,omitempty"`
	Exit    int         `json:"exit"`             // the exit code
	Errors  []jsonError `json:"errors,omitempty"` // in a text
	Fault   *jsonFault  `json:"fault,omitempty"`  // of the guest
}

type jsonFault struct {
	PC          uint64 `json:"pc"` // as at.addr
	Instruction string `json:"instruction,omitempty"`
	Lane        int    `json:"lane"` // -1: the wave as a whole
	check.Fault
}

// failureJSON returns an error for output, reworded by plain; see app.plainText.
func failureJSON(err error, plain func(string) string, code int) any {
	j := jsonFailure{Message: plain(err.Error()), Exit: code}
	var h hinted
	if errors.As(err, &h) {
		j.Hint = h.hint
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		j.File = p.Path
	}
	var one *isa.Error
	if file, errs := textErrors(err); errs != nil {
		j.File, j.Errors = file, jsonErrors(errs)
		for i, e := range errs {
			if e.File != file {
				j.Errors[i].File = e.File
			}
		}
	} else if errors.As(err, &one) {
		j.Message, j.File, j.Errors = one.Error(), one.File, jsonErrors([]*isa.Error{one})
	}
	var f *exec.Fault
	if errors.As(err, &f) {
		j.Fault = &jsonFault{f.Place().Addr, f.Instruction(), f.Lane, check.FaultOf(f)}
		j.Fault.Msg = plain(j.Fault.Msg)
	}
	return failed{j}
}

// A failed is the output with --json if there is no result.
type failed struct {
	Error jsonFailure `json:"error"`
}

// asksJSON reports whether a command line requests JSON, even if it is otherwise invalid.
func asksJSON(args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	for i, arg := range args {
		if arg == "--json" || arg == "--json=true" || arg == "--format=json" || arg == "--format" && i+1 < len(args) && args[i+1] == "json" {
			return true
		}
	}
	return false
}

// untold reports whether nothing was written to standard output, so that the error can be the only output.
func (a *app) untold() bool { return !a.sink.used && a.out.Buffered() == 0 }
