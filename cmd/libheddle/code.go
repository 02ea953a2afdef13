//go:build cgo

package main

// #define HEDDLE_NO_PROTOTYPES
// #include "heddle.h"
import "C"

import (
	"errors"
	"strings"
	"sync"
	"unsafe"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/isa"
)

// codeOf returns a set, and the caller's code of that set.
func codeOf(h C.heddle_isa, code unsafe.Pointer, size C.size_t) (*isa.Target, []byte, error) {
	a, err := get[*heddle.ISA](h)
	if err != nil {
		return nil, nil, err
	}
	data, err := bytesOf(code, size, "code")
	return a.Target(), data, err
}

//export heddle_decode
func heddle_decode(h C.heddle_isa, code unsafe.Pointer, size C.size_t, address C.uint64_t, out **C.heddle_instruction,
	e **C.heddle_error) C.heddle_status {
	return guard(e, func() error {
		t, data, err := codeOf(h, code, size)
		if err != nil {
			return err
		}
		var bundle isa.Bundle
		if err := t.DecodeBundle(data, uint64(address), &bundle); err != nil {
			return err
		}
		return result(out, func(b *block, i *C.heddle_instruction) error {
			i.address, i.size, i.text = address, C.uint32_t(bundle.Size()), (*C.char)(b.bytes(t.Print(nil, &bundle)))
			parts := place[C.heddle_part](b, len(bundle.Parts))
			for n := range bundle.Parts {
				partOf(b, t, &bundle.Parts[n], &parts[n])
			}
			i.parts, i.part_count = unsafe.SliceData(parts), C.size_t(len(parts))
			touched := heddle.EffectsOf(t, &bundle)
			i.reads, i.read_count = b.texts(touched.Reads)
			i.writes, i.write_count = b.texts(touched.Writes)
			return nil
		})
	})
}

func partOf(b *block, t *isa.Target, in *isa.Inst, p *C.heddle_part) {
	d := in.Def
	p.mnemonic, p.encoding, p.doc = b.text(d.Name), b.text(d.Enc.Name), b.text(d.Doc)
	kind := ""
	if len(t.Classes) > 0 {
		kind = t.Classes[d.Class]
	}
	p.kind = b.text(kind)
	p.opcode, p.size = C.uint64_t(d.Op), C.uint32_t(in.Size)
	operands := place[C.heddle_operand](b, len(d.Args))
	var buf []byte
	for i := range d.Args {
		a, o := &d.Args[i], &operands[i]
		printer := t.Printer()
		buf = printer.AppendArg(append(buf[:0], ' '), in, a) // some remove the blank before them
		o.name, o.text, o.value, o.bits = b.text(a.Name), b.text(strings.TrimSpace(string(buf))), C.uint64_t(a.Get(in.Word)), C.uint32_t(a.Width)
		o.role = roles[a.RoleIn(in)]
		if a.Place != isa.Operand {
			o.modifier = 1
		}
	}
	p.operands, p.operand_count = unsafe.SliceData(operands), C.size_t(len(operands))
}

var roles = [...]C.uint8_t{
	isa.NoRole: C.HEDDLE_ROLE_NONE, isa.Use: C.HEDDLE_ROLE_READ, isa.Define: C.HEDDLE_ROLE_WRITTEN, isa.UseDef: C.HEDDLE_ROLE_READ_WRITTEN,
}

// A decoding is the state of heddle_decode_many, and of heddle_print.
type decoding struct {
	target  *isa.Target
	code    []byte
	address uint64
	bundle  isa.Bundle
	text    []byte // of the current entry
	print   bool
}

// decodings are pooled, so that decoding instructions one by one allocates nothing.
var decodings = sync.Pool{New: func() any { return &decoding{} }}

// next fills in the entry at an offset, except for the address of its text.
func (d *decoding) next(off int, entry *C.heddle_entry) {
	*entry = C.heddle_entry{offset: C.uint64_t(off)}
	d.text = d.text[:0]
	if err := d.target.DecodeBundle(d.code[off:], d.address+uint64(off), &d.bundle); err != nil {
		entry.size = C.uint32_t(min(d.target.Unit, len(d.code)-off))
		if wrong := isa.AsError(err); d.print && wrong != nil {
			d.text = append(d.text, wrong.Msg...)
		}
		return
	}
	entry.size, entry.parts = C.uint32_t(d.bundle.Size()), C.uint32_t(len(d.bundle.Parts))
	entry.mnemonic = name(d.bundle.Parts[0].Def.Name)
	if d.print {
		d.text = d.target.Print(d.text, &d.bundle)
	}
}

