package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/platforms"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/sanitize"
)

// statesTask is the number of state cases per task.
const statesTask = 16

// statesFile makes the tasks of a file of state cases.
func (c *checker) statesFile(ctx context.Context, path string, emit func(task) bool) error {
	file, err := c.open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	f := caseFile{path: path, kind: casefile.StatesFile}
	b := batch{emit: emit}
	for s, err := range casefile.States(file, path) {
		switch {
		case err != nil:
			b.list = append(b.list, func() Result { return broken(f, err) })
		case c.named(s.Name):
			for _, s := range caseVariants(s) {
				if c.wants(s.ISA, s.Variant) {
					alone := c.alone(s.Name + " " + s.Variant)
					b.list = append(b.list, func() Result { return c.state(ctx, f, s, alone) })
				}
			}
		}
		if len(b.list) >= statesTask && !b.flush() {
			return ctx.Err()
		}
	}
	if !b.flush() {
		return ctx.Err()
	}
	return nil
}

// caseVariants returns the cases that one case stands for.
func caseVariants(s *casefile.StateCase) []*casefile.StateCase {
	s = s.Exact()
	if f := platforms.Lookup(s.ISA); f != nil && f.Cases.Expand != nil {
		return f.Cases.Expand(s)
	}
	return []*casefile.StateCase{s}
}

// state checks one state case.
func (c *checker) state(ctx context.Context, f caseFile, s *casefile.StateCase, alone string) Result {
	r := Result{Kind: f.kind, File: f.path, Line: s.Line, Set: f.set(), ISA: full(s.ISA, s.Variant), Name: s.Name, Case: alone, Code: f.path}
	t, err := lookup(s.ISA, s.Variant)
	if err != nil {
		r.unknown(err)
		return r
	}
	t, s, err = inStage(t, s)
	platform := platforms.Lookup(s.ISA)
	switch {
	case err != nil:
		r.fail(err.Error())
	case s.Final == nil:
		r.fail(guarded(func() string { return listing(t, s) }))
	case platform == nil || !slices.Contains(platform.Cases.Stages, s.Stage):
		r.skip(fmt.Sprintf("%s: state cases of stage %q cannot be run yet", s.ISA, s.Stage))
	case s.Compare.Type == "none" && c.Sanitize&^sanitize.CheckInit == 0:
		r.skip("compare type none: the case expects nothing")
	default:
		r.fail(guarded(func() string { return c.run(ctx, platform, t, s, &r) }))
	}
	return r
}

// inStage returns the target in the stage of a case, if decoding depends on the stage, and the case with the full name
// of the stage: cp and compute are the same.
func inStage(t *isa.Target, s *casefile.StateCase) (*isa.Target, *casefile.StateCase, error) {
	if len(t.Arch.Stages) == 0 {
		return t, s, nil
	}
	stage, ok := t.Arch.Stage(s.Stage)
	if !ok {
		return t, s, fmt.Errorf("%s has no stage %q; there are %s", t.Name, s.Stage, strings.Join(t.Arch.Stages, ", "))
	}
	if stage < len(t.Arch.StageNames) {
		named := *s
		named.Stage = t.Arch.StageNames[stage]
		s = &named
	}
	return t.Move(t.Variant, stage), s, nil
}

// run runs a case and compares the result.
func (c *checker) run(ctx context.Context, platform *launch.Platform, t *isa.Target, s *casefile.StateCase, r *Result) string {
	p, err := program(platform, t, s)
	if err != nil {
		return err.Error()
	}
	k, err := platform.Case(p, t.Variant, s)
	if err != nil {
		return err.Error()
	}
	start := time.Now()
	if c.Sanitize&sanitize.CheckInit != 0 {
		r.Note = "init was not looked for: what a case does not list is 0"
	}
	w := Watch(c.Sanitize&^sanitize.CheckInit, nil)
	if w != nil {
		k.Watcher, w.Case = w, r.Case
	}
	if counts := c.counting(r); counts != nil {
		k.Watcher = counts
		defer counts.add()
	}
	err = k.Run(ctx, c.Engine, c.Limits)
	r.Time = time.Since(start)
	for i := range k.Waves {
		r.Instructions += k.Waves[i].Env.Count.Instructions
	}
	c.look(r, w, err)
	if err != nil {
		return c.fault(err, r)
	}
	if what := r.Found.told(c.Options); what != "" {
		return what
	}
	if s.Compare.Type == "none" {
		r.Note = "nothing was found; the case expects nothing"
		return ""
	}
	if what := compareRegs(k, s); what != "" {
		return what
	}
	if what := compareMemory(k, s.Final.Memory, stateRule(&s.Compare)); what != "" || platform.Cases.Check == nil {
		return what
	}
	return platform.Cases.Check(k, s)
}

