// Package linter implements heddle lint: it finds entries, kernels and functions in files, and runs package lint on
// their code.
package linter

import (
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/asm"
	launched "github.com/heddle-gpu/heddle/internal/platforms/gcn"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/gcn"
	"github.com/heddle-gpu/heddle/lint"
	"github.com/heddle-gpu/heddle/object"
)

// Bare lints code without a container: waves start at its first byte, and at code after the end of a wave that no
// branch leads to.
func Bare(t *isa.Target, code []byte, base uint64, o lint.Options) *lint.Report {
	return lint.Run(lint.Code{Target: t, Base: base, Bytes: code, Guess: true}, o)
}

// Assembly lints the result of assembling a file, as Bare does.
func Assembly(r *asm.Assembly, o lint.Options) *lint.Report {
	return lint.Run(lint.Code{Target: r.Target, Base: r.Base, Bytes: r.Code, Map: r.Map(), Guess: true}, o)
}

// Object lints the executable segments of a code object. Kernels are entries with what their descriptors declare. Other
// functions are called, whether or not their symbol has a size.
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

// entriesOf returns the kernels and functions of a code object, sorted by address.
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

// kernel returns a kernel as an entry.
func kernel(t *isa.Target, k *object.Kernel) lint.Entry {
	d := &k.Descriptor
	e := lint.Entry{Addr: k.Entry, Name: k.Name, Begins: launched.Begins(d), Group: uint64(d.GroupSize), Grows: growsGroup(k)}
	e.Limits = registers(t, d.SGPRs(), d.VGPRs())
	return e
}

// registers returns the limits for so many scalar and vector registers, and for no trap handler registers, because no
// kernel is a trap handler.
func registers(t *isa.Target, sgprs, vgprs int) []lint.Limit {
	ttmp, n := gcn.TTMPs()
	return []lint.Limit{
		{Rule: "vgpr-undeclared", First: gcn.VGPR(0), Count: 256, Have: vgprs, What: fmt.Sprintf("%d vector registers", vgprs)},
		{Rule: "sgpr-undeclared", First: gcn.SGPR(0), Count: gcn.SGPRs(t.Variant), Have: sgprs, What: fmt.Sprintf("%d scalar registers", sgprs)},
		{Rule: "ttmp-outside", First: ttmp, Count: n, What: "none of the trap handler's registers"},
	}
}

// growsGroup reports whether a launch may give the kernel more group memory than it declares, for local arguments.
func growsGroup(k *object.Kernel) bool {
	if k.Meta == nil {
		return true
	}
	return slices.ContainsFunc(k.Meta.Args, func(a object.Arg) bool {
		return a.ValueKind == "dynamic_shared_pointer" || strings.HasSuffix(a.ValueKind, "dynamic_lds_size")
	})
}
