//go:build cgo

package main

// #define HEDDLE_NO_PROTOTYPES
// #include "heddle.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime/debug"
	"unsafe"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/isa"
)

// A failure is an error with its status.
type failure struct {
	status C.heddle_status
	error
}

func (f *failure) Unwrap() error { return f.error }

// fail adds a status to an error.
func fail(status C.heddle_status, err error) error { return &failure{status, err} }

// guard runs a function of the interface. It converts panics to errors, because callers in C cannot handle them.
func guard(out **C.heddle_error, f func() error) (status C.heddle_status) {
	if out != nil {
		*out = nil
	}
	defer func() {
		if r := recover(); r != nil {
			status = report(out, fail(C.HEDDLE_EINTERNAL, fmt.Errorf("a defect of heddle: %v\n%s", r, debug.Stack())))
		}
	}()
	if err := f(); err != nil {
		return report(out, err)
	}
	return C.HEDDLE_OK
}

// report passes an error to the caller, if out is not NULL.
func report(out **C.heddle_error, err error) (status C.heddle_status) {
	status = statusOf(err)
	if out == nil {
		return status
	}
	defer func() {
		if recover() != nil { // out of memory for the error
			*out, status = nil, C.HEDDLE_EINTERNAL
		}
	}()
	err2 := result(out, func(b *block, e *C.heddle_error) error {
		e.status, e.message = status, b.text(err.Error())
		list := diagnostics(err)
		items := place[C.heddle_diagnostic](b, len(list))
		for i, d := range list {
			items[i] = C.heddle_diagnostic{
				code: b.text(d.Code), message: b.text(d.Msg), hint: b.text(d.Hint), source: b.text(d.Source),
				line: C.int32_t(d.Line), column: C.int32_t(d.Col), offset: C.uint64_t(d.Off),
			}
		}
		e.items, e.item_count = unsafe.SliceData(items), C.size_t(len(items))
		var f *exec.Fault
		if errors.As(err, &f) {
			e.fault = faultOf(b, f)
		}
		return nil
	})
	if err2 != nil {
		return statusOf(err2)
	}
	return status
}

// statusOf returns the status of an error without one, by its type.
func statusOf(err error) C.heddle_status {
	var own *failure
	var guest *exec.Fault
	var wrong *isa.Error
	switch {
	case errors.As(err, &own):
		return own.status
	case errors.As(err, &guest):
		switch {
		case guest.Kind == exec.FaultLimit:
			return C.HEDDLE_ELIMIT
		case guest.Kind == exec.FaultStopped && errors.Is(err, context.DeadlineExceeded):
			return C.HEDDLE_ETIMEOUT
		case guest.Kind == exec.FaultStopped:
			return C.HEDDLE_ESTOPPED
		}
		return C.HEDDLE_EFAULT
	case errors.As(err, &wrong):
		switch {
		case wrong.Code == isa.ErrUnsupported || wrong.Code == isa.ErrUndefined:
			return C.HEDDLE_EUNSUPPORTED
		case wrong.Line > 0:
			return C.HEDDLE_ETEXT
		}
		return C.HEDDLE_ECODE
	case errors.Is(err, fs.ErrNotExist):
		return C.HEDDLE_ENOTFOUND
	}
	return C.HEDDLE_EINVALID
}

// diagnostics returns the individual errors of a text or of code.
func diagnostics(err error) []*isa.Error {
	var list heddle.Errors
	var one *isa.Error
	switch {
	case errors.As(err, &list):
		return list
	case errors.As(err, &one):
		return []*isa.Error{one}
	}
	return nil
}

func faultOf(b *block, f *exec.Fault) *C.heddle_fault {
	v := &place[C.heddle_fault](b, 1)[0]
	v.kind, v.lane, v.lanes = C.int32_t(f.Kind), C.int32_t(f.Lane), C.uint64_t(f.Lanes)
	v.pc, v.address = C.uint64_t(f.Place().Addr), C.uint64_t(f.Addr)
	segment, access := "", ""
	if m := f.Mem; m != nil {
		access, v.bytes = m.Op, C.uint64_t(m.Size)
		if m.Nearest != nil {
			segment = m.Nearest.Name
		}
	}
	v.access, v.segment, v.instruction, v.reason = b.text(access), b.text(segment), b.text(f.Instruction()), b.text(f.Reason())
	v.kernel, v.wave = b.text(f.Kernel), C.uint32_t(f.Wave)
	for i, g := range f.Group {
		v.group[i] = C.uint32_t(g)
	}
	regs := place[C.heddle_fault_register](b, len(f.Registers))
	for i, r := range f.Registers {
		regs[i] = C.heddle_fault_register{name: b.text(r.Name), value: C.uint64_t(r.Value)}
	}
	v.registers, v.register_count = unsafe.SliceData(regs), C.size_t(len(regs))
	return v
}