// program returns the case's code, with the options under which the case runs. A case without code is a program of
// text; a wave that reaches its end terminates.
func program(platform *launch.Platform, t *isa.Target, s *casefile.StateCase) (ir.Code, error) {
	options := map[string]string{}
	if platform.Cases.Options != nil {
		maps.Copy(options, platform.Cases.Options(s))
	}
	maps.Copy(options, s.Options)
	t, err := t.With(t.Dialect, options)
	if err != nil {
		return nil, err
	}
	if s.Code == nil {
		return textProgram(t, s)
	}
	return &isa.Program{Target: t, Code: s.Code}, nil
}

// textProgram reads the text of a case in its syntax.
func textProgram(t *isa.Target, s *casefile.StateCase) (ir.Code, error) {
	t, err := inSyntax(t, s)
	if err != nil {
		return nil, fmt.Errorf("the case has no code, and %w", err)
	}
	r, errs := asm.Assemble(t, []byte(strings.Join(s.Asm, "\n")), asm.Options{File: s.Name, TextOnly: true, NoLines: true})
	if len(errs) > 0 {
		return nil, fmt.Errorf("the case has no code, and its text: %w", errs[0])
	}
	l, err := isa.NewListing(t, r.Bundles)
	if err != nil {
		return nil, err
	}
	l.Ends = true
	return l, nil
}

// inSyntax returns the target that reads and prints the text of a case.
func inSyntax(t *isa.Target, s *casefile.StateCase) (*isa.Target, error) {
	if s.Syntax == "" {
		return t, nil
	}
	dialect, ok := t.Arch.Dialect(s.Syntax)
	if !ok {
		return nil, fmt.Errorf("text of a syntax that is not known: %s", s.Syntax)
	}
	return t.With(dialect, nil)
}

// fault describes why a run ended, and marks the result if an instruction lacks semantics.
func (c *checker) fault(err error, r *Result) string {
	var f *exec.Fault
	if !errors.As(err, &f) || f.Kind != exec.FaultTrap || f.Trap != ir.TrapUnimplemented && f.Trap != ir.TrapUndefined {
		return err.Error()
	}
	r.Lacking = true
	if !c.SkipLacking {
		return err.Error()
	}
	r.skip("no meaning: " + f.Text)
	return ""
}

// listing checks a case that is only code and text, one instruction per entry.
func listing(t *isa.Target, s *casefile.StateCase) string {
	t, err := inSyntax(t, s)
	if err != nil {
		return "the case has " + err.Error()
	}
	var b isa.Bundle
	at := 0
	for i, want := range s.Asm {
		if at >= len(s.Code) {
			return fmt.Sprintf("the code ends before entry %d of asm", i)
		}
		err := t.DecodeBundle(s.Code[at:], uint64(at), &b)
		if strings.HasPrefix(want, unreadable) {
			n := sizeElsewhere(t, s.Code[at:], uint64(at))
			if err == nil || n == 0 {
				return fmt.Sprintf("code+%#x decodes, or no variant knows it, where the reference has %q", at, want)
			}
			at += n
			continue
		}
		if err != nil {
			return err.Error()
		}
		if got := string(t.Print(nil, &b)); got != want {
			return fmt.Sprintf("code+%#x decodes to %q, want %q", at, got, want)
		}
		at += b.Size()
	}
	if at != len(s.Code) {
		return fmt.Sprintf("%d bytes of code after the last entry of asm", len(s.Code)-at)
	}
	return ""
}

// unreadable is the prefix that a reference tool prints for words that its variant lacks.
const unreadable = "???"

