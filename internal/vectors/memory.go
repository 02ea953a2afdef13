package vectors

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/mem"
)

// A place is a bank of an address space, or the private memory of one lane.
type place struct {
	space ir.SpaceID
	bank  uint8
	lane  int // 0 except in private memory
}

func comparePlaces(a, b place) int {
	return cmp.Or(cmp.Compare(a.space, b.space), cmp.Compare(a.bank, b.bank), cmp.Compare(a.lane, b.lane))
}

// A run is bytes at an address.
type run struct {
	place
	addr uint64
	data []byte
}

// A memory is the bytes that a test accesses, and no others: sorted runs, none of which are adjacent.
type memory []run

// add adds bytes at an address; new ones come from fill.
func (m memory) add(p place, addr uint64, n int, fill func(place, uint64) byte) memory {
	lo, hi := addr, addr+uint64(n)
	joined := run{place: p}
	var others memory
	var old []run
	for _, r := range m {
		if r.place == p && r.addr <= hi && lo <= r.addr+uint64(len(r.data)) {
			old = append(old, r)
			continue
		}
		others = append(others, r)
	}
	for _, r := range old {
		lo, hi = min(lo, r.addr), max(hi, r.addr+uint64(len(r.data)))
	}
	joined.addr, joined.data = lo, make([]byte, hi-lo)
	for i := range joined.data {
		joined.data[i] = fill(p, lo+uint64(i))
	}
	for _, r := range old {
		copy(joined.data[r.addr-lo:], r.data)
	}
	others = append(others, joined)
	slices.SortFunc(others, compareRuns)
	return others
}

// size returns the number of bytes.
func (m memory) size() (n int) {
	for _, r := range m {
		n += len(r.data)
	}
	return n
}

// maxPrivate limits the private memory of a lane in a test.
const maxPrivate = 1 << 16

// put adds the runs to an environment.
func (m memory) put(env *exec.Env, lanes int) error {
	for _, r := range m {
		if r.space == ir.PrivateSpace {
			if err := putPrivate(env, m, r.bank, lanes); err != nil {
				return err
			}
			continue
		}
		banks := &env.Spaces[r.space]
		for len(*banks) <= int(r.bank) {
			*banks = append(*banks, nil)
		}
		if (*banks)[r.bank] == nil {
			(*banks)[r.bank] = &mem.Space{Name: r.space.String()}
		}
		g := mem.NewSegment("at "+hex(r.addr), r.addr, len(r.data), mem.ReadWrite)
		copy(g.Data, r.data)
		if err := (*banks)[r.bank].Add(g); err != nil {
			return err
		}
	}
	return nil
}

// putPrivate makes the private memory of a bank, if needed, for the runs of all lanes.
func putPrivate(env *exec.Env, m memory, bank uint8, lanes int) error {
	for len(env.Private) <= int(bank) {
		env.Private = append(env.Private, nil)
	}
	if env.Private[bank] != nil {
		return nil
	}
	lo, hi := ^uint64(0), uint64(0)
	for _, r := range m {
		if r.space == ir.PrivateSpace && r.bank == bank {
			lo, hi = min(lo, r.addr), max(hi, r.addr+uint64(len(r.data)))
		}
	}
	lo = lo &^ 15
	if hi-lo > maxPrivate {
		return refusal("private memory of " + decimal(int(hi-lo)) + " bytes")
	}
	p, err := mem.NewPrivate(mem.Extent{Name: "private", Base: lo, Size: (hi - lo + 15) &^ 15, Rights: mem.ReadWrite}, lanes, 4)
	if err != nil {
		return err
	}
	if p.Space = ir.PrivateSpace.String(); bank != 0 {
		p.Space += ":" + decimal(int(bank))
	}
	for _, r := range m {
		if r.space != ir.PrivateSpace || r.bank != bank {
			continue
		}
		if r.lane >= lanes {
			return refusal("private memory of lane " + decimal(r.lane))
		}
		for i, c := range r.data {
			p.Data[p.Offset(r.lane, r.addr+uint64(i))] = c
		}
	}
	env.Private[bank] = p
	return nil
}

