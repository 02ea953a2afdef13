package template

import "github.com/heddle-gpu/heddle/exec/portable"

// Not every loop is faster as a region. What a region saves is writing registers to the state and reading them again, and what is one a wave between
// blocks; what it loses is that only some of the wave's lanes are under way at once, so that less is there to do while a result is waited for.

const (
	mostRows  = 14  // registers of lanes that a region may have: more are not kept in the host's
	mostSteps = 120 // on lanes: longer blocks spend most of their time in steps, whichever way they run
)

// pays reports whether the region is likely to be faster than its blocks.
func (r *region) pays() bool {
	rows, steps := map[int32]bool{}, 0
	for _, x := range r.blocks {
		for i := range x.b.Steps {
			s := &x.b.Steps[i]
			for _, p := range append(s.Args[:len(s.Args):len(s.Args)], s.Res...) {
				if p.Kind == portable.InRow && p.At >= 0 {
					rows[p.At] = true
				}
			}
			steps++
		}
	}
	return len(rows) <= mostRows && steps <= mostSteps && !r.chases()
}

// Whether a value comes from a load: not, from one of the same stay in a block, or from one before, by way of a register that lasts.
const (
	unloaded = iota
	loaded
	loadedBefore
)

// chases reports whether loads wait for loads of the turn before.
func (r *region) chases() bool {
	lasting := map[portable.Place]bool{} // registers that come from loads where a block begins
	for n := -1; n < len(lasting); {
		n = len(lasting)
		for _, x := range r.blocks {
			if x.chases(lasting) {
				return true
			}
		}
	}
	return false
}

// chases reports whether an address of the block comes from a load before; it adds to the registers that do.
func (x *regionBlock) chases(lasting map[portable.Place]bool) bool {
	from := map[portable.Place]int{}
	of := func(p portable.Place) int {
		if at, seen := from[p]; seen || !lasting[p] {
			return at
		}
		return loadedBefore
	}
	for i := range x.b.Steps {
		s := &x.b.Steps[i]
		at := unloaded
		for _, p := range s.Args {
			at = max(at, of(p))
		}
		if s.Kind == portable.MemoryAccess && s.Mask.Kind != 0 {
			if at == loadedBefore {
				return true
			}
			at = loaded
		}
		for _, p := range s.Res {
			if s.Kind == portable.SetRow && s.Mask.Kind != 0 && !s.Free {
				at = max(at, of(p))
			}
			if from[p] = at; at != unloaded && p.Kind == portable.InRow && p.At >= 0 {
				lasting[p] = true
			}
		}
	}
	return false
}
