package cp

import (
	"github.com/heddle-gpu/heddle/internal/gpu/amdgpu/pm4"
)

// Spaces of registers that LOAD packets load, as CONTEXT_CONTROL enables them.
const (
	loadConfig = 1 << iota
	loadContext
	loadUconfig
	loadGfxSh
	loadCsSh
	loadSh = loadGfxSh | loadCsSh
)

// contextControl enables spaces of registers to be loaded.
func contextControl(r *run, v []uint64) error {
	if v[0] == 0 {
		return nil
	}
	r.State.loads = 0
	for i, bit := range []uint32{loadConfig, loadContext, loadUconfig, loadGfxSh, loadCsSh} {
		if v[1+i] != 0 {
			r.State.loads |= bit
		}
	}
	return nil
}

// clearState gives context registers their defaults.
func clearState(r *run, _ []uint64) error {
	r.State.clearState()
	return nil
}

// setRegisters writes registers from a byte address on.
func (r *run) setRegisters(addr uint32, values []uint32) error {
	for i, v := range values {
		if err := r.State.write(addr+4*uint32(i), v); err != nil {
			return err
		}
	}
	return nil
}

// setIn writes registers of a space: fields reg. The index of some packets says what else the hardware keeps of them,
// which has no effect here.
func setIn(base uint32) func(r *run, v []uint64) error {
	return func(r *run, v []uint64) error {
		return r.setRegisters(base+4*uint32(v[0]), r.packet.Body[1:])
	}
}

// contextRMW replaces some bits of a context register: fields reg, mask, data.
func contextRMW(r *run, v []uint64) error {
	addr := pm4.ContextBase + 4*uint32(v[0])
	old, err := r.State.read(addr)
	if err != nil {
		return err
	}
	mask := uint32(v[1])
	return r.State.write(addr, old&^mask|uint32(v[2])&mask)
}

// loadIn loads ranges of registers of a space, where CONTEXT_CONTROL has enabled that: field addr, to which the
// registers' offsets in the space are added.
func loadIn(base, enable uint32) func(r *run, v []uint64) error {
	return func(r *run, v []uint64) error {
		if r.State.loads&enable == 0 {
			return nil
		}
		pairs := r.packet.Body[2:]
		for ; len(pairs) >= 2; pairs = pairs[2:] {
			first := pairs[0] & 0xffff
			if err := r.load(base+4*first, v[0]+4*uint64(first), uint64(pairs[1])); err != nil {
				return err
			}
		}
		return nil
	}
}

// loadIndexIn loads a range of registers of a space: fields addr, reg, count. The address is that of the first value.
func loadIndexIn(base uint32) func(r *run, v []uint64) error {
	return func(r *run, v []uint64) error {
		return r.load(base+4*uint32(v[1]), v[0], v[2])
	}
}

// load writes so many registers from memory.
func (r *run) load(addr uint32, va, count uint64) error {
	for i := range count {
		v, err := r.read32(va + 4*i)
		if err != nil {
			return err
		}
		if err := r.State.write(addr+4*uint32(i), v); err != nil {
			return err
		}
	}
	return nil
}
