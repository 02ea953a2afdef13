package gen

import (
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/internal/jit/cpu"
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/internal/portable"
	"github.com/heddle-gpu/heddle/ir"
)

// targetOf returns the target with those features.
func targetOf(set cpu.Set) target {
	t := target{set: set, bits: 256, lanes: 8}
	if set.Has(cpu.Level512) {
		t.bits, t.lanes = 512, 16
	}
	return t
}

// A viewer is a backend that compiles nothing and shows blocks to a function.
type viewer struct {
	portable.Backend
	view func(b *lower.Block)
}

func (v viewer) Compile(b *lower.Block) (portable.Code, []portable.Segment) {
	v.view(b)
	return nil, nil
}

// view calls f with the block of the text at 0x100 as backends see it, optimised, for waves of 64 lanes.
func view(text string, f func(b *lower.Block)) {
	m := exectest.Machine(ir.MaskData)
	st, err := exec.NewState(m, 64)
	if err != nil {
		fmt.Println(err)
		return
	}
	st.Start(0x100, st.Full)
	e := exec.Eager(portable.With(viewer{newNative(0, nil), f}))
	e.NewRunner(exectest.Parse(m, text)).Run(st, &exec.Env{}, exec.Budget{Steps: 1})
}

func placesText(b *lower.Block, ps []lower.Place) string {
	var list []string
	for _, p := range ps {
		list = append(list, b.PlaceString(p))
	}
	return strings.Join(list, ", ")
}

var phaseTexts = [...]string{beforeLoop: "before", inLoop: "loop", afterLoop: "after", noPhase: ""}

