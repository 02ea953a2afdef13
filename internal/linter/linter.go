// Package linter is the work of heddle lint: it finds entries, kernels and functions in files, and has package lint look at
// their code.
package linter

import (
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/gcn"
	"github.com/heddle-gpu/heddle/launch/hsa"
	"github.com/heddle-gpu/heddle/lint"
	"github.com/heddle-gpu/heddle/object"
)

// Bare looks at bare code: waves begin at its first byte, and at what no branch leads to behind what ends one.
func Bare(t *isa.Target, code []byte, base uint64, o lint.Options) *lint.Report {
	return lint.Run(lint.Code{Target: t, Base: base, Bytes: code, Guess: true}, o)
}

// Assembly looks at what a file of assembly became, as at bare code.
func Assembly(r *asm.Assembly, o lint.Options) *lint.Report {
	return lint.Run(lint.Code{Target: r.Target, Base: r.Base, Bytes: r.Code, Map: r.Map(), Guess: true}, o)
}

// Object looks at the executable segments of a code object. Kernels are entries with what their descriptors declare, other
// functions are called, whether or not a symbol says how long they are.
func Object(t *isa.Target, o *object.CodeObject, opt lint.Options) *lint.Report {
	rep := &lint.Report{}
	entries, places := entriesOf(t, o), o.Map(0)
	for _, s := range o.Segments {
		code, ok := o.Bytes(s.Addr, s.Size)
		if !s.Exec || !ok {
			continue
		}
		c := lint.Code{Target: t, Base: s.Addr, Bytes: code, Map: places}
		for _, e := range entries {
			if e.Addr >= s.Addr && e.Addr-s.Addr < s.Size {
				c.Entries = append(c.Entries, e)
			}
		}
		if len(c.Entries) > 0 {
			rep.Add(lint.Run(c, opt))
		}
	}
	return rep
}

// entriesOf are the kernels and functions of a code object, by address.
func entriesOf(t *isa.Target, o *object.CodeObject) (es []lint.Entry) {
	for i := range o.Kernels {
		es = append(es, kernel(t, &o.Kernels[i]))
	}
	for _, y := range o.Symbols {
		if y.Defined && y.Kind == object.Func && !slices.ContainsFunc(es, func(e lint.Entry) bool { return e.Addr == y.Addr }) {
			es = append(es, lint.Entry{Addr: y.Addr, Name: y.Name, Function: true})
		}
	}
	slices.SortStableFunc(es, func(a, b lint.Entry) int {
		switch {
		case a.Addr < b.Addr:
			return -1
		case a.Addr > b.Addr:
			return 1
		}
		return 0
	})
	return es
}

// kernel is a kernel as an entry.
func kernel(t *isa.Target, k *object.Kernel) lint.Entry {
	d := &k.Descriptor
	e := lint.Entry{Addr: k.Entry, Name: k.Name, Begins: hsa.Begins(d), Group: uint64(d.GroupSize), Grows: growsGroup(k)}
	e.Limits = registers(t, d.SGPRs(), d.VGPRs())
	return e
}

// registers are the limits of so many scalar and vector registers, and of none of the trap handler, which no kernel is.
func registers(t *isa.Target, sgprs, vgprs int) []lint.Limit {
	ttmp, n := gcn.TTMPs()
	return []lint.Limit{
		{Rule: "vgpr-undeclared", First: gcn.VGPR(0), Count: 256, Have: vgprs, What: fmt.Sprintf("%d vector registers", vgprs)},
		{Rule: "sgpr-undeclared", First: gcn.SGPR(0), Count: gcn.SGPRs(t.Variant), Have: sgprs, What: fmt.Sprintf("%d scalar registers", sgprs)},
		{Rule: "ttmp-outside", First: ttmp, Count: n, What: "none of the trap handler's registers"},
	}
}

// growsGroup reports whether a launch may give the kernel more group memory than it declares: for local arguments.
func growsGroup(k *object.Kernel) bool {
	if k.Meta == nil {
		return true
	}
	return slices.ContainsFunc(k.Meta.Args, func(a object.Arg) bool {
		return a.ValueKind == "dynamic_shared_pointer" || strings.HasSuffix(a.ValueKind, "dynamic_lds_size")
	})
}