// sizeElsewhere returns the size of the instruction in a variant that has it; 0: no variant has it.
func sizeElsewhere(t *isa.Target, code []byte, at uint64) int {
	var b isa.Bundle
	for v := range t.Variants {
		if t.Move(v, t.Stage).DecodeBundle(code, at, &b) == nil {
			return b.Size()
		}
	}
	return 0
}

// compareRegs reports the first register, or output, and lane that differs from Final.
func compareRegs(k *launch.Case, s *casefile.StateCase) string {
	regs := maps.Clone(s.Final.Outputs)
	if regs == nil {
		regs = map[string]casefile.Words{}
	}
	maps.Copy(regs, s.Final.Regs)
	names := slices.SortedFunc(maps.Keys(regs), compareNames)
	high := map[string]bool{} // high words of pairs that are already compared
	for _, name := range names {
		if high[name] {
			continue
		}
		v := value{name: name, rule: stateRule(&s.Compare), want: regs[name]}
		err := v.read(k)
		if mask, ok := s.FinalMask[name]; ok || !v.perLane { // words of bits, not numbers
			v.mask, v.typ = mask, "u32"
		}
		if v.typ == "f64" {
			other, isPair := next(name)
			if want, ok := regs[other]; ok && isPair {
				v.high, high[other] = &value{name: other, want: want}, true
				err = errors.Join(err, v.high.read(k))
			} else {
				v.typ = "u32"
			}
		}
		if err != nil {
			return err.Error()
		}
		for lane := range k.Lanes() {
			if len(s.Final.Discarded) > 0 && s.Final.Discarded[lane] {
				continue // the outputs of a discarded fragment are not compared
			}
			if what := v.differs(lane); what != "" {
				return what
			}
		}
	}
	return ""
}

// A value is a register, or a pair of them, with its rule.
type value struct {
	rule
	name    string
	want    casefile.Words
	mask    casefile.Words // empty: all bits
	high    *value         // high word of an f64
	get     func(lane int) uint64
	perLane bool
}

func (v *value) read(k *launch.Case) (err error) {
	v.get, v.perLane, err = k.Reg(v.name)
	return err
}

// differs describes how a lane differs from what is expected, if it does. f16 is two halves per word.
func (v *value) differs(lane int) string {
	want, got, bits, name := v.want.Lane(lane), v.get(lane), 32, v.name
	if v.high != nil {
		want, got, bits = want|v.high.want.Lane(lane)<<32, got|v.high.get(lane)<<32, 64
		name += " and " + v.high.name
	}
	if len(v.mask.V) > 0 {
		want, got = want&v.mask.Lane(lane), got&v.mask.Lane(lane)
	}
	same := v.same(want, got)
	if v.typ == "f16" {
		same = v.same(want&0xffff, got&0xffff) && v.same(want>>16, got>>16)
	}
	if same {
		return ""
	}
	return fmt.Sprintf("%s lane %d is %s, want %s", name, lane, show(v.typ, bits, got), show(v.typ, bits, want))
}

func stateRule(c *casefile.Compare) rule {
	return rule{typ: c.Type, ulp: uint64(c.ULP), abs: c.Abs, nanAny: c.NaNAny, zeroAny: c.ZeroAny}
}

// split divides a name before its last number: v10, i6.x, $r3.
func split(name string) (head string, n int, tail string, ok bool) {
	end := len(name)
	for end > 0 && (name[end-1] < '0' || name[end-1] > '9') {
		end--
	}
	start := end
	for start > 0 && name[start-1] >= '0' && name[start-1] <= '9' {
		start--
	}
	n, err := strconv.Atoi(name[start:end])
	return name[:start], n, name[end:], err == nil
}

// next returns the register after one: v11 for v10.
func next(name string) (string, bool) {
	head, n, tail, ok := split(name)
	return head + strconv.Itoa(n+1) + tail, ok
}

// compareNames orders names with their numbers as numbers: v9 before v10.
func compareNames(a, b string) int {
	ah, an, at, aok := split(a)
	bh, bn, bt, bok := split(b)
	if !aok || !bok || ah != bh {
		return strings.Compare(a, b)
	}
	return cmp.Or(cmp.Compare(an, bn), strings.Compare(at, bt))
}
