package linter

import (
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/gcn"
	"github.com/heddle-gpu/heddle/lint"
)

// TestPartBranches: a branch on any mask of lanes makes the waves of a workgroup diverge, however the mask was
// computed; a branch on a mask of all lanes or on the scalar condition does not.
func TestPartBranches(t *testing.T) {
	for _, c := range []struct {
		branch, mask string
		parts        bool
	}{
		{"s_cbranch_execz", "s_mov_b64 exec, vcc", true}, {"s_cbranch_execz", "s_and_b64 exec, exec, vcc", true}, {"s_cbranch_execz", "s_and_saveexec_b64 s[18:19], vcc", true},
		{"s_cbranch_execz", "s_mov_b64 exec, -1", false}, {"s_cbranch_execnz", "s_mov_b64 exec, vcc", true},
		{"s_cbranch_vccz", "s_mov_b64 exec, vcc", true}, {"s_cbranch_vccnz", "s_mov_b64 exec, -1", true},
		{"s_cbranch_scc0", "s_mov_b64 exec, vcc", false}, {"s_cbranch_scc1", "s_mov_b64 exec, vcc", false},
	} {
		for _, v := range []string{"gfx6", "gfx7", "gfx8"} {
			tg, err := gcn.Set().Target(isa.Config{Variant: v})
			if err != nil {
				t.Fatal(err)
			}
			r, marked := lintText(t, tg, `
	s_cmp_eq_u32 s4, 0
	v_cmp_eq_u32 vcc, 0, v0
	s_nop 4
	s_mov_b64 s[16:17], exec
	`+c.mask+`
	`+c.branch+` L
	s_barrier //!
L:
	s_mov_b64 exec, s[16:17]
	s_endpgm
`, false)
			if found := len(r.Findings) == 1 && r.Findings[0].Rule == isa.RuleBarrier && r.Findings[0].Addr == marked; found != c.parts || !found && len(r.Findings) > 0 {
				t.Errorf("%s: %s behind %s: waves part is %v, got%s", v, c.branch, c.mask, c.parts, listed(r))
			}
		}
	}
}

// TestBehindCalls: a caller may wait for what a function issued, and a function for what its caller issued: rules about
// waits without an outstanding operation report nothing there. Without such an operation they do.
func TestBehindCalls(t *testing.T) {
	for _, c := range []struct{ begin, wait, rule string }{
		{"{ s0 = sh0..1, s3 = r4 backend: ld s3, drc0, 1, s0; }", "{ ctrl: wdf drc0; }", "fence-idle"},
		{"{ s0 = sh0..1, s3 = r4 backend: ld s3, drc1, 1, s0; }", "{ ctrl: wdf drc1; }", "fence-idle"},
		{"{ ctrl: mutex.lock 3; }", "{ ctrl: mutex.release 3; }", "mutex-free"},
	} {
		const nothing = "{ ctrl: nop; }"
		for _, p := range []struct {
			name, before, behind, inside string
			rule                         string
		}{
			{"begun in the function", nothing, c.wait, c.begin, ""},
			{"waited for in the function", c.begin, nothing, c.wait, ""},
			{"begun and waited for behind the call", nothing, c.begin + "\n" + c.wait, nothing, ""},
			{"waited for before the call", c.wait, nothing, nothing, c.rule},
		} {
			r, _ := lintRogue(t, strings.Join([]string{p.before, "{ ctrl: br.link f; }", p.behind, "{ ctrl: nop.end; }", "f:", p.inside, "{ ctrl: lapc; }", ""}, "\n"))
			if p.rule == "" && len(rulesIn(r, c.rule)) > 0 || p.rule != "" && len(rulesIn(r, p.rule)) != 1 {
				t.Errorf("%s, %s: want %q, got%s", c.wait, p.name, p.rule, listed(r))
			}
		}
		// For a function alone the callers are unknown.
		tg := rogueTarget(t, nil)
		a, errs := asm.Assemble(tg, []byte(c.wait+"\n{ ctrl: lapc; }\n"), asm.Options{NoLint: true})
		if len(errs) > 0 {
			t.Fatal(errs[0].Detail())
		}
		for _, called := range []bool{false, true} {
			r := lint.Run(lint.Code{Target: tg, Base: a.Base, Bytes: a.Code, Entries: []lint.Entry{{Name: "f", Function: called}}}, lint.Options{Least: isa.SeverityNote})
			if told := len(rulesIn(r, c.rule)) > 0; told == called {
				t.Errorf("%s, where f is called %v: got%s", c.wait, called, listed(r))
			}
		}
	}
}

