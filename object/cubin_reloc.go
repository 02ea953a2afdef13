package object

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"strings"
)

// A CubinReloc is a field of a CUDA file that holds the address of a symbol, which is known only when the program is
// loaded.
type CubinReloc struct {
	Section string // of the field
	Offset  uint64 // of the field, in bytes
	Type    uint32
	Symbol  string // "": none
}

// Types of relocations that are applied. Source: public lists of the R_CUDA types (the RELOCATORS table of nvdisasm,
// and cubin readers made from it), which are for later architectures; no file of sm_10 to sm_13 was available to
// confirm that they use the same numbers.
const (
	cudaAbs32 = 1
	cudaAbs64 = 2
)

// cudaRelocs are the names of the first types, by number.
var cudaRelocs = [...]string{"R_CUDA_NONE", "R_CUDA_32", "R_CUDA_64", "R_CUDA_G32", "R_CUDA_G64", "R_CUDA_ABS32_26", "R_CUDA_TEX_HEADER_INDEX",
	"R_CUDA_SAMP_HEADER_INDEX", "R_CUDA_SURF_HW_DESC", "R_CUDA_SURF_HW_SW_DESC", "R_CUDA_ABS32_LO_26", "R_CUDA_ABS32_HI_26"}

func (r CubinReloc) String() string {
	name := fmt.Sprintf("of type %d", r.Type)
	if int(r.Type) < len(cudaRelocs) {
		name = cudaRelocs[r.Type]
	}
	if r.Symbol != "" {
		name += " for " + r.Symbol
	}
	return fmt.Sprintf("%s at %s+%#x", name, r.Section, r.Offset)
}

// relocate applies the relocations of a code section or a constant bank that refer to addresses in the kernel's own
// code, which begins at 0. It records the others.
func (c *Cubin) relocate(f *elf.File, s *elf.Section, syms []elf.Symbol, parts map[string]*CubinKernel) error {
	target := strings.TrimPrefix(strings.TrimPrefix(s.Name, ".rel"), "a")
	kind, of, _ := strings.Cut(strings.TrimPrefix(target, ".nv."), ".")
	if name, ok := strings.CutPrefix(target, textPrefix); ok {
		kind, of = "", name
	} else if !strings.HasPrefix(target, ".nv.constant") {
		return nil // not in what a kernel reads: debug information
	}
	k := parts[of]
	size := map[bool]int{false: 8, true: 16}[c.Wide]
	if s.Type == elf.SHT_RELA {
		size += size / 2
	}
	data, err := c.contentsOf(s)
	if err != nil {
		return err
	}
	if len(data)%size != 0 {
		return failAt("section", s.Offset, "%s has %#x bytes, which are no entries of %d bytes each", s.Name, len(data), size)
	}
	for ; len(data) > 0; data = data[size:] {
		r, symbol, addend := c.entry(data[:size], s.Type == elf.SHT_RELA)
		r.Section = target
		if symbol > len(syms) {
			return failAt("relocation", s.Offset, "%s names symbol %d of %d", s.Name, symbol, len(syms))
		}
		if symbol > 0 {
			y := &syms[symbol-1]
			r.Symbol = y.Name
			own := k != nil && int(y.Section) < len(f.Sections) && f.Sections[y.Section].Name == textPrefix+of
			if own && c.apply(k, kind, r, y.Value, addend) {
				continue
			}
		}
		switch {
		case r.Type == 0: // R_CUDA_NONE
		case k != nil:
			k.Relocs = append(k.Relocs, r)
		default:
			c.Relocs = append(c.Relocs, r)
		}
	}
	return nil
}

// entry decodes an entry.
func (c *Cubin) entry(b []byte, adds bool) (r CubinReloc, symbol int, addend int64) {
	le := binary.LittleEndian
	if !c.Wide {
		info := le.Uint32(b[4:])
		if adds {
			addend = int64(int32(le.Uint32(b[8:])))
		}
		return CubinReloc{Offset: uint64(le.Uint32(b)), Type: info & 0xff}, int(info >> 8), addend
	}
	if adds {
		addend = int64(le.Uint64(b[16:]))
	}
	return CubinReloc{Offset: le.Uint64(b), Type: le.Uint32(b[8:])}, int(le.Uint32(b[12:])), addend
}

// apply adds an address in the kernel's code to a field of its code, or of a constant bank. It returns false if the
// type is unknown, or if the field does not exist.
func (c *Cubin) apply(k *CubinKernel, kind string, r CubinReloc, value uint64, addend int64) bool {
	data := k.Code
	if bank, ok := strings.CutPrefix(kind, "constant"); ok {
		data = nil
		for _, b := range k.Constants {
			if fmt.Sprint(b.Bank) == bank {
				data = b.Data
			}
		}
	}
	size := map[uint32]uint64{cudaAbs32: 4, cudaAbs64: 8}[r.Type]
	if size == 0 || r.Offset > uint64(len(data)) || size > uint64(len(data))-r.Offset {
		return false
	}
	le := binary.LittleEndian
	if field := data[r.Offset:]; size == 4 {
		le.PutUint32(field, le.Uint32(field)+uint32(value)+uint32(addend))
	} else {
		le.PutUint64(field, le.Uint64(field)+value+uint64(addend))
	}
	return true
}
