package vectors

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/manual"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Options of a Maker.
type Options struct {
	Seed  uint64
	Count int // tests per row; 0: DefaultCount
}

// DefaultCount is the default number of tests per row.
const DefaultCount = 32

// A Maker makes the tests of a variant of an instruction set. It must be used by one goroutine at a time.
type Maker struct {
	*setting
	o        Options
	isa      string
	engine   exec.Engine
	settings map[int]*setting // by stage
	st       *exec.State
	before   *exec.State
	edges    edgeBook
}

// NewMaker returns the maker of a variant, in all its stages.
func NewMaker(t *isa.Target, o Options) (*Maker, error) {
	if o.Count == 0 {
		o.Count = DefaultCount
	}
	s, err := newSetting(t)
	if err != nil {
		return nil, err
	}
	m := &Maker{setting: s, o: o, isa: t.FullName(), engine: ref.New(), edges: edgeBook{}, settings: map[int]*setting{t.Stage: s}}
	if m.st, err = exec.NewState(s.machine, 0); err != nil {
		return nil, err
	}
	m.before, err = exec.NewState(s.machine, 0)
	return m, err
}

// Mnemonics returns the mnemonics of the variant, sorted, without the suffixes of their forms.
func Mnemonics(t *isa.Target) (names []string) {
	seen := map[string]bool{}
	for i := range t.Defs {
		d := &t.Defs[i]
		if plain := manual.PlainName(d); d.InVariant(t.Variant) && !d.Alias && !seen[plain] {
			seen[plain] = true
			names = append(names, plain)
		}
	}
	slices.Sort(names)
	return names
}

// Forms returns the mnemonics with the suffixes of their forms, if there are any.
func Forms(t *isa.Target) (names []string) {
	for i := range t.Defs {
		if d := &t.Defs[i]; d.InVariant(t.Variant) && !d.Alias && !slices.Contains(names, d.Name) {
			names = append(names, d.Name)
		}
	}
	return names
}

// A Row is the outcome for a row of the table.
type Row struct {
	Mnemonic string         `json:"mnemonic"`
	Encoding string         `json:"encoding"`
	Stage    string         `json:"stage,omitempty"`
	Tests    int            `json:"tests"`
	Fidelity string         `json:"fidelity,omitempty"` // the worst of its tests
	ULP      int            `json:"ulp,omitempty"`      // bound of the approximate tests, if one is published
	Why      []string       `json:"why,omitempty"`      // reasons why it is not exact
	Options  []string       `json:"options,omitempty"`  // that selected modelled semantics
	Lacks    map[string]int `json:"lacks,omitempty"`    // missing tests, by reason
	Missing  string         `json:"missing,omitempty"`  // why there are none
}