//export heddle_decode_many
func heddle_decode_many(h C.heddle_isa, code unsafe.Pointer, size C.size_t, address C.uint64_t, entries *C.heddle_entry, capacity C.size_t,
	text *C.char, textSize C.size_t, count, used *C.size_t, e **C.heddle_error) C.heddle_status {
	return guard(e, func() error {
		t, data, err := codeOf(h, code, size)
		if err != nil {
			return err
		}
		list, err := view(entries, capacity, "entries")
		if err != nil {
			return err
		}
		room, err := view((*byte)(unsafe.Pointer(text)), textSize, "text")
		if err != nil {
			return err
		}
		if count == nil || used == nil {
			return null("count or used")
		}
		d := decoding{target: t, code: data, address: uint64(address), print: text != nil}
		n, off, at := 0, 0, 0
		for ; n < len(list) && off < len(data); n++ {
			entry := &list[n]
			d.next(off, entry)
			if d.print {
				if len(room)-at < len(d.text)+1 {
					break
				}
				entry.text, entry.text_length = C.size_t(at), C.size_t(len(d.text))
				at += copy(room[at:], d.text)
				room[at] = 0
				at++
			}
			off += int(entry.size)
		}
		if *count, *used = C.size_t(n), C.size_t(off); n == 0 && len(data) > 0 {
			return invalid("%d entries and %d bytes of text are no room for one instruction", len(list), len(room))
		}
		return nil
	})
}

//export heddle_print
func heddle_print(h C.heddle_isa, code unsafe.Pointer, size C.size_t, address C.uint64_t, text *C.char, textSize C.size_t,
	length, used *C.size_t, e **C.heddle_error) C.heddle_status {
	return guard(e, func() error {
		t, data, err := codeOf(h, code, size)
		if err != nil {
			return err
		}
		room, err := view((*byte)(unsafe.Pointer(text)), textSize, "text")
		if err != nil {
			return err
		}
		set := func(p *C.size_t, n int) {
			if p != nil {
				*p = C.size_t(n)
			}
		}
		d := decodings.Get().(*decoding)
		defer decodings.Put(d)
		if err := t.DecodeBundle(data, uint64(address), &d.bundle); err != nil {
			set(used, min(t.Unit, len(data)))
			return err
		}
		d.text = t.Print(d.text[:0], &d.bundle)
		if len(room) > 0 {
			room[copy(room[:len(room)-1], d.text)] = 0
		}
		set(length, len(d.text))
		set(used, d.bundle.Size())
		return nil
	})
}

//export heddle_disassemble
func heddle_disassemble(h C.heddle_isa, code unsafe.Pointer, size C.size_t, base C.uint64_t, out **C.char, e **C.heddle_error) C.heddle_status {
	return guard(e, func() error {
		t, data, err := codeOf(h, code, size)
		if err != nil {
			return err
		}
		var b strings.Builder
		if err := asm.List(&b, t, data, uint64(base), asm.ListOptions{Exact: true}); err != nil {
			return err
		}
		return textResult(out, b.String())
	})
}

//export heddle_assemble
func heddle_assemble(h C.heddle_isa, source *C.char, length C.size_t, base C.uint64_t, out **C.heddle_assembly, e **C.heddle_error) C.heddle_status {
	return guard(e, func() error {
		a, err := get[*heddle.ISA](h)
		if err != nil {
			return err
		}
		src, err := text(source, length, "text")
		if err != nil {
			return err
		}
		r, errs := asm.Assemble(a.Target(), []byte(src), asm.Options{Base: uint64(base), NoLines: true})
		if len(errs) > 0 {
			return heddle.Errors(errs)
		}
		return result(out, func(b *block, v *C.heddle_assembly) error {
			v.code, v.size, v.base = (*C.uint8_t)(b.bytes(r.Code)), C.size_t(len(r.Code)), C.uint64_t(r.Base)
			labels := place[C.heddle_label](b, len(r.Labels))
			for i, l := range r.Labels {
				labels[i] = C.heddle_label{name: b.text(l.Name), address: C.uint64_t(l.Addr)}
			}
			v.labels, v.label_count = unsafe.SliceData(labels), C.size_t(len(labels))
			return nil
		})
	})
}

//export heddle_explain
func heddle_explain(h C.heddle_isa, what *C.char, out **C.char, e **C.heddle_error) C.heddle_status {
	return guard(e, func() error {
		a, err := get[*heddle.ISA](h)
		if err != nil {
			return err
		}
		if what == nil {
			return null("what")
		}
		page, err := a.Explain(word(what))
		var wrong *isa.Error
		if errors.As(err, &wrong) {
			return fail(C.HEDDLE_ETEXT, err)
		}
		if err != nil {
			return err
		}
		return textResult(out, page.String())
	})
}
