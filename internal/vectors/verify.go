package vectors

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// A Verifier runs tests on an engine and compares the results. It is safe for concurrent use.
type Verifier struct {
	// Ran, if set, is called with each instruction that has run to its end. Several goroutines call it.
	Ran func(t *isa.Target, b *isa.Bundle)

	engine exec.Engine

	mu       sync.Mutex
	settings map[[2]string]*setting // by set and stage
}

// NewVerifier returns a verifier for an engine.
func NewVerifier(e exec.Engine) *Verifier {
	return &Verifier{engine: e, settings: map[[2]string]*setting{}}
}

// maxDiffers limits the differences reported for a test.
const maxDiffers = 3

// Verify runs a test. differs describes how the result differs from the final state; the error is why the test cannot
// be run: a *exec.Fault if it faults.
func (v *Verifier) Verify(t *Test) (differs string, err error) {
	s, err := v.setting(t.ISA, t.Stage)
	if err != nil {
		return "", err
	}
	b, err := t.bundle(s.Target)
	if err != nil {
		return "", err
	}
	w, err := s.ready(t)
	if err != nil {
		return "", err
	}
	before := w.st.Snapshot()
	prog := exec.NewProgram(newSingle(s.Target, b))
	if err := step(v.engine.NewRunner(prog), prog, w.st, w.env); err != nil {
		return "", err
	}
	if v.Ran != nil {
		v.Ran(s.Target, b)
	}
	list := w.compare(t, before)
	if n := len(list); n > maxDiffers {
		list = append(list[:maxDiffers:maxDiffers], fmt.Sprintf("and %d more", n-maxDiffers))
	}
	return strings.Join(list, "; "), nil
}

// setting returns the setting of a set and stage, from a cache.
func (v *Verifier) setting(name, stage string) (*setting, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	key := [2]string{name, stage}
	if s := v.settings[key]; s != nil {
		return s, nil
	}
	t, err := sets.Lookup(name)
	if err != nil {
		return nil, err
	}
	if len(t.Stages) > 0 {
		n, ok := t.Arch.Stage(stage)
		if !ok {
			return nil, fmt.Errorf("%s has no stage %q, only %s", name, stage, strings.Join(t.Stages, ", "))
		}
		t = t.Move(t.Variant, n)
	}
	s, err := newSetting(t)
	if err == nil {
		v.settings[key] = s
	}
	return s, err
}

// bundle returns the instruction of a test: from its bytes, or from its text if it has none.
func (t *Test) bundle(target *isa.Target) (*isa.Bundle, error) {
	b, at := &isa.Bundle{}, t.Initial.PC[0]
	if t.Bytes == nil {
		return b, target.Parse(t.Name, at, b)
	}
	if err := target.DecodeBundle(t.Bytes, at, b); err != nil {
		return nil, err
	}
	if n := b.Size(); n != len(t.Bytes) {
		return nil, fmt.Errorf("bytes has %d, the instruction %d", len(t.Bytes), n)
	}
	return b, nil
}

// A readyWave is a wave before the instruction of a test.
type readyWave struct {
	*setting
	st    *exec.State
	env   *exec.Env
	io    *ports
	lanes int
}

// ready makes the initial state of a test.
func (s *setting) ready(t *Test) (*readyWave, error) {
	if t.Lanes > s.machine.Widths[0] {
		return nil, fmt.Errorf("%d lanes; a wave has %d", t.Lanes, s.machine.Widths[0])
	}
	st, err := exec.NewState(s.machine, 0)
	if err != nil {
		return nil, err
	}
	w := &readyWave{setting: s, st: st, lanes: t.Lanes}
	pc := t.Initial.PC[0]
	s.begin(st, pc, ones(t.Lanes))
	running := st.Exec
	for i := range t.Initial.Regs {
		mask, exec, err := w.set(&t.Initial.Regs[i], st.Exec)
		if err != nil {
			return nil, err
		}
		if exec {
			running, st.Exec = mask, mask
		}
	}
	if s.machine.Control == ir.MaskData {
		st.Exec = running
		st.Goto(pc)
	} else {
		st.Start(pc, running)
	}
	if err := s.checkStack(t, running); err != nil {
		return nil, err
	}
	w.begin(t)
	w.io = &ports{lanes: t.Lanes, in: slices.Clone(t.Initial.In)}
	w.env, err = s.env(t.Initial.RAM, w.io, st.Lanes)
	return w, err
}