// Tests returns the tests of a mnemonic, or of one with the suffix of a form, row by row, and the outcome for the rows.
func (m *Maker) Tests(ctx context.Context, mnemonic string) (tests []*Test, rows []Row, err error) {
	for i := range m.Defs {
		d := &m.Defs[i]
		if d.Name != mnemonic && manual.PlainName(d) != mnemonic || !d.InVariant(m.Variant) || d.Alias {
			continue
		}
		list, row, err := m.row(ctx, d)
		if err != nil {
			return nil, nil, err
		}
		for _, t := range list {
			t.Index = len(tests)
			tests = append(tests, t)
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil, nil, fmt.Errorf("%s has no instruction %q", m.isa, mnemonic)
	}
	return tests, rows, nil
}

// encoding identifies a row within its mnemonic.
func encoding(d *isa.Def) string {
	name := d.Enc.Name
	if d.Enc.Opcode != nil {
		name += " " + hex(d.Op)
	}
	return name
}

// A rowRun is a row whose tests are being made.
type rowRun struct {
	*Maker
	*setting // for its stage
	d        *isa.Def
	words    *rowMaker
	row      Row
}

// row makes the tests of a row, in the first stage in which it has some.
func (m *Maker) row(ctx context.Context, d *isa.Def) (tests []*Test, row Row, err error) {
	found := false
	for stage := range max(1, len(m.Stages)) {
		if !d.InStage(stage) {
			continue
		}
		list, r, err := m.staged(ctx, d, stage)
		if err != nil || len(list) > 0 {
			return list, r, err
		}
		if !found {
			row, found = r, true
		}
	}
	return nil, row, nil
}

// staged makes the tests of a row in a stage.
func (m *Maker) staged(ctx context.Context, d *isa.Def, stage int) (tests []*Test, row Row, err error) {
	s := m.settings[stage]
	if s == nil {
		if s, err = newSetting(m.Move(m.Variant, stage)); err != nil {
			return nil, row, err
		}
		m.settings[stage] = s
	}
	row = Row{Mnemonic: d.Name, Encoding: encoding(d), Lacks: map[string]int{}}
	if len(s.Stages) > 0 {
		row.Stage = s.Stages[stage]
	}
	if d.Meaning == nil {
		row.Missing, row.Lacks = "unsupported: "+d.Lack.String(), nil
		return nil, row, nil
	}
	r := &rowRun{Maker: m, setting: s, d: d, words: newRowMaker(s.Target, d, m.edges), row: row}
	for i := range m.o.Count {
		if err := ctx.Err(); err != nil {
			return nil, r.row, err
		}
		t, err := r.test(i)
		var f *exec.Fault
		var no refusal
		switch {
		case err == nil:
			tests = append(tests, t)
		case errors.As(err, &no), errors.As(err, &f):
			r.row.Lacks[reason(err)]++
		default:
			return nil, r.row, fmt.Errorf("%s %s: %w", d.Name, r.row.Encoding, err)
		}
		if i == hopeless && len(tests) == 0 {
			break
		}
	}
	r.end(tests)
	return tests, r.row, nil
}

// hopeless is the number of tests of a row that may fail, each after all its attempts, before the rest is skipped.
const hopeless = 5

// end fills in the outcome of the row.
func (r *rowRun) end(tests []*Test) {
	r.row.Tests = len(tests)
	if len(tests) > 0 {
		if len(r.row.Lacks) == 0 {
			r.row.Lacks = nil
		}
		return
	}
	most := ""
	for why, n := range r.row.Lacks {
		if k := r.row.Lacks[most]; most == "" || n > k || n == k && why < most {
			most = why
		}
	}
	r.row.Missing, r.row.Lacks = most, nil
}

// reason returns an error as the reason of a missing test: for a fault without the address, which differs between
// tests.
func reason(err error) string {
	var f *exec.Fault
	if !errors.As(err, &f) {
		return err.Error()
	}
	switch f.Kind {
	case exec.FaultTrap:
		return f.Reason()
	case exec.FaultMemory:
		return "memory refuses the access: " + f.Mem.Kind.String()
	case exec.FaultHandle:
		return "resource: " + f.Err.Error()
	}
	return f.Reason()
}

// maxAttempts limits the search for a valid test, whose word is legal and which does not fault.
const maxAttempts = 64

// test makes test i of the row.
func (r *rowRun) test(i int) (*Test, error) {
	var first error
	for attempt := range maxAttempts {
		src := newSource(r.o.Seed, r.isa, r.row.Stage, r.d.Name, r.row.Encoding, decimal(i), decimal(attempt))
		t, err := r.attempt(src, i, attempt)
		if err == nil {
			return t, nil
		}
		var f *exec.Fault
		var no refusal
		var bad *isa.Error
		switch {
		case errors.As(err, &bad): // the word is no instruction
			err = refusal("illegal: " + bad.Msg)
		case !errors.As(err, &no) && !errors.As(err, &f):
			return nil, err
		}
		if first == nil || weight(err) > weight(first) {
			first = err
		}
	}
	return nil, first
}

// weight orders reasons: one from a run is more informative than one about a word.
func weight(err error) int {
	var f *exec.Fault
	if errors.As(err, &f) {
		return 1
	}
	return 0
}

// attempt makes one test from a word and a state, or returns why it is not valid.
func (r *rowRun) attempt(src *source, i, attempt int) (*Test, error) {
	b, err := r.words.bundle(r.words.word(src, i, r.o.Count, attempt))
	if err != nil {
		return nil, err
	}
	code, err := encode(r.setting.Target, b)
	if err != nil {
		return nil, err
	}
	mode := r.mode(src, i)
	blk := r.setting.LiftOne(b, mode&r.machine().ModeMask)
	if why, text := trapped(blk); why != 0 && why != ir.TrapGuest {
		return nil, refusal(why.String() + ": " + text)
	}
	p := newPlan(r.setting.Target, blk)
	single := newSingle(r.setting.Target, b)
	single.lifted = blk
	run := &testRun{rowRun: r, plan: p, src: src, bundle: b, index: i, attempt: attempt, mode: mode}
	return run.make(single, code)
}

func (r *rowRun) machine() *ir.Machine { return r.setting.machine }

// mode returns the mode register of test i: the default of programs in every other test, else random.
func (r *rowRun) mode(src *source, i int) uint32 {
	m := r.machine()
	if m.ModeMask == 0 {
		return 0
	}
	r.setting.begin(r.st, codeBase, 1)
	mode := r.st.Get(m.Mode, 0)
	if i%2 == 0 {
		return mode
	}
	for k := range r.setting.Modes {
		if others := r.setting.Modes[k].Others(mode); src.one(2) {
			mode = pick(src, others)
		}
	}
	return mode
}
