package rogue

import (
	"strconv"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

// The header and the instruction of a control group are one part. docs/reference/rogue.md 2.

var controlOnly = []uint8{group.Control}

// Control instructions by code.
const (
	ctrlBranch = 0
	ctrlLAPC   = 1
	ctrlSAVL   = 2
	ctrlCND    = 3
	ctrlWOP    = 4
	ctrlWDF    = 5
	ctrlMutex  = 6
	ctrlNOP    = 7
	ctrlITRSMP = 8
	ctrlSBO    = 11
	ctrlDITR   = 12
	ctrlBPRET  = 13 // not the hardware's: its code is not public
)

// headerArgs are the fields of all headers.
func headerArgs(cc bits.Ranges) []isa.Arg {
	return []isa.Arg{hidden(nameDA, span(0, 7, 4)), hidden(nameLength, span(0, 3, 0)), hidden(nameOlchk, bit(1, 3)), hidden(nameW1, bit(1, 2)), hidden(nameW0, bit(1, 1)), hidden(nameCC, cc)}
}

// longCC is the condition of a header of three bytes.
func longCC() bits.Ranges { return several(bit(1, 0), bit(2, 0)) }

// control completes a row of a control instruction with n bytes after its header.
func control(r row, op uint64, misc bool, n int, args ...isa.Arg) row {
	r.classes, r.layout.bytes = controlOnly, 3+n
	r.fix = append([]isa.Fixed{holds(1, 7, 7, 1), holds(1, 6, 4, 0), holds(2, 6, 5, 3), holds(2, 4, 1, op)}, r.fix...)
	r.args = headerArgs(longCC())
	if !misc { // a bit that other control instructions use
		r.args = append(r.args, isa.Arg{Name: "miscctl", Kind: flag("misc"), At: bit(2, 7), Place: isa.Suffix})
	}
	r.args = append(r.args, args...)
	return r
}

// flowRows are branches and other control of the task. docs/reference/rogue.md 5.8.
func flowRows() (rows []row) {
	where := dotted("a branch condition", "- allinst anyinst ?")
	also(where, 1, ".allp")
	for _, x := range [...]struct {
		name, entry    string
		absolute, link uint64
	}{{"br", "BR", 0, 0}, {"br", "BRL", 0, 1}, {"ba", "BA", 1, 0}, {"ba", "BAL", 1, 1}} {
		args := []isa.Arg{suffix(nameBPred, span(3, 3, 2), where)}
		r := row{name: x.name, entry: x.entry, layout: layout{name: "branch"}, fix: []isa.Fixed{holds(3, 7, 5, 0), holds(3, 4, 4, x.link), holds(3, 1, 1, x.absolute), holds(3, 0, 0, 0), holds(4, 0, 0, 0)},
			mean: isa.Effect(jump(x.link != 0)), doc: "the task goes on elsewhere", ref: "5.8", options: []string{choiceBranch}}
		if x.link != 0 {
			args = append(args, must("link"))
			r.also, r.spell, r.doc = []string{x.name + "l"}, []string{Seed: x.name + "l"}, r.doc+"; the link address is that of the next group"
		}
		to := distance
		if x.absolute != 0 {
			to = address
		} else {
			r.options = append(r.options, choiceDistance)
		}
		rows = append(rows, control(r, ctrlBranch, false, 5, append(args, operand(nameOffset, several(span(4, 7, 1), span(5, 7, 0), span(6, 7, 0), span(7, 7, 0)), to()))...))
	}
	id := operand(nameID, span(3, 3, 0), number("a mutex", numeral{low: 0, high: numMutex - 1}))
	target := suffix(nameTarget, bit(3, 0), dotted("a bank", "coeff shared"))
	offset := operand(nameOffset, several(span(3, 7, 1), bit(4, 0)), number("an offset", numeral{low: 0, high: 255}))
	rows = append(rows,
		control(row{name: "lapc", entry: "LAPC", layout: layout{name: "lapc"}, mean: isa.Effect(jumpLink), doc: "the task goes on at the link address", ref: "5.8"}, ctrlLAPC, false, 0),
		control(row{name: "savl", entry: "SAVL", layout: layout{name: "savl"}, reads: writeW0, mean: isa.Effect(saveLink), doc: "w0 = the link address in units of 16 bits", ref: "5.8"}, ctrlSAVL, false, 0, word("w0")),
		control(row{name: "wop", layout: layout{name: "wop"}, mean: isa.Effect(nothing), doc: "wait for outstanding output", ref: "5.8"}, ctrlWOP, false, 0),
		control(row{name: "wdf", entry: "WDF", layout: layout{name: "wdf"}, mean: isa.Effect(waitFence), doc: "wait for a data fence", ref: "5.8"}, ctrlWDF, true, 0, operand(nameDRC, bit(2, 7), drcs)),
		control(row{name: "mutex", layout: layout{name: "mutex"}, fix: []isa.Fixed{holds(3, 5, 4, 0)}, mean: isa.Effect(mutex), doc: "lock or release a mutex of the cluster", ref: "5.8", options: []string{choiceMutex}}, ctrlMutex, false, 1,
			suffix(nameOp, span(3, 7, 6), dotted("an operation", "release release.sleep release.wakeup lock")), id),
		control(row{name: "nop", layout: layout{name: "nop"}, fix: []isa.Fixed{holds(3, 7, 0, 0), holds(2, 7, 7, 0)}, mean: isa.Effect(nothing), doc: "nothing", ref: "5.8"}, ctrlNOP, true, 1),
		control(row{name: "nop.end", layout: layout{name: "nop"}, fix: []isa.Fixed{holds(3, 7, 0, 0), holds(2, 7, 7, 1)}, mean: isa.Effect(endTask), doc: "the program ends", ref: "5.8"}, ctrlNOP, true, 1),
		control(row{name: "sbo", entry: "SBO", layout: layout{name: "sbo"}, fix: []isa.Fixed{holds(4, 7, 1, 0)}, mean: isa.Effect(setBase), doc: "numbers of coefficients or shared registers count from elsewhere", ref: "5.8", options: []string{choiceBase}}, ctrlSBO, false, 2, target, offset))
	return append(rows, conditionRows()...)
}

// conditionRows are the instructions of the mask counter. docs/reference/rogue.md 5.9.
func conditionRows() (rows []row) {
	cond := func() *isa.Kind {
		k := words("a condition", ".if(1)", ".if(p0)", ".if(0)", ".if(!p0)")
		return k
	}
	idle := words("a condition", "", ".if(p0)", ".if(0)", ".if(!p0)")
	also(idle, 0, ".if(1)")
	pcnd, never := suffix(namePCnd, span(3, 4, 3), cond()), suffix(namePCnd, span(3, 4, 3), idle)
	adjust := operand(nameAdjust, span(3, 6, 5), number("an adjustment", numeral{low: 0, high: 3}))
	none := ignored(nameAdjust, span(3, 6, 5))
	pe, w0, s0 := word("pe"), word("w0"), source(0)
	for _, x := range [...]struct {
		name, entry string
		code        uint64
		uses        uint8
		args        []isa.Arg
		mean        isa.Effect
		doc         string
	}{
		{"cndst", "CNDST", 0, 1, []isa.Arg{pcnd, pe, w0, s0, adjust}, condStart, "a block begins for instances whose condition holds"},
		{"cndef", "CNDEF", 1, 1, []isa.Arg{pcnd, pe, w0, s0, adjust}, condElse, "the other branch of a block begins"},
		{"cndsm", "CNDSM", 2, 5, []isa.Arg{pcnd, none, pe, w0, s0, source(2)}, condSet, "the counter is set where the condition holds"},
		{"cndlt", "CNDLT", 3, 1, []isa.Arg{pcnd, pe, w0, word("p0"), s0, adjust}, condLoop, "a loop goes on while the condition holds for an instance"},
		{"cndend", "CNDEND", 4, 1, []isa.Arg{never, pe, w0, s0, adjust}, condEnd, "a block ends"},
		{"cndsetl.b", "CNDSETL", 5, 5, []isa.Arg{never, none, pe, w0, s0, source(2)}, condCall, "instances that call the first instance's address stay, the others wait"},
		{"cndlpc", "CNDLPC", 6, 1, []isa.Arg{never, none, pe, w0, s0}, condCalled, "those that called are done, those that wait are next"},
		{"cndsetl.a", "CNDSETL", 7, 5, []isa.Arg{never, none, pe, w0, s0, source(2)}, condCallLook, "the address that the first instance calls is looked for"},
	} {
		r := row{name: x.name, entry: x.entry, layout: layout{name: "cnd"}, fix: []isa.Fixed{holds(3, 7, 7, 0), holds(3, 2, 0, x.code)}, uses: x.uses, reads: writeW0, mean: x.mean, doc: x.doc, ref: "5.9"}
		switch x.code {
		case 3:
			r.reads |= writeP0
		case 5:
			r.options = []string{choiceLink}
		}
		rows = append(rows, control(r, ctrlCND, false, 1, x.args...))
	}
	return rows
}

// iterateRows iterate coordinates, and sample at them. docs/reference/rogue.md 5.7.
func iterateRows() (rows []row) {
	mode3, mode1 := dotted("a sample position", "pixel sample centroid ?"), dotted("a sample position", "pixel sample")
	sched := dotted("a scheduling", "- schedswap schedwdf ?")
	index := &isa.Kind{Name: "an index register", Reserved: []bool{3: true}}
	dest := func(b int) isa.Arg { return operand(nameDst, span(b, 7, 0), tempKind()) }
	coeff := func(n isa.Name, b int, i isa.Name, at bits.Ranges) isa.Arg {
		a := operand(n, span(b, 7, 2), fourKind("cf", len(at) > 0))
		if len(at) > 0 {
			a.Parts = []isa.Part{{Name: names[i], At: at, Kind: index}}
		}
		return a
	}
	count := number("a number of values", numeral{low: 1, high: 16, zero: 16})
	for code, name := range [...]string{"ditr", "ditrp", "ditrp.write", "ditrp.read"} {
		r := row{name: name, entry: "DITR", layout: layout{name: "ditr"}, fix: []isa.Fixed{holds(4, 1, 0, uint64(code)), holds(7, 7, 7, 0), holds(7, 5, 4, 0)}, mean: isa.Effect(iterateDirect(uint64(code))), doc: "registers = values of coefficient sets at the pixel", ref: "5.7", options: []string{choiceCoefficients}}
		if code != linear {
			r.options = append(r.options, choicePerspective)
		}
		args := []isa.Arg{on(nameSat, bit(7, 0), "sat"), on(nameF16, bit(7, 6), "f16"), suffix(nameMode, span(5, 1, 0), mode3), suffix(nameSched, span(7, 3, 2), sched), dest(3), operand(nameDRC, bit(7, 1), drcs),
			coeff(nameCoeff, 4, nameIdxCoeff, span(6, 3, 2))}
		if code == 1 || code == 2 {
			args = append(args, coeff(nameWCoeff, 5, nameIdxW, span(6, 1, 0)))
		} else {
			args = append(args, ignored(nameWCoeff, span(5, 7, 2)), ignored(nameIdxW, span(6, 1, 0)))
		}
		rows = append(rows, control(r, ctrlDITR, false, 5, append(args, operand(nameCount, span(6, 7, 4), count))...))
	}
	perspective := operand(namePersp, span(4, 1, 0), number("a perspective control", numeral{low: 0, high: 3}))
	channels := operand(nameChan, span(8, 3, 2), number("a number of channels", numeral{low: 1, high: 4, minus: 1}))
	times := operand(nameCount, span(9, 6, 3), count)
	for dim := 1; dim <= 3; dim++ {
		text := strconv.Itoa(dim) + "d"
		for form, struc := range [...]string{"itrsmp", "itrsmp_ext", "itrsmp_ext2"} {
			r := row{name: "itrsmp." + text, spell: []string{Seed: "itrsmp" + text, Mesa24: "itrsmp" + text}, also: []string{"itrsmp" + text, "itrsm" + text}, entry: "ITRSMP", layout: layout{name: struc}, doc: "registers = a sample at iterated coordinates", ref: "5.7", options: []string{choiceTexture, choiceSamples, choiceCoefficients, choicePerspective}}
			r.fix = [][]isa.Fixed{{holds(8, 7, 7, 0)}, {holds(8, 7, 7, 1), holds(9, 7, 7, 0), holds(9, 1, 0, 0)}, {holds(8, 7, 7, 1), holds(9, 7, 7, 1), holds(9, 1, 0, 0), holds(10, 7, 5, 0)}}[form]
			r.fix, r.mean = append(r.fix, holds(6, 1, 0, uint64(dim))), isa.Effect(iterateSample(dim))
			mode := suffix(nameMode, bit(5, 0), mode1)
			var idxC, idxW bits.Ranges
			if form == 2 {
				mode, idxC, idxW = suffix(nameMode, several(bit(5, 0), bit(10, 0)), mode3), span(10, 4, 3), span(10, 2, 1)
			}
			args := []isa.Arg{mode, on(nameSat, bit(7, 0), "sat"), on(nameProj, bit(7, 1), "proj"), on(nameFCNorm, bit(8, 0), "fcnorm"), on(nameNNCoords, bit(8, 1), "nncoords"), suffix(nameSched, span(8, 5, 4), sched), on(nameF16, bit(8, 6), "f16")}
			if form > 0 {
				args = append(args, on(nameComparison, bit(9, 2), "comparison"))
				r.options = append(r.options, choiceOrder)
			}
			args = append(args, dest(3), perspective, operand(nameDRC, bit(5, 1), drcs), coeff(nameCoeff, 4, nameIdxCoeff, idxC), operand(nameTexture, span(5, 7, 2), fourKind("sh", false)), operand(nameSampler, span(6, 7, 2), fourKind("sh", false)), channels)
			if form > 0 {
				args = append(args, times)
			}
			args = append(args, coeff(nameWCoeff, 7, nameIdxW, idxW))
			rows = append(rows, control(r, ctrlITRSMP, false, [...]int{6, 7, 8}[form], args...))
		}
	}
	return rows
}