// begin sets the control stack of the test on machines that have one: lanes waiting in it exist.
func (w *readyWave) begin(t *Test) {
	if w.machine.Control != ir.MaskStack {
		return
	}
	w.st.Stack = append(w.st.Stack[:0], t.Initial.Stack...)
	for _, k := range t.Initial.Stack {
		w.st.Live |= k.Parked
	}
}

// checkStack rejects control stacks that the set's machine cannot have.
func (s *setting) checkStack(t *Test, running uint64) error {
	if len(t.Initial.Stack) > 0 && s.machine.Control != ir.MaskStack {
		return fmt.Errorf("a stack, which %s has not", t.ISA)
	}
	if n := len(t.Initial.Stack); n > s.machine.StackDepth {
		return fmt.Errorf("a stack of %d tokens, and the machine holds %d", n, s.machine.StackDepth)
	}
	for _, k := range t.Initial.Stack {
		if k.Parked&running != 0 {
			return fmt.Errorf("lanes %#x run, and wait in the stack", k.Parked&running)
		}
		running |= k.Parked
	}
	return nil
}

// set sets a register. For the execution mask it returns the updated mask.
func (w *readyWave) set(r *Reg, mask uint64) (now uint64, exec bool, err error) {
	reg, err := w.names.find(r.Name)
	if err != nil {
		return 0, false, err
	}
	part := w.isPart(r)
	lanes := reg.Lanes || part
	switch {
	case r.Lanes && !lanes:
		return 0, false, fmt.Errorf("%s has a list, and holds one value", r.Name)
	case !r.Lanes && lanes:
		return 0, false, fmt.Errorf("%s has one value, want a list of one per lane", r.Name)
	}
	for _, v := range r.Values {
		if n := reg.Bits; v&^ones(n) != 0 || part && v > 1 {
			return 0, false, fmt.Errorf("%s: %d does not fit", r.Name, v)
		}
	}
	if part {
		return gather(r.Values), true, nil
	}
	for lane, v := range r.Values {
		reg.Set(w.st, lane, v)
	}
	return w.st.Exec, len(reg.Cells) == 0, nil
}

// isPart reports whether a register is the execution mask, as one bit per lane.
func (w *readyWave) isPart(r *Reg) bool {
	names := w.names.execNames()
	return len(names) == 1 && r.Name == names[0]
}

// compare lists the differences from the final state.
func (w *readyWave) compare(t *Test, before *exec.State) (list []string) {
	var got State
	w.place(w.st, w.lanes, &got)
	want := &t.Final
	if !samePC(&got, want) {
		list = append(list, fmt.Sprintf("pc is %s, want %s", got.appendPC(nil), want.appendPC(nil)))
	}
	if got.Ended != want.Ended {
		// Lanes that did not exist before the test have not ended in it.
		if existed := before.Live; got.Ended&existed != want.Ended&existed {
			list = append(list, fmt.Sprintf("lanes %#x have ended, want %#x", got.Ended&existed, want.Ended&existed))
		}
	}
	if !slices.Equal(got.Stack, want.Stack) {
		list = append(list, fmt.Sprintf("the control stack is %v, want %v", got.Stack, want.Stack))
	}
	listed := map[ir.Cell]bool{}
	mask := false
	for i := range want.Regs {
		what, err := w.differs(&want.Regs[i], t.ULP, listed, &mask)
		if err != nil {
			what = err.Error()
		}
		if what != "" {
			list = append(list, what)
		}
	}
	if !mask && w.st.Exec != before.Exec && !w.st.Ended() {
		list = append(list, fmt.Sprintf("the execution mask is %#x, and was %#x; final does not list it", w.st.Exec, before.Exec))
	}
	list = append(list, w.unlisted(before, listed)...)
	if what := samePassed(w.io.out, want.Out); what != "" {
		list = append(list, what)
	}
	return append(list, w.memory(want.RAM)...)
}