// text returns the plan, one line per step.
func (p *plan) text() string {
	var b strings.Builder
	if f := p.faster; f != nil {
		fmt.Fprintf(&b, "if %d accesses are within their segments", len(f.accesses))
		for _, r := range f.roots {
			fmt.Fprintf(&b, ", lanes of %s are %d apart", p.b.PlaceString(r.row), r.stride)
		}
		b.WriteString(":\n" + f.text() + "otherwise:\n")
	}
	fmt.Fprintf(&b, "plan for %d lanes, vectors of %d bits, whole %v\n", p.b.Lanes, p.bits, p.whole)
	segments := p.segments
	for i := range p.choices {
		if len(segments) > 0 && segments[0].from == i {
			g := &segments[0]
			segments = segments[1:]
			fmt.Fprintf(&b, "segment %d to %d", g.from, g.to-1)
			if g.skip.Kind != 0 {
				b.WriteString(", skips iterations without " + p.b.PlaceString(g.skip))
			}
			if g.spec.on {
				b.WriteString(", speculates on NaNs")
			}
			b.WriteByte('\n')
		}
		c, form := &p.choices[i], "-"
		if c.into == 0 {
			form = forms[c.form].name
		}
		line := fmt.Sprintf("%4d %-7s%-10s%-38s %s", i, phaseTexts[c.phase], form, p.b.StepString(i), strings.Join(p.notes(i), ", "))
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// notes returns what else the plan says of a step.
func (p *plan) notes(i int) (list []string) {
	note := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	c := &p.choices[i]
	switch {
	case c.into == unneeded:
		return []string{"unneeded"}
	case c.into == onEntry:
		return []string{"on entry"}
	case c.into != 0:
		note("done by %d", c.into-1)
		return list
	case c.form == formTernary:
		note("table %#02x of %s", c.tree.table, placesText(p.b, c.tree.leaves))
	case c.joint > 0:
		note("%d joint loads", c.joint)
	}
	if x := p.splitOf(i); x != nil {
		note("addresses %s:%s", p.b.PlaceString(x.high), p.b.PlaceString(x.low))
	}
	for _, g := range p.implies(i) {
		note("implies guard %d", g.steps[0])
	}
	for k := range p.b.Steps[i].Res {
		switch u := c.uses[min(k, 1)]; {
		case c.phase == inLoop && c.last[k] >= 0:
			note("last read by %d", c.last[k])
		case c.phase != inLoop && u.last > 0 && u.out:
			note("kept to %d and stored", u.last)
		case c.phase != inLoop && u.last > 0:
			note("kept to %d", u.last)
		}
	}
	return list
}

// shown is a block with a guard, an address of two rows, bitwise ops, a pair of uniform registers and float ops.
const shown = `
block 0x100
mark 0x100 size 4
  %a = get.i32 v[0]
  %b = get.i32 v[1]
  %w = pack.i64 %a, %b
  %e = get.i1 exec
  %k = get.i32 s[0]
  %n = eq.i32 %b, %k
  %m = and.i1 %e, %n
  unlikely %m
  %z = select.i64 %m, %w, %w
  %r = load.i32 global[4] %w, %e
  %f = and.i32 %r, %a
  %g = xor.i32 %f, %b
  %x = cast.f32 %g
  %y = cast.f32 %a
  %p = fmul.f32 %x, %y {rne}
  %q = fadd.f32 %p, %y {rne}
  %s = fadd.f32 %q, %x {rne}
  %t = cast.i32 %s
  set.i32 v[2], %t, %e
mark 0x104 size 4
  %l = get.i32 s[2]
  %h = get.i32 s[3]
  %u = pack.i64 %l, %h
  %i = const.i64 4
  %v = iadd.i64 %u, %i
  %c:%d = unpack.i32 %v
  set.i32 s[2], %c
  set.i32 s[3], %d
  jump 0x100
`

func Example_plan() {
	view(shown, func(b *lower.Block) { fmt.Print(newPlan(targetOf(cpu.Level512), b, new(tables)).text()) })
	// Output:
	// if 1 accesses are within their segments, lanes of v[1] are 0 apart, lanes of v[0] are 4 apart:
	// plan for 64 lanes, vectors of 512 bits, whole true
	// segment 0 to 18, speculates on NaNs
	//    0        -         q0 = pack.i64 v[0], v[1]               unneeded
	//    1        -         m1 = get exec                          unneeded
	//    2        -         w2 = get s[0]                          unneeded
	//    3        -         m3 = eq.i32 v[1], w2                   unneeded
	//    4        -         m4 = and.i1 m1, m3                     unneeded
	//    5        -         expect none m4                         unneeded
	//    6 loop   affine    r1 = load.i32 q0 in m1, full           last read by 8
	//    7 loop   -         r2 = and.i32 v[0], r1                  done by 8
	//    8 loop   ternary   r3 = xor.i32 v[1], r2                  table 0x78 of v[1], v[0], r1, last read by 11
	//    9 loop   vector    r4 = fmul.f32 r3, v[0]                 last read by 10
	//   10 loop   vector    r5 = fadd.f32 r4, v[0]                 last read by 11
	//   11 loop   vector    v[2] = fadd.f32 r5, r3
	//   12 before -         w28 = get s[2]                         done by 14
	//   13 before -         w29 = get s[3]                         done by 14
	//   14 before get pair  w30 = get s[2]                         kept to 15
	//   15 before uniform   w32 = iadd.i64 w30, 0x4                kept to 18
	//   16 before -         w33, w34 = unpack.i32 w32              done by 18
	//   17 before -         s[2] = set w33                         done by 18
	//   18 before set pair  s[2] = set w32
	// otherwise:
	// plan for 64 lanes, vectors of 512 bits, whole true
	// segment 0 to 4
	//    0 loop   -         q0 = pack.i64 v[0], v[1]               done by 6
	//    1 before get exec  m1 = get exec
	//    2 before get word  w2 = get s[0]
	//    3 loop   -         m3 = eq.i32 v[1], w2                   done by 6
	//    4 loop   -         m4 = and.i1 m1, m3                     done by 6
	//    5        -         expect none m4                         done by 6
	//    6        vectors   r1 = load.i32 q0 in m1, full           addresses v[1]:v[0], implies guard 5
	// segment 7 to 18, speculates on NaNs
	//    7 loop   -         r2 = and.i32 v[0], r1                  done by 8
	//    8 loop   ternary   r3 = xor.i32 v[1], r2                  table 0x78 of v[1], v[0], r1, last read by 11
	//    9 loop   vector    r4 = fmul.f32 r3, v[0]                 last read by 10
	//   10 loop   vector    r5 = fadd.f32 r4, v[0]                 last read by 11
	//   11 loop   vector    v[2] = fadd.f32 r5, r3
	//   12 before -         w28 = get s[2]                         done by 14
	//   13 before -         w29 = get s[3]                         done by 14
	//   14 before get pair  w30 = get s[2]                         kept to 15
	//   15 before uniform   w32 = iadd.i64 w30, 0x4                kept to 18
	//   16 before -         w33, w34 = unpack.i32 w32              done by 18
	//   17 before -         s[2] = set w33                         done by 18
	//   18 before set pair  s[2] = set w32
}

// Dump returns the three stages of the compilation of a block: the plan, the assignment of registers, and the code.
func Dump(t target, b *lower.Block) string {
	p, list := newPlan(t, b, new(tables)), new(listing)
	text, _, err := p.assemble(list)
	if err != nil {
		return err.Error()
	}
	var out strings.Builder
	out.WriteString(p.text())
	for i, l := range list.lines {
		switch {
		case l.what == "step":
			fmt.Fprintf(&out, "step %d: %s\n", l.step, b.StepString(l.step))
		case l.reg != "":
			fmt.Fprintf(&out, "    %s %s: %s\n", l.what, l.reg, b.PlaceString(l.value.loc))
		default:
			out.WriteString(l.what + "\n")
		}
		end := len(text)
		if i+1 < len(list.lines) {
			end = list.a.Place(list.lines[i+1].label)
		}
		if l.what == "constants" {
			break
		}
		for at := list.a.Place(l.label); at < end; {
			var in x86.Inst
			if err := x86.Decode(text[at:end], &in); err != nil {
				fmt.Fprintf(&out, "\t%v\n", err)
				break
			}
			fmt.Fprintf(&out, "\t%v\n", &in)
			at += in.Len
		}
	}
	return out.String()
}

// summed is a block with a uniform value and two ops per lane.
const summed = `
block 0x100
mark 0x100 size 4
  %k = get.i32 s[0]
  %l = imul.i32 %k, %k
  %a = get.i32 v[0]
  %x = iadd.i32 %a, %l
  %y = imul.i32 %x, %k
  %e = get.i1 exec
  set.i32 v[1], %y, %e
  jump 0x100
`

func Example_dump() {
	view(summed, func(b *lower.Block) {
		_, code, _ := strings.Cut(Dump(targetOf(cpu.Level2), b), "block\n")
		code, _, _ = strings.Cut(code, "terminator\n")
		fmt.Print(code)
	})
	// Output:
	// segment
	// 	mov rbx, qword ptr [rdi+24]
	// 	mov r9, qword ptr [rdi+8]
	// 	mov r10, qword ptr [rdi+16]
	// step 0: w1 = get s[0]
	// 	mov ecx, dword ptr [r9]
	// 	mov qword ptr [rbx+8], rcx
	//     assign rcx: w1
	// step 1: w2 = imul.i32 w1, w1
	// 	mov eax, ecx
	// 	imul eax, ecx
	// 	mov qword ptr [rbx+16], rax
	// step 4: m3 = get exec
	// 	mov rax, qword ptr [rdi+64]
	// loop
	// 	mov rsi, qword ptr [rdi]
	// 	mov rdx, qword ptr [rdi+40]
	// 	mov r15, qword ptr [rdi+48]
	// 	mov r8, rbx
	// 	mov r11d, 8
	// 	nop
	// 	nop
	// step 2: r1 = iadd.i32 w2, v[0]
	//     assign ymm0: r1
	// 	vbroadcastss ymm8, dword ptr [rbx+16]
	// 	vpaddd ymm0, ymm8, ymmword ptr [rsi]
	// step 3: v[1] = imul.i32 w1, r1
	//     assign ymm1: v[1]
	// 	vbroadcastss ymm9, dword ptr [rbx+8]
	// 	vpmulld ymm1, ymm0, ymm9
	// end of the loop
	// 	vmovups ymmword ptr [rsi+256], ymm1
	// 	add rsi, 32
	// 	add rdx, 32
	// 	add r15, 64
	// 	add r8, 1
	// 	sub r11, 1
	// 	jne L-51
}
