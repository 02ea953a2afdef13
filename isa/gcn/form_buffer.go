package gcn

import (
	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
)

// The forms of MUBUF and MTBUF: memory through a buffer resource. docs/reference/gcn.md 1 and 8.1.
//
// The type on the left of a signature is the data of a load or what an atomic returns, that on the right the data of a
// store or atomic.

var bufferWords = lexicon{
	opnds: []opnd{oB32, oB64, oB96, oB128},
	flags: fLDS | fFromLDS | fNone | fNoExec | fUndefined,
}

// A bufMode is one way to address a buffer: whether vector registers hold an index, an offset or both, in this order,
// or an address of 64 bits.
type bufMode struct {
	idxen, offen uint64
	addr64       bool
}

var bufModes = [...]bufMode{{}, {offen: 1}, {idxen: 1}, {idxen: 1, offen: 1}, {addr64: true}}

// words returns the number of address registers.
func (m bufMode) words() int {
	if m.addr64 {
		return 2
	}
	return int(m.idxen + m.offen)
}

// in returns the layout that holds the mode.
func (m bufMode) in(plain, addr64 layoutID) layoutID {
	if m.addr64 {
		return addr64
	}
	return plain
}

// A bufForm is the treatment of the data in a form.
type bufForm struct {
	data bufData
	tfe  uint64 // one more data register, for the status
	lds  bool   // the data goes to local memory
	glc  int    // for an atomic: the bit; else freeGLC
}

// freeGLC is a glc that does not distinguish forms.
const freeGLC = -1

// A bufData is the kind of instruction that a form is for.
type bufData uint8

const (
	bufLoads bufData = iota
	bufStores
	bufAtomics
	bufToLDS
	bufFromLDS
)

// fits reports whether a row is of the kind.
func (d bufData) fits(s *sig) bool {
	loads, stores := len(s.dst) > 0, len(s.src) > 0
	switch d {
	case bufLoads:
		return loads && !stores
	case bufStores:
		return stores && !loads
	case bufAtomics:
		return loads && stores
	case bufToLDS:
		return s.has(fLDS)
	}
	return s.has(fFromLDS)
}

// mubufForms returns, for each way of addressing, loads and stores with and without tfe, loads to local memory,
// atomics without and with glc; and forms without an address register or without operands.
func mubufForms() (fs []form) {
	add := func(m bufMode, rank int, f bufForm) {
		x := form{layout: m.in(layMUBUF, layMUBUF64), rank: rank, fits: f.data.fits, operands: func(b *builder) { f.operands(b, m) }}
		if f.tfe != 0 && f.data == bufStores { // no source defines the status of a store
			x.lacks = func(*sig) isa.Lack { return isa.LackForm }
		}
		fs = append(fs, x)
	}
	for i, m := range bufModes {
		add(m, 2*i, bufForm{data: bufAtomics, glc: 0})
		add(m, 2*i+1, bufForm{data: bufAtomics, glc: 1})
		add(m, 3*i, bufForm{data: bufLoads, glc: freeGLC})
		add(m, 3*i+1, bufForm{data: bufLoads, glc: freeGLC, tfe: 1})
		add(m, 3*i+2, bufForm{data: bufToLDS, glc: freeGLC, lds: true})
		add(m, 2*i, bufForm{data: bufStores, glc: freeGLC})
		add(m, 2*i+1, bufForm{data: bufStores, glc: freeGLC, tfe: 1})
	}
	add(bufModes[0], 0, bufForm{data: bufFromLDS, glc: freeGLC, lds: true})
	return append(fs, form{layout: layMUBUF, fits: func(s *sig) bool { return s.has(fNone) }, operands: func(*builder) {}})
}

// mtbufForms returns one for each way of addressing. No tool writes TFE.
func mtbufForms() (fs []form) {
	for i, m := range bufModes {
		for _, d := range []bufData{bufLoads, bufStores} {
			f := bufForm{data: d, glc: freeGLC}
			fs = append(fs, form{layout: m.in(layMTBUF, layMTBUF64), rank: i, fits: d.fits, operands: func(b *builder) { f.operands(b, m) }})
		}
	}
	return fs
}

// operands adds vdata, vaddr, srsrc, soffset; then modifiers in LLVM's order.
func (f bufForm) operands(b *builder, m bufMode) {
	b.fix("offen", m.offen)
	b.fix("idxen", m.idxen)
	b.fix("tfe", f.tfe)
	f.dataOperand(b)
	if n := m.words(); n > 0 {
		b.vgprs("vaddr", n, isa.Use)
	} else if f.data != bufFromLDS {
		b.word("off")
	}
	soffset := b.k.source("a scalar register or constant", 8, b32, takesScalar|takesConst|takesSpecial)
	if placeOf(b.enc, "format") != nil {
		soffset = b.k.formatFirst(soffset, b.e.gen.snormOGL)
	}
	b.add(isa.Arg{Name: "srsrc", Kind: b.k.alignedSGPRs(4, 2), Role: isa.Use, Width: 128},
		isa.Arg{Name: "soffset", Kind: soffset, Role: isa.Use, Width: 32})
	if placeOf(b.enc, "format") != nil {
		b.choice("format", b.k.bufFormat(b.e.gen.snormOGL), 1)
	} else {
		b.fix("lds", uint64(oneIf(f.lds)))
	}
	f.modifiers(b, m)
}

// dataOperand adds the data registers, unless the data stays in memory.
func (f bufForm) dataOperand(b *builder) {
	switch f.data {
	case bufLoads:
		b.vgprs("vdata", b.sig.result().words()+int(f.tfe), isa.Define)
	case bufStores, bufAtomics:
		b.vgprs("vdata", b.sig.srcType(0).words()+int(f.tfe), isa.Use)
	}
}

func (f bufForm) modifiers(b *builder, m bufMode) {
	if m.idxen != 0 {
		b.wanted("idxen")
	}
	if m.offen != 0 {
		b.wanted("offen")
	}
	if m.addr64 {
		b.wanted("addr64")
	}
	b.choice("offset", b.k.number10("offset"), 0)
	if f.data == bufFromLDS {
		f.ofLDS(b)
	}
	switch f.glc {
	case freeGLC:
		b.flags("glc")
	case 0:
		b.fix("glc", 0)
	case 1:
		b.fix("glc", 1)
		b.wanted("glc")
	}
	b.flags("slc")
	if f.tfe != 0 {
		b.wanted("tfe")
	}
	if f.glc == 1 {
		n := b.sig.result().words()
		b.add(isa.Arg{Name: "result", Kind: b.k.dataCells(n), At: bits.Ranges{}, Role: isa.Define, Width: 32 * n, Place: isa.Hidden})
	}
	if f.data == bufToLDS {
		f.ofLDS(b)
	}
}

// ofLDS adds the word lds of instructions that move data to or from local memory: in LLVM it is last in a load, and
// before glc in a store.
func (f bufForm) ofLDS(b *builder) {
	b.wanted("lds")
	b.touch(touch{hiddenM0, isa.Use})
}
