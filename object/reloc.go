package object

import (
	"encoding/binary"
	"fmt"
)

// RelocType is the type of a relocation.
type RelocType uint32

// A relocRule describes a type of relocation. value computes the field: s is the symbol's address, a the addend, p the
// address of the field, b the start of the image relative to the addresses in the file.
type relocRule struct {
	name     string
	size     uint64 // bytes of the field; 0: nothing is written
	value    func(s, a, p, b uint64) uint64
	fit      relocFit
	absolute bool // the value depends on the load address
	table    bool // s is the symbol's entry in the global offset table
	links    bool // only in relocatable files
}

// A relocFit is the range of values that a field accepts.
type relocFit uint8

const (
	anyFit      relocFit = iota // any value, truncated
	signedFit                   // values of as many bits as the field has, signed
	unsignedFit                 // or unsigned
)

const (
	abs64      RelocType = 3
	relative64 RelocType = 13
)

func absValue(s, a, _, _ uint64) uint64  { return s + a }
func absHigh(s, a, _, _ uint64) uint64   { return (s + a) >> 32 }
func relValue(s, a, p, _ uint64) uint64  { return s + a - p }
func relHigh(s, a, p, _ uint64) uint64   { return (s + a - p) >> 32 }
func moved(_, a, _, b uint64) uint64     { return a + b }
func relBranch(s, a, p, _ uint64) uint64 { return uint64((int64(s+a-p) - 4) / 4) }

// relocRules are the rules by type. Source: LLVM, "User Guide for AMDGPU Backend", relocation records.
var relocRules = [...]relocRule{
	0:  {name: "R_AMDGPU_NONE"},
	1:  {name: "R_AMDGPU_ABS32_LO", size: 4, value: absValue, absolute: true},
	2:  {name: "R_AMDGPU_ABS32_HI", size: 4, value: absHigh, absolute: true},
	3:  {name: "R_AMDGPU_ABS64", size: 8, value: absValue, absolute: true},
	4:  {name: "R_AMDGPU_REL32", size: 4, value: relValue, fit: signedFit},
	5:  {name: "R_AMDGPU_REL64", size: 8, value: relValue},
	6:  {name: "R_AMDGPU_ABS32", size: 4, value: absValue, fit: unsignedFit, absolute: true},
	7:  {name: "R_AMDGPU_GOTPCREL", size: 4, value: relValue, fit: signedFit, table: true, links: true},
	8:  {name: "R_AMDGPU_GOTPCREL32_LO", size: 4, value: relValue, table: true, links: true},
	9:  {name: "R_AMDGPU_GOTPCREL32_HI", size: 4, value: relHigh, table: true, links: true},
	10: {name: "R_AMDGPU_REL32_LO", size: 4, value: relValue},
	11: {name: "R_AMDGPU_REL32_HI", size: 4, value: relHigh},
	13: {name: "R_AMDGPU_RELATIVE64", size: 8, value: moved},
	14: {name: "R_AMDGPU_REL16", size: 2, value: relBranch, fit: signedFit, links: true},
}

// put writes a value to the field at the start of b.
func (r *relocRule) put(b []byte, v uint64) error {
	bits := 8 * r.size
	if high := int64(v) >> (bits - 1); r.fit != anyFit && high != 0 && high != -1 && (r.fit == signedFit || v>>bits != 0) {
		return fmt.Errorf("%#x does not fit %d bits", v, bits)
	}
	var full [8]byte
	binary.LittleEndian.PutUint64(full[:], v)
	copy(b, full[:r.size])
	return nil
}

// rule returns the rule of the type; ok reports whether there is one.
func (t RelocType) rule() (r relocRule, ok bool) {
	if t < RelocType(len(relocRules)) {
		r = relocRules[t]
	}
	return r, r.name != ""
}

// String returns LLVM's name: R_AMDGPU_RELATIVE64.
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

// readReloc reads the entry at the start of b, which is at offset at of the file.
func (o *CodeObject) readReloc(b []byte, at uint64, t *table) error {
	le := binary.LittleEndian
	info := le.Uint64(b[8:])
	r := Reloc{Addr: le.Uint64(b), Type: RelocType(uint32(info)), Addend: int64(le.Uint64(b[16:]))}
	kind, ok := r.Type.rule()
	switch {
	case r.Type == 0:
		return nil
	case !ok || kind.links:
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
		var full [8]byte
		binary.LittleEndian.PutUint64(full[:], v)
		copy(image[r.Addr-o.Base:], full[:kind.size])
	}
	return image
}