// after returns the same runs with the contents from an environment.
func (m memory) after(env *exec.Env) (memory, error) {
	left := make(memory, len(m))
	for i, r := range m {
		left[i] = run{r.place, r.addr, make([]byte, len(r.data))}
		if r.space == ir.PrivateSpace {
			p := env.Private[r.bank]
			for k := range r.data {
				left[i].data[k] = p.Data[p.Offset(r.lane, r.addr+uint64(k))]
			}
			continue
		}
		var c mem.Cursor
		b, fault := env.Space(r.space, r.bank).At(&c, r.addr, uint64(len(r.data)), mem.Read)
		if fault != nil {
			return nil, fault
		}
		copy(left[i].data, b)
	}
	return left, nil
}

// banks returns the names of memory in files: those of cases, and those of spaces without a name in cases.
func banks(f *launch.Platform) map[string]launch.Space {
	if names, ok := banksOf.Load(f); ok {
		return names.(map[string]launch.Space)
	}
	names := map[string]launch.Space{}
	for name, s := range f.Spaces() {
		names[name] = s
	}
	for _, id := range []ir.SpaceID{ir.ConstSpace, ir.GroupSpace, ir.PrivateSpace, ir.GlobalSpace} {
		names[id.String()] = launch.Space{ID: id}
		for bank := uint8(1); bank < maxBanks; bank++ {
			if name := id.String() + decimal(int(bank)); names[name] == (launch.Space{}) {
				names[name] = launch.Space{ID: id, Bank: bank}
			}
		}
	}
	banksOf.Store(f, names)
	return names
}

// banksOf caches the results of banks, by platform, because every test uses them. The maps must not be changed.
var banksOf sync.Map

// maxBanks is the number of banks of a space that have names.
const maxBanks = 32

// bankName returns the shortest name of a place, the first if there are several. The bank is below maxBanks.
func bankName(f *launch.Platform, p place) string {
	best := ""
	for name, s := range banks(f) {
		if s.ID == p.space && s.Bank == p.bank && (best == "" || len(name) < len(best) || len(name) == len(best) && name < best) {
			best = name
		}
	}
	return best
}

// A memoryBuilder collects single bytes.
type memoryBuilder map[place]map[uint64]byte

// maxListed limits the bytes of memory in a test that is read.
const maxListed = 1 << 16

// add adds a list of [address, value], or, for private memory, of [lane, address, value].
func (b memoryBuilder) add(p place, name string, list [][]uint64, lanes int) error {
	if len(list) > maxListed {
		return fmt.Errorf("%s lists %d bytes, at most %d", name, len(list), maxListed)
	}
	for _, e := range list {
		at := p
		if p.space == ir.PrivateSpace && len(e) == 3 {
			if e[0] >= uint64(lanes) {
				return fmt.Errorf("%s: lane %d of %d", name, e[0], lanes)
			}
			at.lane, e = int(e[0]), e[1:]
		}
		switch {
		case len(e) != 2:
			return fmt.Errorf("%s: %d numbers, want [address, value], in private memory [lane, address, value]", name, len(e))
		case e[1] > 255:
			return fmt.Errorf("%s: %d at %#x is no byte", name, e[1], e[0])
		case e[0]>>48 != 0:
			return fmt.Errorf("%s: %#x is an address of more than 48 bits", name, e[0])
		}
		if b[at] == nil {
			b[at] = map[uint64]byte{}
		}
		if _, twice := b[at][e[0]]; twice {
			return fmt.Errorf("%s: %#x is given twice", name, e[0])
		}
		b[at][e[0]] = byte(e[1])
	}
	return nil
}

// memory returns the bytes as runs.
func (b memoryBuilder) memory() (m memory) {
	for p, data := range b {
		var last *run
		for _, addr := range slices.Sorted(maps.Keys(data)) {
			if last == nil || last.addr+uint64(len(last.data)) != addr {
				m = append(m, run{place: p, addr: addr})
				last = &m[len(m)-1]
			}
			last.data = append(last.data, data[addr])
		}
	}
	slices.SortFunc(m, compareRuns)
	return m
}

func compareRuns(a, b run) int {
	return cmp.Or(comparePlaces(a.place, b.place), cmp.Compare(a.addr, b.addr))
}
