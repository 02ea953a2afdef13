package object

import (
	"encoding/binary"
	"fmt"
)

// RelocType is the type of a relocation.
type RelocType uint32

// A relocRule is all that is known of a type. value is what is written: s the symbol's
// address, a the addend, p the address of the field, b where the image starts relative to
// the addresses in the file. Types without a value are known but never in a loadable file.
type relocRule struct {
	name  string
	size  uint64 // bytes of the field
	value func(s, a, p, b uint64) uint64
}

// relocRules are the rules by type. Source: LLVM, "User Guide for AMDGPU Backend", relocation records.
var relocRules = [...]relocRule{
	0:  {"R_AMDGPU_NONE", 0, nil},
	1:  {"R_AMDGPU_ABS32_LO", 4, func(s, a, _, _ uint64) uint64 { return s + a }},
	2:  {"R_AMDGPU_ABS32_HI", 4, func(s, a, _, _ uint64) uint64 { return (s + a) >> 32 }},
	3:  {"R_AMDGPU_ABS64", 8, func(s, a, _, _ uint64) uint64 { return s + a }},
	4:  {"R_AMDGPU_REL32", 4, func(s, a, p, _ uint64) uint64 { return s + a - p }},
	5:  {"R_AMDGPU_REL64", 8, func(s, a, p, _ uint64) uint64 { return s + a - p }},
	6:  {"R_AMDGPU_ABS32", 4, func(s, a, _, _ uint64) uint64 { return s + a }},
	7:  {"R_AMDGPU_GOTPCREL", 4, nil},
	8:  {"R_AMDGPU_GOTPCREL32_LO", 4, nil},
	9:  {"R_AMDGPU_GOTPCREL32_HI", 4, nil},
	10: {"R_AMDGPU_REL32_LO", 4, func(s, a, p, _ uint64) uint64 { return s + a - p }},
	11: {"R_AMDGPU_REL32_HI", 4, func(s, a, p, _ uint64) uint64 { return (s + a - p) >> 32 }},
	13: {"R_AMDGPU_RELATIVE64", 8, func(_, a, _, b uint64) uint64 { return a + b }},
	14: {"R_AMDGPU_REL16", 2, nil},
}

// rule is the rule of the type; ok says whether there is one.
func (t RelocType) rule() (r relocRule, ok bool) {
	if t < RelocType(len(relocRules)) {
		r = relocRules[t]
	}
	return r, r.name != ""
}

// String is LLVM's name: R_AMDGPU_RELATIVE64.
func (t RelocType) String() string {
	if r, ok := t.rule(); ok {
		return r.name
	}
	return fmt.Sprintf("relocation type %d", uint32(t))
}

// A Reloc is a field of the image that depends on where the image is loaded.
type Reloc struct {
	Addr   uint64 // of the field, as in the file
	Type   RelocType
	Symbol Symbol // zero if the type or the entry needs none
	Addend int64
}

// readRelocs reads the dynamic relocations and checks that each can be applied to the image.
func (o *CodeObject) readRelocs(f *elfFile) error {
	left := maxRelocSect
	for i := range f.sects {
		s := &f.sects[i]
		if s.flags&sectAlloc == 0 || s.kind != sectRela && s.kind != sectRel {
			continue
		}
		if s.kind == sectRel {
			return failAt("relocation", s.at, "section %d has relocations without addends, which AMDGPU does not use", i)
		}
		if left--; left < 0 {
			return failAt("limit", s.at, "more than %d relocation tables", maxRelocSect)
		}
		b, err := f.contents(i, "relocation table")
		if err != nil {
			return err
		}
		if n := len(b)/relaSize + len(o.Relocs); n > maxRelocs {
			return failAt("limit", s.at, "%d relocations, at most %d are read", n, maxRelocs)
		}
		var t *table
		if int64(s.link) < int64(len(f.sects)) && f.sects[s.link].kind == sectDynsym {
			if t, err = f.symbolTable(int(s.link)); err != nil {
				return err
			}
		}
		for at := s.off; len(b) >= relaSize; b, at = b[relaSize:], at+relaSize {
			if err := o.readReloc(b, at, t); err != nil {
				return err
			}
		}
	}
	return nil
}

// readReloc reads the entry at the start of b, which lies at offset at of the file.
func (o *CodeObject) readReloc(b []byte, at uint64, t *table) error {
	le := binary.LittleEndian
	info := le.Uint64(b[8:])
	r := Reloc{Addr: le.Uint64(b), Type: RelocType(uint32(info)), Addend: int64(le.Uint64(b[16:]))}
	kind, ok := r.Type.rule()
	switch {
	case r.Type == 0:
		return nil
	case !ok || kind.value == nil:
		return failAt("relocation", at, "%v at %#x cannot be applied when loading", r.Type, r.Addr)
	case !o.mapped(r.Addr, kind.size):
		return failAt("relocation", at, "%v: %d bytes at %#x are not in a segment", r.Type, kind.size, r.Addr)
	}
	if index := info >> 32; index != 0 {
		if t == nil || index >= uint64(t.len()) {
			return failAt("relocation", at, "%v at %#x: no symbol %d", r.Type, r.Addr, index)
		}
		y, err := t.symbol(int(index))
		if err != nil {
			return err
		}
		if !y.Defined && y.Bind != BindWeak {
			return failAt("relocation", at, "%v at %#x: symbol %q is not defined in this file", r.Type, r.Addr, y.Name)
		}
		r.Symbol = y
	}
	o.Relocs = append(o.Relocs, r)
	return nil
}

// Load returns the image as it must be in guest memory when its first byte is at base.
// An address a of the file is then base - o.Base + a. Undefined weak symbols are 0.
func (o *CodeObject) Load(base uint64) []byte {
	image := append([]byte(nil), o.Image...)
	bias := base - o.Base
	for _, r := range o.Relocs {
		kind, _ := r.Type.rule()
		s := uint64(0)
		if r.Symbol.Defined {
			s = r.Symbol.Addr + bias
		}
		v := kind.value(s, uint64(r.Addend), r.Addr+bias, bias)
		field := image[r.Addr-o.Base:]
		if kind.size == 8 {
			binary.LittleEndian.PutUint64(field, v)
		} else {
			binary.LittleEndian.PutUint32(field, uint32(v))
		}
	}
	return image
}
