// Package cubin writes CUDA ELF files byte by byte, for tests of their readers. It shares no code with those.
//
// The layout is that of the ELF specification with machine 190; names of sections, e_flags and records of .nv.info are
// as in LLVM's ELF.h, cuobjdump and nvdisasm.
package cubin

import "encoding/binary"

// A Section is a section of the file.
type Section struct {
	Name       string
	Kind, Info uint32 // sh_type and sh_info
	Link       uint32 // sh_link: the number of a section, from 1
	Flags      uint64
	Data       []byte
	Size       uint64 // for a section without data, sh_type 8
	Entry      uint64 // size of an entry in bytes
}

// Write returns a CUDA ELF file: the header, sections, their names, the section headers. wide selects ELFCLASS64.
func Write(wide bool, flags uint32, abi byte, parts []Section) []byte {
	le := binary.LittleEndian
	header, entry := 52, 40
	if wide {
		header, entry = 64, 64
	}
	names := []byte{0}
	body := make([]byte, header)
	type placed struct{ name, off, size int }
	var at []placed
	for _, p := range append(parts, Section{Name: ".shstrtab", Kind: 3}) {
		at = append(at, placed{len(names), len(body), len(p.Data)})
		names = append(append(names, p.Name...), 0)
		body = append(body, p.Data...)
	}
	at[len(at)-1].off, at[len(at)-1].size = len(body), len(names)
	body = append(body, names...)
	body = append(body, make([]byte, -len(body)&7)...)
	shoff := len(body)
	word := func(v uint64) {
		if wide {
			body = le.AppendUint64(body, v)
		} else {
			body = le.AppendUint32(body, uint32(v))
		}
	}
	body = append(body, make([]byte, entry)...) // for section 0
	for i, p := range append(parts, Section{Kind: 3}) {
		body = le.AppendUint32(le.AppendUint32(body, uint32(at[i].name)), p.Kind)
		size := uint64(at[i].size)
		if p.Kind == 8 {
			size = p.Size
		}
		word(p.Flags)
		word(0)
		word(uint64(at[i].off))
		word(size)
		body = le.AppendUint32(le.AppendUint32(body, p.Link), p.Info)
		word(4)
		word(p.Entry)
	}
	h := append([]byte("\x7fELF"), 1, 1, 1, 51, abi)
	if wide {
		h[4] = 2
	}
	h = append(h, make([]byte, 16-len(h))...)
	h = le.AppendUint32(le.AppendUint16(le.AppendUint16(h, 2), 190), 1)
	if wide {
		h = le.AppendUint64(le.AppendUint64(le.AppendUint64(h, 0), 0), uint64(shoff))
	} else {
		h = le.AppendUint32(le.AppendUint32(le.AppendUint32(h, 0), 0), uint32(shoff))
	}
	h = le.AppendUint32(h, flags)
	for _, v := range []int{header, 0, 0, entry, len(parts) + 2, len(parts) + 1} {
		h = le.AppendUint16(h, uint16(v))
	}
	copy(body, h)
	return body
}

// Param returns a record of .nv.info that describes a parameter.
func Param(ordinal, offset, size int) []byte {
	le := binary.LittleEndian
	b := []byte{4, 0x17, 12, 0}
	b = le.AppendUint32(b, 0)
	b = le.AppendUint16(le.AppendUint16(b, uint16(ordinal)), uint16(offset))
	return le.AppendUint32(b, uint32(size)<<18|0x1f000)
}
