package portable

import (
	"fmt"
	"sync/atomic"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/internal/pass"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// Faster code takes longer to make. So a block begins in the lowest tier, and is promoted after a number of visits:
// most programs of tests run once, and most blocks of a program few times.

// A tier is a way to execute whole blocks.
type tier uint8

const (
	canonicalTier tier = iota // as lifted
	optimisedTier             // as rewritten, with forms of their own for waves with all lanes active on entry
	machineTier               // likewise, with machine code
	tiers
)

// due is after how many visits, by all runners of a program, a block is promoted to each tier.
var due = [tiers]uint32{optimisedTier: 16, machineTier: 50}

// A site is a block as all runners of an engine know it.
type site struct {
	*exec.Frame // of the canonical block
	visits      atomic.Uint32
	unlikely    atomic.Uint32 // how often a lane was active where that is unlikely
}

// maxUnlikely is after how many such lanes a block is no longer run in the form that does not expect them.
const maxUnlikely = 8

func (s *site) likely() int {
	if s.unlikely.Load() < maxUnlikely {
		return 1
	}
	return 0
}

// A codes is where an engine finds its codes of a program.
type codes struct {
	sites     *exec.Forms[*site]
	canonical *exec.Forms[*code]
	whole     [2]whole // for any wave, and for those without a lane where one is unlikely
}

// A whole is the codes of the tiers above the lowest, for waves with some lanes active on entry, and with all.
type whole [tiers][2]*exec.Forms[*code]

// These name the codes.
var (
	byUse   = [...]string{"", " likely"}
	byLanes = [...]string{" sparse", " dense"}
)

// codes returns those of the engine that every program needs.
func (e engine) codes(p *exec.Program) codes {
	return codes{
		sites:     exec.FormsOf(p, e.Name()+" sites", newSite),
		canonical: exec.FormsOf(p, "portable canonical", canonical),
	}
}

// wholeForms returns the codes of a block in its tier, for waves with all lanes active on entry if k is 1.
func (r *runner) wholeForms(nd *node, k int) *exec.Forms[*code] {
	u := nd.likely()
	at := &r.codes.whole[u][nd.tier][k]
	if *at == nil { // optimised: those of machine code are made when the runner is configured
		*at = exec.FormsOf(r.p, "portable"+byUse[u]+byLanes[k], func(p *exec.Program, at ir.Key) (*code, error) {
			return wholeCode(p, at, u == 1, k == 1)
		})
	}
	return *at
}

func newSite(p *exec.Program, at ir.Key) (*site, error) {
	b, err := p.Block(at)
	if err != nil {
		return nil, err
	}
	return &site{Frame: p.Frame(b, b)}, nil
}

// canonical returns the code of a block that can be entered and left at its marks.
func canonical(p *exec.Program, at ir.Key) (*code, error) {
	b, err := p.Block(at)
	if err != nil {
		return nil, err
	}
	seen, err := observedOf(p, at, b)
	if err != nil {
		return nil, err
	}
	return interpreted(p.Frame(b, b), p.Machine(), false, seen), nil
}

// wholeCode returns the code of a block that runs from beginning to end; likely is for waves without a lane where one
// is unlikely, dense for those with all lanes active on entry.
func wholeCode(p *exec.Program, at ir.Key, likely, dense bool) (*code, error) {
	f, err := optimised(p, likely, nil).Get(at)
	if err != nil {
		return nil, err
	}
	return interpreted(f.Frame, p.Machine(), dense, nil), nil
}

// interpreted returns code without machine code.
func interpreted(f *exec.Frame, m *ir.Machine, dense bool, seen *observed) *code {
	b := lower.Lower(f, m, lower.Options{Dense: dense})
	defer b.Release()
	return bind(b, seen)
}

// A rewritten is an optimised block.
type rewritten struct {
	*exec.Frame
	writeAll []int32 // register writes that may write lanes outside of their masks
}

// optimised returns the rewritten blocks; out, if not nil, is the registers that are live at the end of its waves.
func optimised(p *exec.Program, likely bool, out *exec.LiveOut) *exec.Forms[rewritten] {
	name := "portable optimised"
	if likely {
		name = "portable likely"
	}
	if out != nil {
		name += " " + out.String()
	}
	return exec.FormsOf(p, name, func(p *exec.Program, at ir.Key) (r rewritten, err error) {
		b, err := p.Block(at)
		if err != nil {
			return r, err
		}
		o := pass.Options{Likely: likely}
		if likely {
			seen, err := observedOf(p, at, b)
			if err != nil {
				return r, err
			}
			if seen != nil {
				o.Guess = seen.guess(b)
			}
		}
		if out != nil {
			if g, live, ok := out.Live(at); ok {
				n := g.At[at]
				o.Keep, o.Looks, o.WriteAll, o.Out, o.Apart = pass.KeepEnd, p.Operands(), &r.writeAll, &live.Out[n], live.Apart[n]
			}
		}
		r.Frame = p.Frame(b, pass.Optimise(p.Machine(), b, o))
		return r, nil
	})
}

// configure selects the machine code for waves of that many lanes. If accesses are recorded, code marks them; if inputs
// are constant, they are fetched early.
func (r *runner) configure(lanes int, recorded lower.Recording) {
	n := r.e.backend
	fetch, out := r.env.Steady && !r.noFetch, r.env.LiveOut
	if n == nil || r.lanesOfCode == lanes && r.recorded == recorded && r.fetches == fetch && r.liveOut == out {
		return
	}
	r.lanesOfCode, r.recorded, r.fetches, r.liveOut, r.early = lanes, recorded, fetch, out, nil
	r.dropBlocks()
	for u, use := range byUse {
		for k, kind := range byLanes {
			name := fmt.Sprint(r.e.Name(), " ", n.Target(), " ", lanes, " lanes", use, kind, recorded)
			if fetch {
				name += " early"
			}
			if out != nil {
				name += " " + out.String()
			}
			opt := lower.Options{Code: lanes, Likely: u == 1, Dense: k == 1, Recorded: recorded}
			r.codes.whole[u][machineTier][k] = exec.FormsOf(r.p, name, func(p *exec.Program, at ir.Key) (*code, error) {
				return machineCode(n, p, at, opt, fetch, out)
			})
		}
	}
}

// machineCode returns the code of a block with machine code, for waves of one width.
func machineCode(to Backend, p *exec.Program, at ir.Key, opt lower.Options, fetch bool, out *exec.LiveOut) (*code, error) {
	f, err := optimised(p, opt.Likely, out).Get(at)
	if err != nil {
		return nil, err
	}
	if opt.WriteAll = f.writeAll; fetch {
		if opt.Early, err = earlyInputs(p); err != nil {
			return nil, err
		}
	}
	b := lower.Lower(f.Frame, p.Machine(), opt)
	defer b.Release()
	c := bind(b, nil) // before compile, which changes the steps
	c.compile(to, b)
	return c, nil
}

// dropBlocks drops all blocks that the runner has visited.
func (r *runner) dropBlocks() {
	clear(r.nodes)
	r.links, r.cacheKey, r.entries = nil, cacheKey{}, [len(r.entries)]*node{}
	r.changes++
}

// formOf returns the form in which a block runs now.
func (r *runner) formOf(nd *node) (*form, error) {
	if !nd.highest {
		r.promote(nd)
	}
	k := 0
	if r.st.Exec == r.full {
		k = 1
	}
	if f := nd.forms[k]; f != nil {
		return f, nil
	}
	return r.newFormOf(nd, k)
}

// promote counts a visit, and promotes the block if that is due.
func (r *runner) promote(nd *node) {
	visits, top := nd.visits.Add(1), r.e.top()
	t := top
	for !r.e.eager && visits <= due[t] {
		t--
	}
	if t != nd.tier {
		nd.tier, nd.forms = t, [2]*form{}
	}
	nd.highest = t == top
}

// top is the highest tier of the engine.
func (e engine) top() tier {
	if e.backend == nil {
		return optimisedTier
	}
	return machineTier
}

// newFormOf finds the form of a block in its tier.
func (r *runner) newFormOf(nd *node, k int) (f *form, err error) {
	if nd.tier == canonicalTier {
		f, err = r.canonicalForm(nd)
	} else {
		f, err = r.newForm(r.wholeForms(nd, k), nd)
	}
	if err == nil && !r.fetchInputs(f.early) {
		r.stopFetching()
		f, err = r.newForm(r.wholeForms(nd, k), nd)
	}
	if err != nil {
		return nil, err
	}
	if nd.forms[k] = f; f.entry >= 0 && nd.tier == machineTier {
		f.lanes, f.barrier = k, barrierEndOf(f.code)
		f.link = r.worker.NewLink(f.unit, f.entry, f.words, len(r.links))
		r.links = append(r.links, f)
	}
	return f, nil
}

// canonicalForm returns the form of a block that can be entered and left at its marks.
func (r *runner) canonicalForm(nd *node) (f *form, err error) {
	if nd.inner == nil {
		nd.inner, err = r.newForm(r.codes.canonical, nd)
	}
	return nd.inner, err
}

// newForm makes a form of a block, and the room that it needs.
func (r *runner) newForm(forms *exec.Forms[*code], nd *node) (*form, error) {
	c, err := forms.Get(nd.key)
	if err != nil {
		return nil, err
	}
	if len(r.rows) < c.rows {
		spare := 0 // a program of one block needs no more
		if len(r.rows) > 0 || len(c.early) > 0 {
			spare = 16
		}
		rows := make([]row, c.rows+spare)
		copy(rows, r.rows) // early inputs stay
		copy(rows[lower.LaneRow][:], laneNumbers[:])
		r.rows = rows
	}
	if len(r.vecs) < c.vecs {
		r.vecs = make([]ir.Vec, c.vecs+8)
	}
	if len(r.lanes.Slots) < c.slots {
		r.lanes.Slots = make([]ir.Vec, c.slots+len(r.lanes.Slots)/2)
	}
	if c.asks && r.asking == nil {
		r.asking = new(asking)
	}
	return &form{code: c, node: nd, words: append([]uint64(nil), c.words...), cursors: make([]mem.Cursor, c.cursors)}, nil
}
