package gcn

import (
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// Checks of rules about scalar and memory instructions.

func scalarMemoryData(d *isa.Def) isa.RuleCheck {
	data := argOf(d, "sdata")
	if data == nil || data.Kind.Cells == nil {
		return nil
	}
	return func(in *isa.Inst) *isa.Breach {
		v := data.Get(in.Word)
		if v != codeM0 && v != codeExec && v != codeExec+1 {
			return nil
		}
		return &isa.Breach{Arg: data.Index(), Msg: data.Kind.Table[v] + " is no data of scalar memory", Hint: "s_mov moves it from or to another register"}
	}
}

func gatherDmask(d *isa.Def) isa.RuleCheck {
	dmask := argOf(d, "dmask")
	if dmask == nil || !strings.HasPrefix(d.Name, "image_gather4") {
		return nil
	}
	return func(in *isa.Inst) *isa.Breach {
		if v := dmask.Get(in.Word); v == 0 || v&(v-1) != 0 {
			return &isa.Breach{Arg: dmask.Index(), Msg: fmt.Sprintf("dmask 0x%x, where a gather takes one component: 1, 2, 4 or 8", v)}
		}
		return nil
	}
}

func gprIdxMode(d *isa.Def) isa.RuleCheck {
	for i := range d.Args {
		if a := &d.Args[i]; a.Kind == gprIdx {
			return func(in *isa.Inst) *isa.Breach {
				if v := a.Get(in.Word); v>>len(gprIdxNames) != 0 {
					return &isa.Breach{Arg: a.Index(), Msg: fmt.Sprintf("%d has bits beyond those of the four operands", v)}
				}
				return nil
			}
		}
	}
	return nil
}

// registerSources are the scalar instructions whose source is a register.
var registerSources = []string{"s_setpc_b64", "s_rfe_b64", "s_cbranch_join", "s_movrels_b32", "s_movrels_b64"}

func registerSource(d *isa.Def) isa.RuleCheck {
	src, least := argOf(d, "ssrc0"), uint64(codeInt0)
	switch {
	case d.Name == "s_cbranch_g_fork":
		least = codeLiteral
	case !slices.Contains(registerSources, d.Name):
		return nil
	}
	args := []*isa.Arg{src}
	if other := argOf(d, "ssrc1"); other != nil {
		args = append(args, other)
	}
	return func(in *isa.Inst) *isa.Breach {
		for _, a := range args {
			if v := a.Get(in.Word); v == codeLiteral || v >= least && v < codeVCCZ {
				return &isa.Breach{Arg: a.Index(), Msg: shown(in, a) + " stands where a register is read"}
			}
		}
		return nil
	}
}

// registerRange checks tuples that continue in codes that are no registers of this generation; see newAligned.
func registerRange(d *isa.Def) isa.RuleCheck {
	type tuple struct {
		arg      *isa.Arg
		shift, n int
	}
	var tuples []tuple
	for i := range d.Args {
		if a := &d.Args[i]; a.Kind.Cells != nil && len(a.At) > 0 && a.Width >= 128 && a.Kind.Table != nil && strings.HasPrefix(a.Kind.Table[0], "s[") {
			tuples = append(tuples, tuple{a, 7 - a.At.Len(), a.Width / 32})
		}
	}
	if len(tuples) == 0 {
		return nil
	}
	sgprs := d.Data.(*entry).gen.codes.sgprs
	return func(in *isa.Inst) *isa.Breach {
		for i := range tuples {
			t := &tuples[i]
			v := t.arg.Get(in.Word)
			code := int(v) << t.shift
			if code < sgprs && code+t.n > sgprs || code >= codeTTMP && code < codeTTMP+numTTMP && code+t.n > codeTTMP+numTTMP {
				return &isa.Breach{Arg: t.arg.Index(), Msg: fmt.Sprintf("%s, where the last registers are s%d and ttmp%d", t.arg.Kind.Table[v], sgprs-1, numTTMP-1)}
			}
		}
		return nil
	}
}

func storeTFE(d *isa.Def) isa.RuleCheck {
	tfe := argOf(d, "tfe")
	if tfe == nil || !strings.HasPrefix(d.Name, "buffer_store") {
		return nil
	}
	return func(*isa.Inst) *isa.Breach {
		return &isa.Breach{Arg: tfe.Index(), Msg: "tfe stands at a store, which has no status"}
	}
}

func atomicDmask(d *isa.Def) isa.RuleCheck {
	dmask := argOf(d, "dmask")
	if dmask == nil || !strings.HasPrefix(d.Name, "image_atomic") {
		return nil
	}
	return func(in *isa.Inst) *isa.Breach {
		if v := dmask.Get(in.Word); v != 1 && v != 3 && v != 15 {
			return &isa.Breach{Arg: dmask.Index(), Msg: fmt.Sprintf("dmask 0x%x, where the data of an atomic has 1, 2 or 4 registers: dmask 1, 3 or 0xf", v)}
		}
		return nil
	}
}
