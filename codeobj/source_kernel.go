package codeobj

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/object"
)

// scan finds where instructions begin, and the addresses that code computes: s_getpc_b64, followed by s_add_u32 and
// s_addc_u32 of the same registers with literals.
func (s *source) scan(x *object.ImageSection) {
	data, _ := s.o.Bytes(x.Addr, x.Size)
	skip := s.ranges()
	pending := map[string]*pcPair{} // by the low register
	var b isa.Bundle
	for off := uint64(0); off < uint64(len(data)); {
		addr := x.Addr + off
		s.starts[addr] = true
		if inRange(skip, addr) || s.target.DecodeBundle(data[off:], addr, &b) != nil {
			off += uint64(min(s.target.Unit, len(data)-int(off)))
			continue
		}
		in := &b.Parts[0]
		off += uint64(in.Size)
		s.wrong = s.wrong || len(s.target.Lint(nil, &b, nil)) > 0
		s.pair(pending, in, addr)
	}
	s.starts[x.Addr+x.Size] = true
}

func inRange(list []asm.Range, addr uint64) bool {
	for _, r := range list {
		if addr >= r.From && addr < r.To {
			return true
		}
	}
	return false
}

// A pcPair is an address that is being computed: the positions of s_getpc_b64, and of s_add_u32 with its literal.
type pcPair struct {
	pc, low uint64
	lit     uint32
	has     bool
}

// pair checks an instruction that may be part of an address computation.
func (s *source) pair(pending map[string]*pcPair, in *isa.Inst, addr uint64) {
	name, rest, _ := strings.Cut(in.String(), " ")
	ops := strings.Split(rest, ", ")
	switch {
	case name == "s_getpc_b64":
		low, _, ok := strings.Cut(strings.TrimPrefix(ops[0], "s["), ":")
		if ok {
			pending["s"+low] = &pcPair{pc: addr + 4}
		}
	case len(ops) != 3 || ops[0] != ops[1] || !in.HasLiteral():
	case name == "s_add_u32":
		if p := pending[ops[0]]; p != nil && !p.has {
			p.low, p.lit, p.has = addr, uint32(in.Literal()), true
		}
	case name == "s_addc_u32":
		var n int
		if _, err := fmt.Sscanf(ops[0], "s%d", &n); err != nil {
			return
		}
		low := fmt.Sprintf("s%d", n-1)
		p := pending[low]
		if p == nil || !p.has {
			return
		}
		delete(pending, low)
		to := p.pc + (uint64(p.lit) | uint64(uint32(in.Literal()))<<32)
		if label, plus, ok := s.name(to); ok {
			s.last[p.low] = fmt.Sprintf("%s@rel32@lo+%d", label, p.low+4-p.pc+plus)
			s.last[addr] = fmt.Sprintf("%s@rel32@hi+%d", label, addr+4-p.pc+plus)
		}
	}
}

// fixed returns the descriptor without its entry, which the assembler fills in.
func fixed(d *object.Descriptor) (b [descriptorSize]byte) {
	b = d.Raw
	clear(b[offEntry : offEntry+8])
	return b
}

// settings returns the keys that give a descriptor; false if none do.
func settings(named string, d *object.Descriptor) (list []asm.Mark, ok bool) {
	raw := fixed(d)
	c := chipOf(named)
	k := &kernel{given: map[string]asm.Mark{}}
	set := func(name string, v int64) {
		m := asm.Mark{Name: name, Value: v, Given: true}
		k.given[name] = m
		list = append(list, m)
	}
	for i := range keys {
		row := &keys[i]
		if row.from > c.major {
			continue
		}
		switch v := int64(0); {
		case row.put.is:
			v = int64(binary.LittleEndian.Uint32(raw[row.put.off:]) >> row.put.bit)
			if v &= int64(mask(row.most)); uint64(v) > row.most {
				return nil, false
			}
			set(row.name, v)
		case row.name == keyUserCount:
			set(row.name, int64(d.UserSGPRs()))
		case row.name == keyVGPRs:
			set(row.name, int64(d.VGPRs()))
		case row.name == keySGPRs:
			extra := c.extra(true, c.major < 7 || d.SGPRs() > 104, false)
			set(row.name, int64(max(min(d.SGPRs()-extra, c.scalars()), 0)))
		case row.name == keyFlat:
			set(row.name, int64(b2i(d.SGPRs() > 104)))
		}
	}
	b := &builder{named: named, chip: c}
	made := b.descriptor(k)
	return list, len(b.errs) == 0 && string(made) == string(raw[:])
}

func b2i(v bool) int {
	if v {
		return 1
	}
	return 0
}

// mask returns the bits that values up to most take.
func mask(most uint64) uint64 {
	m := uint64(1)
	for m < most {
		m = m<<1 | 1
	}
	return m
}

// descriptor writes that of a kernel, as data if keys cannot express it.
func (s *source) descriptor(k *object.Kernel) {
	if list, ok := settings(s.o.Target, &k.Descriptor); ok && s.entered(k) {
		text, _ := nameText(k.Name)
		s.say("\t%s %s\n", dirKernel, text)
		for _, m := range list {
			s.say("\t\t%s %d\n", m.Name, m.Value)
		}
		s.say("\t%s\n", dirEnd)
		return
	}
	name, _ := nameText(k.Name + ".kd")
	s.say("\t.globl\t%s\n\t.protected\t%s\n\t.type\t%s,@object\n\t.size\t%s, %d\n%s:\n", name, name, name, name, descriptorSize, name)
	raw := k.Descriptor.Raw
	s.bytes(raw[:offEntry])
	if label, plus, ok := s.name(k.Entry); ok {
		s.say("\t.quad\t%s-%s+%d\n", label, name, plus)
	} else {
		s.bytes(raw[offEntry : offEntry+8])
	}
	s.bytes(raw[offEntry+8:])
}

// entered reports whether the kernel's own symbol is its entry.
func (s *source) entered(k *object.Kernel) bool {
	text, _ := nameText(k.Name)
	for _, y := range s.names[k.Entry] {
		if y.Name == text {
			return true
		}
	}
	return false
}

// kernels writes descriptors for the kernels of code objects that have none: versions 1 and 2.
func (s *source) kernels() error {
	if !s.old || len(s.o.Kernels) == 0 {
		return nil
	}
	s.say("\n\t.section\t.rodata,\"a\",@progbits\n")
	for i := range s.o.Kernels {
		s.say("\t.balign\t64\n")
		k := s.o.Kernels[i]
		if k.Descriptor.GroupCounts != 0 {
			return fmt.Errorf("kernel %s: registers with the number of groups cannot be asked for in version 5", k.Name)
		}
		if k.Descriptor.Ordered {
			return fmt.Errorf("kernel %s: ordered append cannot be asked for in version 5", k.Name)
		}
		s.descriptor(&k)
	}
	return nil
}

// metadata writes that of the note, or what is known of kernels.
func (s *source) metadata() error {
	text := ""
	switch {
	case s.o.Note != nil:
		var err error
		if text, err = object.DecodeMetadata(s.o.Note); err != nil {
			return err
		}
	case s.old && s.o.Metadata.Present:
		text = object.MetadataText(s.o)
	default:
		return nil
	}
	s.say("\n\t%s\n%s\t.end_amdgpu_metadata\n", dirMetadata, text)
	return nil
}