// TestWhereThreadsMeet: a branch to a later address needs no .reconverge, because its threads wait there; a branch to
// an earlier address, or to itself, does.
func TestWhereThreadsMeet(t *testing.T) {
	for _, c := range []struct {
		name, text string
		found      bool
	}{
		{"on", "BRANCHZ r48, over //!\nNOP.reconverge\nover:\nNOP.end\n", false},
		{"back", "MOV.i32.reconverge r0, r48\ntop:\nIADD.s32 r1, r0, r48\nBRANCHZ r0, top //!\nNOP.end\n", true},
		{"to itself", "MOV.i32.reconverge r0, r48\nhere:\nBRANCHZ r0, here //!\nNOP.end\n", true},
	} {
		r, marked := lintValhall(t, "any", c.text)
		list := rulesIn(r, isa.RuleReconverge)
		if found := len(list) == 1 && list[0].Addr == marked; found != c.found || !found && len(list) > 0 {
			t.Errorf("a branch %s: want a finding: %v, got%s", c.name, c.found, listed(r))
		}
	}
}

// rulesIn returns the findings of a rule.
func rulesIn(r *lint.Report, rule string) (list []lint.Finding) {
	for _, f := range r.Findings {
		if f.Rule == rule {
			list = append(list, f)
		}
	}
	return list
}

// TestInnerJoin: threads that diverge at a branch of which one side leads through a join of others are apart behind
// that join as well: r3 differs, and the barrier is around.
func TestInnerJoin(t *testing.T) {
	r, marked := lintValhall(t, "any", `MOV.i32 r0, 0x0
MOV.i32 r3, 0x0
MOV.i32.reconverge r4, 0x0
loop:
BRANCHZ r0, outer
BRANCHZ r48, e
MOV.i32 r0, 0x0
BRANCHZ.eq.reconverge 0x0, inner
e:
MOV.i32.reconverge r0, 0x0
inner:
MOV.i32.reconverge r3, 0x0
outer:
BRANCHZ.reconverge r4, loop
BRANCHZ r3, done
BARRIER.slot7.wait //!
done:
NOP.reconverge
NOP.end
`)
	if list := rulesIn(r, isa.RuleBarrier); len(list) != 1 || list[0].Addr != marked {
		t.Errorf("want one finding of %s at %#x, got%s", isa.RuleBarrier, marked, listed(r))
	}
}

// TestConditionalReturn: what is pending at a return that some threads do not take is pending behind it.
func TestConditionalReturn(t *testing.T) {
	r, marked := lintRogue(t, `{ ctrl: br.link f; }
{ ctrl: nop.end; }
f:
{ s0 = sh0..1, s3 = r4 backend: ld s3, drc0, 1, s0; }
{ s0 = vi1, is1 = ft0 p0: mbyp ft0, s0; p2_tst: tst.f32.z.phase2end ftt, p0, is1, _; }
if(p0) { ctrl: lapc; }
{ s0 = r4, is4 = ft0 p0: mbyp ft0, s0; w0 = r1 } //!
{ ctrl: wdf drc0; }
{ ctrl: lapc; }
`)
	if list := rulesIn(r, isa.RulePendingRead); len(list) != 1 || list[0].Addr != marked {
		t.Errorf("want one finding of %s at %#x, got%s", isa.RulePendingRead, marked, listed(r))
	}
}
