package profile

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/ir"
)

// A Code is what was counted of a program's code.
type Code struct {
	ir.Code
	Entry    uint64 // where the waves of its first launch began
	Launches []Launches
	Insts    []Inst // that ran, by address
}

// An Inst is what was counted of an instruction.
type Inst struct {
	PC    uint64
	Size  int    // bytes
	Waves uint64 // how often waves executed it
	Lanes uint64 // how often lanes that were active did
	// Branch is which way it went; nil: it is no branch that depends on something.
	Branch *Branch
	Memory []Use // what it did to memory, in the order of the parts of the instruction
	// Resources are what it asked of images and stages.
	Resources []Resource
}

// A Branch is which way waves went.
type Branch struct {
	Waves uint64 `json:"waves"`                 // that came to it, where it depends on something
	Taken uint64 `json:"taken"`                 // waves that took it, or of which a lane did
	Lanes uint64 `json:"lanes_taken,omitempty"` // lanes that took it, if each lane has a way of its own; else 0
	Both  uint64 `json:"diverged,omitempty"`    // waves that diverged: some lanes took it and others did not
}

// A Use is what an instruction did to a space of memory.
type Use struct {
	How   How
	Space ir.SpaceID
	Wave  bool // one access for the wave as a whole
	Bytes int  // of a lane
	Access
}

// Add adds what was counted of code of the same bytes whose addresses are shift less. A kernel that is named by its
// address, as in "compute shader at 0x4000", is that of c at the same place.
func (c *Code) Add(o *Code, shift uint64) {
	for _, l := range o.Launches {
		same := func(x Launches) bool { return x.Sizes == l.Sizes && moved(x.Kernel, 0) == moved(l.Kernel, shift) }
		if at := slices.IndexFunc(c.Launches, same); at >= 0 {
			c.Launches[at].Count += l.Count
		} else {
			c.Launches = append(c.Launches, l)
		}
	}
	at := map[uint64]int{}
	for i := range c.Insts {
		at[c.Insts[i].PC] = i
	}
	for _, in := range o.Insts {
		in.PC += shift
		if i, ok := at[in.PC]; ok {
			c.Insts[i].merge(&in)
		} else {
			c.Insts = append(c.Insts, in)
		}
	}
	slices.SortFunc(c.Insts, func(x, y Inst) int { return cmp.Compare(x.PC, y.PC) })
}

// moved returns the name of a kernel whose address, if that names it, is so much higher.
func moved(name string, by uint64) string {
	i := strings.LastIndex(name, " at 0x")
	if i < 0 {
		return name
	}
	addr, err := strconv.ParseUint(name[i+len(" at 0x"):], 16, 64)
	if err != nil {
		return name
	}
	return fmt.Sprintf("%s at %#x", name[:i], addr+by)
}

// merge adds what was counted of the same instruction. Uses that are equal but for counts are in the same order.
func (in *Inst) merge(o *Inst) {
	in.Waves += o.Waves
	in.Lanes += o.Lanes
	if b := o.Branch; b != nil && in.Branch != nil {
		in.Branch.Waves += b.Waves
		in.Branch.Taken += b.Taken
		in.Branch.Lanes += b.Lanes
		in.Branch.Both += b.Both
	} else if b != nil {
		in.Branch = b
	}
	for _, r := range o.Resources {
		in.resource(r)
	}
	from := 0
	for _, u := range o.Memory {
		same := func(x Use) bool {
			return x.How == u.How && x.Space == u.Space && x.Wave == u.Wave && x.Bytes == u.Bytes
		}
		at := slices.IndexFunc(in.Memory[from:], same)
		if at < 0 {
			in.Memory = slices.Insert(in.Memory, from, u)
			from++
			continue
		}
		in.Memory[from+at].Access.add(&u.Access)
		from += at + 1
	}
}

// Codes returns what was counted so far, by code in the order in which they were watched. No launch may be running.
func (p *Profiler) Codes() []Code {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.take()
	list := make([]Code, len(p.codes))
	for i, c := range p.codes {
		list[i] = Code{Code: c.Code, Entry: c.entry, Launches: slices.Clone(c.launches)}
		at := map[uint64]int{}
		for _, b := range c.blocks {
			list[i].add(p, b, at)
		}
		for k := range list[i].Insts {
			list[i].Insts[k].used()
		}
		slices.SortFunc(list[i].Insts, func(x, y Inst) int { return cmp.Compare(x.PC, y.PC) })
	}
	return list
}

// add adds the counts of a block. at is where instructions are in the list.
func (c *Code) add(p *Profiler, b *block, at map[uint64]int) {
	waves, gone := p.sum[b.first], uint64(0)
	for i, m := range b.marks {
		if i == 0 || b.part[i] != b.part[i-1] {
			gone = 0
		}
		if b.stopped != nil {
			waves, gone = less(waves, b.stopped[i].waves), gone+b.stopped[i].lanes
		}
		if waves == 0 {
			break
		}
		k, ok := at[m.PC]
		if !ok {
			k = len(c.Insts)
			at[m.PC], c.Insts = k, append(c.Insts, Inst{PC: m.PC, Size: int(m.Size)})
		}
		in := &c.Insts[k]
		in.Waves += waves
		in.Lanes += less(p.sum[b.first+1+b.part[i]], gone)
		if b.branch != 0 && i == len(b.marks)-1 {
			in.addBranch(p, b, waves)
		}
		in.addUses(b.sites[i])
		in.addResources(p, b.asks[i])
	}
}

// less returns a-b, at least 0.
func less(a, b uint64) uint64 { return a - min(a, b) }

// addBranch adds the counters of the branch of a block, without waves that took it and faulted.
func (in *Inst) addBranch(p *Profiler, b *block, waves uint64) {
	if in.Branch == nil {
		in.Branch = &Branch{}
	}
	sum, gone := p.sum[b.branch:], stopped{}
	if b.stopped != nil {
		gone = b.stopped[len(b.marks)-1]
	}
	in.Branch.Waves += waves
	if !b.steps {
		in.Branch.Taken += less(sum[0], gone.begun)
		return
	}
	in.Branch.Lanes += less(sum[lanesTaken], gone.begunLanes)
	in.Branch.Taken += less(sum[wavesTaken], gone.begun)
	in.Branch.Both += sum[wavesBoth]
}

// addUses adds what was counted of accesses: of one instruction in several blocks, those in one place together.
func (in *Inst) addUses(sites []*site) {
	for i, s := range sites {
		for k, space := range [spaces]ir.SpaceID{ir.GlobalSpace, ir.GroupSpace, ir.PrivateSpace} {
			at := spaces*i + k
			if s.space != ir.FlatSpace {
				space = s.space
			}
			if at == len(in.Memory) {
				in.Memory = append(in.Memory, Use{How: s.how, Space: space, Wave: s.wave, Bytes: int(s.size)})
			}
			in.Memory[at].Access.add(&s.sum[k])
		}
	}
}

// used drops the uses without a request.
func (in *Inst) used() {
	in.Memory = slices.DeleteFunc(in.Memory, func(u Use) bool { return u.Requests == 0 })
}
