package gen

import (
	"fmt"
	"slices"
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

// A recorder is a backend that compiles nothing and keeps a copy of the last block.
type recorder struct {
	portable.Backend
	block *lower.Block
}

func (r *recorder) Compile(b *lower.Block) (portable.Code, []portable.Segment) {
	c := *b
	c.Steps = slices.Clone(b.Steps)
	r.block = &c
	return nil, nil
}

// lowered returns the first block of the text as backends see it, for waves of 64 lanes.
func lowered(text string) (*lower.Block, error) {
	m := exectest.Machine(ir.MaskData)
	r := &recorder{Backend: newNative(0, nil)}
	st, err := exec.NewState(m, 64)
	if err != nil {
		return nil, err
	}
	st.Start(0x100, st.Full)
	exec.Eager(portable.With(r)).NewRunner(exectest.Parse(m, text)).Run(st, &exec.Env{}, exec.Budget{Steps: 1})
	return r.block, nil
}

// placeText is the text of a place.
func placeText(p lower.Place) string {
	switch {
	case p.Kind == lower.InRow && p.At < 0:
		return fmt.Sprint("row", ^p.At)
	case p.Kind == 0:
		return "-"
	}
	return fmt.Sprint(map[lower.Kind]string{lower.InWord: "word", lower.InMask: "mask", lower.InRow: "cell", lower.InVec: "vec"}[p.Kind], p.At)
}

func placesText(ps []lower.Place) string {
	var list []string
	for _, p := range ps {
		list = append(list, placeText(p))
	}
	return strings.Join(list, ", ")
}

// stepText is the text of a step: results, op, operands, mask.
func stepText(s *lower.Step) string {
	var b strings.Builder
	if len(s.Res) > 0 {
		b.WriteString(placesText(s.Res) + " = ")
	}
	switch s.Kind {
	case lower.Compute, lower.Fallback, lower.MemoryAccess:
		fmt.Fprintf(&b, "%v.%v ", s.Op, s.Type)
	case lower.GetWord, lower.GetMask:
		fmt.Fprintf(&b, "register %d", s.Cell)
	case lower.SetWord, lower.SetMask:
		fmt.Fprintf(&b, "register %d = ", s.Cell)
	}
	b.WriteString(placesText(s.Args))
	if s.Mask.Kind != 0 {
		b.WriteString(" under " + placeText(s.Mask))
	}
	return strings.TrimSpace(b.String())
}

var phaseTexts = [...]string{beforeLoop: "before", inLoop: "loop", afterLoop: "after", noPhase: ""}

// text returns the plan, one line per step.
func (p *plan) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "plan for %d lanes, vectors of %d bits, whole %v\n", p.b.Lanes, p.bits, p.whole)
	segments := p.segments
	for i := range p.choices {
		if len(segments) > 0 && segments[0].from == i {
			g := &segments[0]
			segments = segments[1:]
			fmt.Fprintf(&b, "segment %d to %d", g.from, g.to-1)
			if g.skip.Kind != 0 {
				b.WriteString(", skips iterations without " + placeText(g.skip))
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
		line := fmt.Sprintf("%4d %-7s%-10s%-38s %s", i, phaseTexts[c.phase], form, stepText(&p.b.Steps[i]), strings.Join(p.notes(i), ", "))
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// notes returns what else the plan says of a step.
func (p *plan) notes(i int) (list []string) {
	note := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	c := &p.choices[i]
	switch {
	case c.into != 0:
		note("done by %d", c.into-1)
		return list
	case c.form == formTernary:
		note("table %#02x of %s", c.tree.table, placesText(c.tree.leaves))
	case c.joint > 0:
		note("%d joint loads", c.joint)
	}
	if x := p.splitOf(i); x != nil {
		note("addresses %s:%s", placeText(x.high), placeText(x.low))
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
  seldom %m
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
	b, err := lowered(shown)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(newPlan(targetOf(cpu.Level512), b, new(tables)).text())
	// Output:
	// plan for 64 lanes, vectors of 512 bits, whole true
	// segment 0 to 4
	//    0 loop   -         vec0 = pack.i64 cell0, cell1           done by 6
	//    1 before get exec  mask1 =
	//    2 before get word  word2 = register 0
	//    3 loop   -         mask3 = eq.i32 cell1, word2            done by 6
	//    4 loop   -         mask4 = and.i1 mask1, mask3            done by 6
	//    5        -         under mask4                            done by 6
	//    6        vectors   row1 = load.i32 vec0 under mask1       addresses cell1:cell0, implies guard 5
	// segment 7 to 18, speculates on NaNs
	//    7 loop   -         row2 = and.i32 cell0, row1             done by 8
	//    8 loop   ternary   row3 = xor.i32 cell1, row2             table 0x78 of cell1, cell0, row1, last read by 11
	//    9 loop   vector    row4 = fmul.f32 row3, cell0            last read by 10
	//   10 loop   vector    row5 = fadd.f32 row4, cell0            last read by 11
	//   11 loop   vector    cell2 = fadd.f32 row5, row3
	//   12 before -         word26 = register 2                    done by 14
	//   13 before -         word27 = register 3                    done by 14
	//   14 before get pair  word28 = register 2                    kept to 15
	//   15 before uniform   word30 = iadd.i64 word28, word29       kept to 18
	//   16 before -         word31, word32 = unpack.i32 word30     done by 18
	//   17 before -         register 2 = word31                    done by 18
	//   18 before set pair  register 2 = word30
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
			fmt.Fprintf(&out, "step %d: %s\n", l.step, stepText(&b.Steps[l.step]))
		case l.reg != "":
			fmt.Fprintf(&out, "    %s %s: %s\n", l.what, l.reg, placeText(l.value.loc))
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
	b, err := lowered(summed)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, code, _ := strings.Cut(Dump(targetOf(cpu.Level2), b), "block\n")
	code, _, _ = strings.Cut(code, "terminator\n")
	fmt.Print(code)
	// Output:
	// segment
	// 	mov rbx, qword ptr [rdi+24]
	// 	mov r9, qword ptr [rdi+8]
	// 	mov r10, qword ptr [rdi+16]
	// step 0: word1 = register 0
	// 	mov ecx, dword ptr [r9]
	// 	mov qword ptr [rbx+8], rcx
	//     assign rcx: word1
	// step 1: word2 = imul.i32 word1, word1
	// 	mov eax, ecx
	// 	imul eax, ecx
	// 	mov qword ptr [rbx+16], rax
	// step 4: mask3 =
	// 	mov rax, qword ptr [rdi+64]
	// loop
	// 	mov rsi, qword ptr [rdi]
	// 	mov rdx, qword ptr [rdi+40]
	// 	mov r15, qword ptr [rdi+48]
	// 	mov r8, rbx
	// 	mov r11d, 8
	// 	nop
	// 	nop
	// step 2: row1 = iadd.i32 word2, cell0
	//     assign ymm0: row1
	// 	vbroadcastss ymm8, dword ptr [rbx+16]
	// 	vpaddd ymm0, ymm8, ymmword ptr [rsi]
	// step 3: cell1 = imul.i32 word1, row1
	//     assign ymm1: cell1
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