func samePC(a, b *State) bool {
	return a.Wait == b.Wait && slices.Equal(a.PC, b.PC)
}

// differs describes how a register differs from the expected one, if it does.
func (w *readyWave) differs(r *Reg, ulp int, listed map[ir.Cell]bool, mask *bool) (string, error) {
	reg, err := w.names.find(r.Name)
	if err != nil {
		return "", err
	}
	if len(reg.Cells) == 0 {
		*mask = true
		if r.Lanes != w.isPart(r) {
			return "", fmt.Errorf("%s: a list where there is one value, or the other way round", r.Name)
		}
		got := []uint64{reg.Get(w.st, 0)}
		if w.isPart(r) {
			got = spread(w.st.Exec, w.lanes)
		}
		return differing(r, got, 0), nil
	}
	listed[reg.Cells[0]] = true
	if r.Lanes != reg.Lanes {
		return "", fmt.Errorf("%s: a list where there is one value, or the other way round", r.Name)
	}
	n := 1
	if reg.Lanes {
		n = w.lanes
	}
	var got []uint64
	for lane := range n {
		got = append(got, reg.Get(w.st, lane))
	}
	if reg.Bits != 32 || !reg.Lanes {
		ulp = 0 // a flag has no near values
	}
	return differing(r, got, ulp), nil
}

// differing describes the first lane with different values.
func differing(r *Reg, got []uint64, ulp int) string {
	for i, want := range r.Values {
		if i < len(got) && (got[i] == want || ulp > 0 && near(got[i], want, ulp)) {
			continue
		}
		where := ""
		if r.Lanes {
			where = fmt.Sprintf(" lane %d", i)
		}
		return fmt.Sprintf("%s%s is %#x, want %#x", r.Name, where, got[i], want)
	}
	return ""
}

// near reports whether two f32 are numbers at most ulp ULPs apart.
func near(a, b uint64, ulp int) bool {
	step := func(v uint64) int64 {
		if v&0x80000000 != 0 {
			return -int64(v & 0x7fffffff)
		}
		return int64(v)
	}
	const inf = 0x7f800000
	if a&0x7fffffff >= inf || b&0x7fffffff >= inf {
		return false
	}
	d := step(a) - step(b)
	return max(d, -d) <= int64(ulp)
}

// unlisted returns registers that have changed although final does not list them.
func (w *readyWave) unlisted(before *exec.State, listed map[ir.Cell]bool) (list []string) {
	for f := range w.machine.Files {
		for i := range w.machine.Files[f].Count {
			c := ir.Cell{File: uint8(f), Index: uint16(i)}
			if w.machine.Kind(c) == ir.ExecMask || listed[c] || before.Same(w.st, c) {
				continue
			}
			list = append(list, w.names.of(c)+" has changed; final does not list it")
		}
	}
	return list
}

// memory lists the bytes that differ, one entry per run.
func (w *readyWave) memory(want memory) (list []string) {
	left, err := want.after(w.env)
	if err != nil {
		return []string{"final lists memory that initial does not: " + err.Error()}
	}
	for i, r := range want {
		for k := range r.data {
			if g := left[i].data[k]; g != r.data[k] {
				list = append(list, fmt.Sprintf("%s memory at %#x is %#02x, want %#02x", bankName(w.platform, r.place), r.addr+uint64(k), g, r.data[k]))
				break
			}
		}
	}
	return list
}
