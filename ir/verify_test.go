package ir_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/irgen"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/num"
)

// Values that most bad blocks use.
const prelude = `block 0
mark 0 size 4
%x = get.i32 v[0]
%f = get.f32 v[0]
%e = get.i1 exec
%c = const.i32 8
%d = const.i32 16
%b = const.i1 1
`

// For every rule a block that breaks it, in the text form, and the expected violation.
var badText = []struct{ name, text, want string }{
	{"get after set", "set v[0], %x, %e\n%y = get.i32 v[0]\nend", "op 7: get: reads a cell after op 6 of the same mark has set one [commit]"},
	{"get after set of exec", "set exec, %b\n%y = get.i1 exec\nend", "op 7: get: reads a cell after op 6 of the same mark has set one [commit]"},
	{"getx after setlast", "setlast s[0], %x, %e\n%y = getx.i32 z[0 + %x], %e\nend", "op 7: getx: reads a cell after op 6 of the same mark has set one [commit]"},
	{"set before fault", "set v[0], %x, %e\n%y = load.i32 global[4] %c, %e\nend", "op 7: load: can fault after op 6 of the same mark had an effect [commit]"},
	{"set before check", "set v[0], %x, %e\ncheck load global[4] %c, %e\nend", "op 7: check: can fault after op 6 of the same mark had an effect [commit]"},
	{"set before setx that faults", "set v[0], %x, %e\nsetx v[0 + %x], %x, %e\nend", "op 7: setx: can fault after op 6 of the same mark had an effect [commit]"},
	{"store before load", "store global[4] %c, %x, %e\n%y = load.i32 global[4] %d, %e\nend", "op 7: load: can fault after op 6 of the same mark had an effect [commit]"},
	{"atomic before check", "%o = atomic.i32 global[4 add] %c, %x, %e\ncheck load global[4] %d, %e\nend", "op 7: check: can fault after op 6 of the same mark had an effect [commit]"},
	{"second fault", "%y = load.i32 global[4] %c, %e\n%z = load.i32 global[4] %d, %e\nend", "op 7: load: a second op that can fault, after op 6 of the same mark: check both first [fault]"},
	{"second fault, other mask checked", "check load global[4] %c, %e\n%y = load.i32 global[4] %c, %b\n%z = load.i32 global[4] %d, %e\nend", "op 8: load: a second op that can fault, after op 7"},
	{"second fault, smaller check", "check load global[4] %c, %e\n%y = load.i32 global[4] %d, %e\n%z:%w = load.i32 global[4 x 2] %c, %e\nend", "op 8: load: a second op that can fault"},
	{"second fault, less aligned check", "check load global[4] %c, %e\n%y = load.i32 global[4] %d, %e\n%z = load.i32 global[4 align 4] %c, %e\nend", "op 8: load: a second op that can fault"},
	{"second fault, wrong right", "check load global[4] %c, %e\ncheck load global[4] %d, %e\nstore global[4] %c, %x, %e\nstore global[4] %d, %x, %e\nend", "op 9: store: can fault after op 8"},
	{"second fault, getx", "%y = getx.i32 v[0 + %x], %e\n%z = getx.i32 v[1 + %x], %e\nend", "op 7: getx: a second op that can fault"},
	{"set without mask", "set v[0], %x\nend", "op 6: set: v[0] is one per lane: the mask is missing [mask]"},
	{"setx without mask", "setx z[0 + %x], %x\nend", "op 6: setx: z[0] is one per lane: the mask is missing [mask]"},
	{"getx without mask", "%y = getx.i32 z[0 + %x]\nend", "op 6: getx: z[0] is one per lane: the mask is missing [mask]"},
	{"store without mask", "store global[4] %c, %x\nend", "op 6: store: no mask, but an argument that is one per lane [mask]"},
	{"load without mask", "%y = load.i32 global[4] %x\nend", "op 6: load: no mask, but an argument that is one per lane [mask]"},
	{"atomic without mask", "%y = atomic.i32 global[4 add] %c, %x\nend", "op 6: atomic: no mask, but an argument that is one per lane [mask]"},
	{"check without mask", "check load global[4] %x\nend", "op 6: check: no mask, but an argument that is one per lane [mask]"},
	{"retire without mask", "retire 4", `9:1: retire: 0 arguments, rule is "i1 ->"`},
	{"setlast without mask", "setlast s[0], %c", `9:1: setlast: 1 arguments, rule is "t i1 ->"`},
	{"wave set with mask", "set s[0], %c, %e\nend", "op 6: set: s[0] takes no mask [mask]"},
	{"exec set with mask", "set exec, %b, %e\nend", "op 6: set: exec takes no mask [mask]"},
	{"float op without mode", "%y = fadd.f32 %f, %f\nend", "op 6: fadd: no float mode [mode]"},
	{"float mode on an integer op", "%y = iadd.i32 %x, %x {rne}\nend", "op 6: iadd: has a float mode, takes none [fields]"},
	{"wave cell from lanes", "set s[0], %x\nend", "op 6: set: s[0] is one per wave, an argument one per lane [scope]"},
	{"wave cell by a lane's index", "setx s[0 + %x], %c\nend", "op 6: setx: s[0] is one per wave, an argument one per lane [scope]"},
	{"wave cell read by a lane's index", "%y = getx.i32 s[0 + %x]\nend", "op 6: getx: s[0] is one per wave, an argument one per lane [scope]"},
	{"setlast of a lane cell", "setlast v[0], %x, %e\nend", "op 6: setlast: v[0] is one per lane [cell]"},
	{"value crosses a mark", "mark 4 size 4\n%y = not.i32 %x\nend", "op 6: not: argument 1, %0, is a value of an earlier mark [cross]"},
	{"constant crosses a mark", "mark 4 size 4\nset s[0], %c\nend", "op 6: set: argument 1, %3, is a value of an earlier mark [cross]"},
	{"ctl of another policy", "ctl reconverge %e, 8", "op 6: ctl: reconverge is no step of policy MaskStack [control]"},
	{"ctl with a target too many", "ctl join %e, 8", `9:14: ctl: a number too many`},
	{"ctl without target", "ctl call %e", `want a number`},
	{"ctlx of a step that has no target a lane", "%l:%h = mulwideu.i32 %x, %x\n%a = pack.i64 %l, %h\nctlx call %a, %e", "op 8: ctlx: call has no target for each lane [control]"},
	{"ctl of no kind", "ctl none %e", "op 6: ctl: none is no step of policy MaskStack [control]"},
	{"unlikely after an effect", "set v[0], %x, %e\nunlikely %e", "op 7: unlikely: follows op 6 of the same mark, which is an access or has an effect [commit]"},
	{"stable after an effect", "set v[0], %x, %e\nstable %x", "op 7: stable: follows op 6 of the same mark, which is an access or has an effect [commit]"},
	{"stable of a wide value", "%l:%h = mulwideu.i32 %x, %x\n%a = pack.i64 %l, %h\nstable %a\nend", "op 8: stable: a value of type i64, not i1 or i32"},
	{"ctl after an effect", "set v[0], %x, %e\nctl join %e", "op 7: ctl: may be refused after op 6 of the same mark had an effect: ctlcheck comes before it [commit]"},
	{"ctlx after an effect", "%l:%h = mulwideu.i32 %x, %x\n%a = pack.i64 %l, %h\nset v[0], %x, %e\nctlx diverge %a, %e", "op 9: ctlx: may be refused after op 8"},
	{"ctlcheck after an effect", "store global[4] %c, %x, %e\nctlcheck join %e\nctl join %e", "op 7: ctlcheck: can fault after op 6 of the same mark had an effect [commit]"},
	{"ctlcheck of another step", "ctlcheck break %e\nset v[0], %x, %e\nctl return %e", "op 8: ctl: op 6 checks another step [control]"},
	{"ctlcheck of other lanes", "ctlcheck break %b\nset v[0], %x, %e\nctl break %e", "op 8: ctl: op 6 checks another step [control]"},
	{"ctlcheck of one target", "%l:%h = mulwideu.i32 %x, %x\n%a = pack.i64 %l, %h\nctlcheck diverge %e\nctlx diverge %a, %e", "op 9: ctlx: op 8 checks another step [control]"},
	{"ctlcheck of no step", "ctlcheck join %e\nend", "op 7: end: op 6 checks another step [control]"},
	{"ctlcheck of a later step", "ctlcheck join %e\nmark 4 size 4\n%k = get.i1 exec\nctl join %k", "op 7: get: the mark before it checks a step with op 6 and does not end with it [control]"},
	{"ctlcheck twice", "ctlcheck join %e\nctlcheck join %e\nctl join %e", "op 7: ctlcheck: checks a second step, after op 6 of the same mark [control]"},
	{"ctlcheck of another policy", "ctlcheck reconverge %e\nctl join %e", "op 6: ctlcheck: reconverge is no step of policy MaskStack [control]"},
	{"ctlcheck with a target", "ctlcheck push %e, 8\nctl push %e, 8", "9:19: ctlcheck: a number too many"},
	{"no terminator", "%y = not.i32 %x", "op 6: not: the last op ends no block [end]"},
	{"terminator inside", "end\n%y = not.i32 %x\nend", "op 6: end: ends the block, but ops follow [end]"},
	{"no such cell", "%y = get.i32 v[16]\nend", "op 6: get: the machine has no cell 16 of file 0 [cell]"},
	{"cell of another width", "%y = get.i64 v[0]\nend", "op 6: get: v[0] is lane32, the type i64 [cell]"},
	{"flag as i32", "%y = get.i32 scc\nend", "op 6: get: scc is wave1, the type i32 [cell]"},
	{"indexed exec", "setx exec[0 + %c], %b, %e\nend", "op 6: setx: the execution mask has no index [cell]"},
	{"issue of no cell", "issue vm writes v[0] reads s[0], v[14] x 4\nend", "op 6: issue: 4 cells from 14 of file 0 up are not in the machine [cell]"},
	{"issue of nothing", "issue vm writes v[0] x 0\nend", "op 6: issue: 0 cells from 0 of file 0 up are not in the machine [cell]"},
	{"issue on no queue", "issue none\nend", `9:7: test has no queue "none"`},
	{"wait for some of an unordered queue", "wait slot, 1\nend", "op 6: wait: for at most 1 of slot: want 0 [queue]"},
	{"wait for more than there can be", "wait vm, 16\nend", "op 6: wait: for at most 16 of vm: want 0 to 15 [queue]"},
	{"element size", "%y = load.i32 global[3] %c, %e\nend", "op 6: load: an element of 3 bytes [memory]"},
	{"no elements", "store global[4 x 0] %c, %e\nend", "op 6: store: no elements [memory]"},
	{"alignment", "%y = load.i32 global[4 align 3] %c, %e\nend", "op 6: load: alignment 3 is no power of two [memory]"},
	{"no space", "%y = load.i32 none[4] %c, %e\nend", "op 6: load: the machine has no none space [memory]"},
	{"no such bank", "%y = load.i32 const:4[4] %c, %e\nend", "op 6: load: bank 4 of const space; the machine has 4 [memory]"},
	{"no such global bank", "store global:3[4] %c, %x, %e\nend", "op 6: store: bank 3 of global space; the machine has 3 [memory]"},
	{"a check of no bank", "check load flat:1[4] %c, %e\nend", "op 6: check: bank 1 of flat space; the machine has 1 [memory]"},
	{"store to constants", "store const[4] %c, %x, %e\nend", "op 6: store: writes const space [memory]"},
	{"wide element", "%y = load.i32 global[8] %c, %e\nend", "op 6: load: 8-byte elements as i32 [memory]"},
	{"narrow float", "%y = load.f32 global[2] %c, %e\nend", "op 6: load: 2-byte elements as f32 [memory]"},
	{"condition in memory", "%y = load.i1 global[1] %c, %e\nend", "op 6: load: 1-byte elements as i1 [memory]"},
	{"volatile store", "store global[4 volatile] %c, %x, %e\nend", "op 6: store: volatile, but no load [fields]"},
	{"signed store", "store global[2 signed] %c, %x, %e\nend", "op 6: store: signed, but nothing is extended [memory]"},
	{"load that names an atomic", "%y = load.i32 global[4 sub] %c, %e\nend", "op 6: load: not an atomic, but names the operation 1 [memory]"},
	{"atomic of a vector", "%y = atomic.i32 global[4 x 2 add] %c, %x, %e\nend", "op 6: atomic: atomics are on one element"},
	{"atomic without comparand", "%y = atomic.i32 global[4 cmpswap] %c, %x, %e\nend", "op 6: atomic: cmpswap: comparand given or missing [memory]"},
	{"atomic with comparand", "%y = atomic.i32 global[4 add] %c, %x, %x, %e\nend", "op 6: atomic: add: comparand given or missing [memory]"},
	{"texture after set", "set v[0], %x, %e\n%y:%z:%w:%a = tex implicit %f, %f, %f, %f, %c, %e\nend", "op 7: tex: can fault after op 6 of the same mark had an effect [commit]"},
	{"second texture", "%y:%z:%w:%a = tex zero %f, %f, %f, %f, %c, %e\n%g:%h:%i:%j = fetch.f32 %c, %c, %e\nend", "op 7: fetch: a second op that can fault, after op 6"},
	{"texture of integers", "%y:%z:%w:%a = tex bias %x, %f, %f, %f, %c, %e\nend", `9:15: tex: argument 1 is i32, rule is "f32 f32 f32 f32 i32 i1 -> f32 f32 f32 f32"`},
	{"texture without mask", "%y:%z:%w:%a = tex bias %f, %f, %f, %f, %c\nend", "9:15: tex: 5 arguments"},
	{"texture without level of detail", "%y:%z:%w:%a = tex %f, %f, %f, %f, %c, %e\nend", "level of detail"},
	{"halves from a stream", "%y:%z:%w:%a = fetch.f16 %x, %c, %e\nend", "op 6: fetch: components of 32 bits as f16 [type]"},
	{"input without mask", "%y = input.f32 flat 0, %c\nend", `input: 1 arguments, rule is "i32 f32? f32? i1 -> t*"`},
	{"offset without place", "%y = input.f32 linear 0, %c, %f, %f, %e\nend", "op 6: input: linear: offset given or missing [fields]"},
	{"place without offset", "%y = input.f32 linear offset 0, %c, %e\nend", "op 6: input: linear offset: offset given or missing [fields]"},
	{"half an offset", "%y = input.f32 linear offset 0, %c, %f, %e\nend", "op 6: input: linear offset: offset given or missing [fields]"},
	{"input of no kind", "%y = input.f32 wide 0, %c, %e\nend", `no interpolation is called "wide"`},
	{"halves from an input", "%y = input.f16 flat 0, %c, %e\nend", "op 6: input: components of 32 bits as f16 [type]"},
	{"input of nothing", "input.f32 flat 0 x 0, %c, %e\nend", "op 6: input: 0 components, want 1 to 4 [fields]"},
	{"second input, of another slot", "%y = input.f32 p0 0, %c, %e\n%z = input.f32 p10 0, %d, %e\nend", "op 7: input: a second op that can fault, after op 6 of the same mark: check both first [fault]"},
	{"second input, under another mask", "%y = input.f32 p0 0, %c, %e\n%z = input.f32 p10 0, %c, %b\nend", "op 7: input: a second op that can fault, after op 6"},
	{"input of a slot of an earlier mark", "%y = input.f32 p0 0, %c, %e\nmark 4 size 4\n%k = const.i32 8\n%m = get.i1 exec\n%l = load.i32 global[4] %k, %m\n%z = input.f32 p10 0, %k, %m\nend", "op 10: input: a second op that can fault"},
	{"output of five", "output 0 x 5, %c, %f, %f, %f, %f, %f, %e\nend", "op 6: output: 5 components, want 1 to 4 [fields]"},
	{"output that is less than it says", "output 0 x 2, %c, %f, %e\nend", "output: argument 3 is i1"},
	{"output after set", "set v[0], %x, %e\noutput 0, %c, %f, %e\nend", "op 7: output: can fault after op 6 of the same mark had an effect [commit]"},
	{"two outputs", "output 0, %c, %f, %e\noutput 1, %c, %f, %e\nend", "op 7: output: can fault after op 6 of the same mark had an effect [commit]"},
	{"probe without mask", "probe 1, %x\nend", `probe: argument 1 is i32, rule is "u* i1 ->"`},
	{"probe of two types", "probe 1, %x, %f, %e\nend", `probe: argument 2 is f32, rule is "u* i1 ->"`},
	{"probe of five", "probe 1, %x, %x, %x, %x, %x, %e\nend", "op 6: probe: 5 operands, at most 4 [fields]"},
	{"cast to another width", "%y = cast.i16 %x\nend", "op 6: cast: from 32 bits to 16 bits at bit 0 [type]"},
	{"trunc that widens", "%y = trunc.i64 %x\nend", "op 6: trunc: from 32 bits to 64 bits at bit 0 [type]"},
	{"zext that narrows", "%y = zext.i16 %x\nend", "op 6: zext: from 32 bits to 16 bits at bit 0 [type]"},
	{"sext to the same", "%y = sext.i32 %x\nend", "op 6: sext: from 32 bits to 32 bits at bit 0 [type]"},
	{"pack into the same", "%y = pack.i32 %x, %x\nend", "op 6: pack: from 32 bits to 32 bits at bit 0 [type]"},
	{"unpack into thirds", "%y:%z = unpack.i8 %x\nend", "op 6: unpack: from 32 bits to 8 bits at bit 0 [type]"},
	{"extract beyond", "%y = extract.i16 %x, 17\nend", "op 6: extract: from 32 bits to 16 bits at bit 17 [type]"},
	{"extract far beyond", "%y = extract.i16 %x, 0xffffffffffffffff\nend", "op 6: extract: from 32 bits to 16 bits at bit"},
	{"insert beyond", "%h = trunc.i16 %x\n%y = insert.i32 %x, %h, 17\nend", "op 7: insert: from 32 bits to 32 bits at bit 17 [type]"},
	{"wide constant", "%y = const.i8 0x100\nend", "op 6: const: 0x100 has more bits than i8 [fields]"},
	{"type of a ballot", "%y = ballot.i32 %e, %e\nend", "op 6: ballot: the type is i32, must be i64 [type]"},
	{"group of no size", "%y:%z = shuffle.i32 %x, %x, %e, 6\nend", "op 6: shuffle: groups of 6 lanes [fields]"},
	{"group of one lane", "%y:%z = shuffle.i32 %x, %x, %e, 1\nend", "op 6: shuffle: groups of 1 lanes [fields]"},
	{"group as large as a wave", "%y:%z = shuffle.i32 %x, %x, %e, 64\nend", "op 6: shuffle: groups of 64 lanes [fields]"},
	{"packed carry", "%p = cast.v2i16 %x\n%y:%z = addc %p, %p, %e\nend", `addc: argument 1 is v2i16, rule is "s s i1 -> s i1"`},
	{"packed floats as integers", "%p = cast.v2f16 %x\n%y = iadd %p, %p\nend", `iadd: argument 1 is v2f16, rule is "i i -> i"`},
	{"packed condition", "%p = cast.v2i16 %x\n%c2 = eq %p, %p\n%y = select.i32 %c2, %x, %x\nend", `select: argument 1 is v2i16, rule is "i1 t t -> t"`},
	{"barrier of too high a number", "barrier 4, 768", "op 6: barrier: barrier 768, the highest is 255, or with what waves do there 767 [fields]"},
	{"barrier for lanes that differ", "barrier %x, 4", `barrier: 1 arguments, rule is "i32w? ->"`},
	{"trap without reason", "trap none \"\"", "op 6: trap: no such reason: 0 [fields]"},
	{"mark after the end", "end\nmark 4 size 4", "block: the last mark begins at op 7, the block has 7 [marks]"},
}

// Errors of serial blocks.
var badSerial = []struct{ name, text, want string }{
	{"serial load", "%y = load.i32 global[4] %c, %e\nend", "op 6: load: touches more than cells [serial]"},
	{"serial output", "output 0, %c, %f, %e\nend", "op 6: output: touches more than cells [serial]"},
	{"serial fault", "%y = getx.i32 v[0 + %x], %e\nend", "op 6: getx: can fault [serial]"},
	{"serial exec", "set exec, %b\nend", "op 6: set: sets the execution mask [serial]"},
	{"serial branch", "branch %b, 4, 8", "op 6: branch: depends on a value of one lane's turn [serial]"},
	{"two serial instructions", "mark 4 size 4\nend", "block: a serial block of 2 marks, want one [serial]"},
}

func TestVerifySerial(t *testing.T) {
	m := irgen.Machine()
	head := strings.Replace(prelude, "block 0", "block 0 serial", 1)
	for _, tt := range badSerial {
		b, err := ir.Parse(m, head+tt.text)
		if err == nil {
			err = ir.Verify(m, b)
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
	b, err := ir.Parse(m, head+"setlast s[0], %x, %e\nsetx z[0 + %x], %x, %e\nend")
	if err != nil || !b.Serial || ir.Verify(m, b) != nil {
		t.Errorf("a good one: %v %v", err, ir.Verify(m, b))
	}
	m.Files[4].Kind = ir.Lane1
	if err := ir.Verify(m, b); err == nil || !strings.Contains(err.Error(), "without an execution mask [serial]") {
		t.Errorf("without an execution mask: %v", err)
	}
}

func TestVerifyText(t *testing.T) {
	m := irgen.Machine()
	for _, tt := range badText {
		b, err := ir.Parse(m, prelude+tt.text)
		if err == nil {
			err = ir.Verify(m, b)
		}
		if err == nil {
			t.Errorf("%s: verifies", tt.name)
		} else if !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s:\n got %v\nwant %s", tt.name, err, tt.want)
		}
	}
}

// Errors that the text form cannot express: each modifies a good block.
var badHand = []struct {
	name  string
	spoil func(b *ir.Block)
	want  string
}{
	{"no ops", func(b *ir.Block) { b.Ops = nil }, "block: no ops [end]"},
	{"no marks", func(b *ir.Block) { b.Marks = nil }, "block: the first op is in no mark [marks]"},
	{"late mark", func(b *ir.Block) { b.Marks[0].Op = 1 }, "block: the first op is in no mark [marks]"},
	{"marks out of order", func(b *ir.Block) { b.Marks[1].Op, b.Marks[2].Op = b.Marks[2].Op, b.Marks[1].Op }, "before mark 1 [marks]"},
	{"wrong next", func(b *ir.Block) { b.Next++ }, "the last mark ends at 0xc [marks]"},
	{"wrong place", func(b *ir.Block) { b.Key.PC = 4 }, "the block is at 0x4, its first mark at 0x0 [marks]"},
	{"strange mode", func(b *ir.Block) { b.Key.Mode = 0x100 }, "mode bits 0x100 are not in the machine's mode mask [mode]"},
	{"no such op", func(b *ir.Block) { b.Ops[2].Op = 9999 }, "op 2: op?: no such op: 9999 [type]"},
	{"use before definition", func(b *ir.Block) { b.Ops[1].Args[0] = 3 }, "op 1: iadd: argument 1, %3, is not defined before it [order]"},
	{"own result", func(b *ir.Block) { b.Ops[1].Args[0] = b.Ops[1].Res }, "op 1: iadd: argument 1, %1, is not defined before it [order]"},
	{"negative value", func(b *ir.Block) { b.Ops[1].Args[0] = -1 }, "is not defined before it [order]"},
	{"type of an argument", func(b *ir.Block) { b.Ops[1].Type = ir.I64 }, `op 1: iadd: argument 1 is i32, rule is "i i -> i" [type]`},
	{"number of results", func(b *ir.Block) { b.Ops[0].NRes = 2 }, "op 0: get: results are %0 and 2 in all, must be %0 and 1 [order]"},
	{"number of a result", func(b *ir.Block) { b.Ops[0].Res = 5 }, "op 0: get: results are %5 and 1 in all, must be %0 and 1 [order]"},
	{"described value", func(b *ir.Block) { b.Vals[1].Type = ir.F32 }, "op 1: iadd: %1 is described as f32, must be i32 [type]"},
	{"described scope", func(b *ir.Block) { b.Vals[1].Wave = true }, "op 1: iadd: %1 is described as i32w, must be i32 [type]"},
	{"too many values", func(b *ir.Block) { b.Vals = append(b.Vals, ir.ValInfo{}) }, "block: 6 values are described, 5 defined [order]"},
	{"once per wave", func(b *ir.Block) { b.Ops[1].Wave = true }, "op 1: iadd: wave is true, must be false [scope]"},
	{"once per lane", func(b *ir.Block) { b.Ops[4].Wave = false }, "op 4: const: wave is false, must be true [scope]"},
	{"imm", func(b *ir.Block) { b.Ops[1].Imm = 1 }, "op 1: iadd: has Imm 0x1, takes none [fields]"},
	{"alt", func(b *ir.Block) { b.Ops[1].Alt = 1 }, "op 1: iadd: has Alt 0x1, takes none [fields]"},
	{"text", func(b *ir.Block) { b.Why = "x" }, "block: says why it traps, ends in none [fields]"},
	{"alt of a jump", func(b *ir.Block) { b.Ops[len(b.Ops)-1] = ir.Inst{Op: ir.Jump, Alt: 2, Res: 5} }, "has Alt 0x2, takes none [fields]"},
	{"memory", func(b *ir.Block) { b.Ops[1].Mem.Elem = 4 }, "op 1: iadd: has memory attributes, takes none [fields]"},
	{"cell", func(b *ir.Block) { b.Ops[1].Cell.Index = 4 }, "op 1: iadd: has a cell, takes none [fields]"},
	{"input", func(b *ir.Block) { b.Ops[1].IO.Count = 1 }, "op 1: iadd: has attributes of input and output, takes none [fields]"},
	{"output that is interpolated", func(b *ir.Block) {
		b.Ops[5] = ir.Inst{Op: ir.Output, Type: ir.I32, Res: 4, Args: []ir.Val{3, 3, 4}, IO: ir.IOAttr{Count: 1, How: ir.HowLinear | ir.AtSample}}
	}, "op 5: output: "},
	{"level of detail", func(b *ir.Block) { b.Ops[1].Img.Lod = ir.LodBias }, "op 1: iadd: has image attributes, takes none [fields]"},
	{"image", func(b *ir.Block) { b.Ops[1].Img.Words = 1 }, "op 1: iadd: has image attributes, takes none [fields]"},
	{"mode", func(b *ir.Block) { b.Ops[1].Mode = num.ModeSet }, "op 1: iadd: has a float mode, takes none [fields]"},
	{"special function", func(b *ir.Block) {
		b.Ops[1] = ir.Inst{Op: ir.SFU, Type: ir.I32, Imm: 99, Res: 1, NRes: 1, Args: []ir.Val{0}}
	}, "op 1: sfu: no such special function: 99 [fields]"},
	{"output of no type and nothing", func(b *ir.Block) {
		b.Ops[5] = ir.Inst{Op: ir.Output, Type: 12, Res: 4, Args: []ir.Val{3, 3}}
	}, "op 5: output: "},
	{"store of no type and nothing", func(b *ir.Block) {
		b.Ops[5] = ir.Inst{Op: ir.Store, Type: 13, Wave: true, Res: 4, Args: []ir.Val{3}, Mem: ir.Mem{Space: ir.GlobalSpace, Elem: 4}}
	}, "op 5: store: no elements [memory]"},
	{"queue", func(b *ir.Block) { b.Ops[5] = ir.Inst{Op: ir.Wait, Imm: 2, Res: 4} }, "op 5: wait: the machine has no queue 2 [queue]"},
	{"spans", func(b *ir.Block) { b.Ops[5] = ir.Inst{Op: ir.Issue, Alt: 1 << 16, Res: 4} }, "op 5: issue: names spans that the block does not have [fields]"},
	{"check of nothing", func(b *ir.Block) {
		b.Ops[5] = ir.Inst{Op: ir.Check, Imm: 2, Wave: true, Res: 4, Args: []ir.Val{3}, Mem: ir.Mem{Space: ir.GlobalSpace, Elem: 4, Count: 1}}
	}, "op 5: check: Imm 2 is neither 0 (load) nor 1 (store) [fields]"},
	{"atomic operation", func(b *ir.Block) {
		b.Ops[5] = ir.Inst{Op: ir.AtomicRMW, Type: ir.I32, Wave: true, Res: 4, NRes: 1, Args: []ir.Val{3, 3},
			Mem: ir.Mem{Space: ir.GlobalSpace, Elem: 4, Count: 1, Atomic: 99}}
		b.Vals = append(b.Vals, ir.ValInfo{Type: ir.I32, Wave: true})
	}, "op 5: atomic: no such atomic operation: 99 [memory]"},
}

const good = `block 0
mark 0 size 4
%0 = get.i32 v[1]
%1 = iadd.i32 %0, %0
%2 = get.i1 exec
set v[0], %1, %2
mark 4 size 4
%3w = const.i32 7
set s[0], %3w
mark 8 size 4
%4 = live.i1
end
`

func TestVerifyHand(t *testing.T) {
	m := irgen.Machine()
	for _, tt := range badHand {
		b, err := ir.Parse(m, good)
		if err != nil {
			t.Fatal(err)
		}
		if err := ir.Verify(m, b); err != nil {
			t.Fatalf("the good block: %v", err)
		}
		tt.spoil(b)
		if err = ir.Verify(m, b); err == nil {
			t.Errorf("%s: verifies", tt.name)
		} else if !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s:\n got %v\nwant %s", tt.name, err, tt.want)
		}
	}
}

// Good blocks that an overly strict verifier would reject.
var goodText = []struct{ name, text string }{
	{"inputs of one slot and mask", "%y = input.f32 p0 0, %c, %e\n%z = input.f32 p10 0, %c, %e\n%a = input.f32 p20 1, %c, %e\nset v[0], %y, %e\nend"},
	{"two addresses, both checked", "check store group[4] %c, %e\ncheck store group[4] %d, %e\nstore group[4] %c, %x, %e\nstore group[4] %d, %x, %e\nend"},
	{"two loads, both checked", "check load group[8 align 8] %c, %e\ncheck load group[4] %d, %e\n%y = load.i32 group[4 align 4] %c, %e\n%z = load.i32 group[4] %d, %e\nset v[0], %y, %e\nset v[1], %z, %e\nend"},
	{"two atomics, both checked", "check load group[4] %c, %e\ncheck store group[4] %c, %e\ncheck load group[4] %d, %e\ncheck store group[4] %d, %e\n%y = atomic.i32 group[4 swap] %c, %x, %e\n%z = atomic.i32 group[4 swap] %d, %x, %e\nend"},
	{"load, then effects", "%y = load.i32 global[4] %x, %e\nset v[0], %y, %e\nset s[0], %c\nend"},
	{"set, then faults in the next mark", "set v[0], %x, %e\nmark 4 size 4\n%k = const.i32 0\n%y = load.i32 global[4] %k\nend"},
	{"wave cells by a lane's index", "%y = getx.i32 s[0 + %x], %e\nsetx s[0 + %x], %y, %e\nset v[0], %y, %e\nend"},
	{"indices that cannot fault", "setx z[0 + %x], %x, %e\nsetx s[0 + %c], %c\nset v[0], %x, %e\nend"},
	{"index that faults, first", "setx v[0 + %x], %x, %e\nset v[0], %x, %e\nend"},
	{"lanes from a wave value", "set v[0], %c, %b\nset exec, %b\nend"},
	{"instruction without ops", "mark 4 size 4\nmark 8 size 4\nend"},
	{"ctl of the policy", "ctl push %e, 8"},
	{"ctl checked before effects", "ctlcheck break %e\n%y = load.i32 global[4] %c, %e\nset v[0], %y, %e\nctl break %e"},
	{"ctl checked after a check", "check store global[4] %c, %e\nctlcheck join %e\nstore global[4] %c, %x, %e\nctl join %e"},
	{"ctl after effects of other marks", "set v[0], %x, %e\nmark 4 size 4\n%k = get.i1 exec\nctl join %k"},
}

func TestVerifyGood(t *testing.T) {
	m := irgen.Machine()
	for _, tt := range goodText {
		b, err := ir.Parse(m, prelude+tt.text)
		if err == nil {
			err = ir.Verify(m, b)
		}
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func TestVerifyOptimised(t *testing.T) {
	m := irgen.Machine()
	b, err := ir.Parse(m, prelude+"mark 4 size 4\n%y = not.i32 %x\nset v[1], %y, %e\nend")
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.VerifyOptimised(m, b); err != nil {
		t.Error(err)
	}
	err = ir.Verify(m, b)
	var v *ir.Violation
	if !errors.As(err, &v) || v.Rule != ir.RuleCross || v.Index != 6 || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("got %v, want two violations of %s", err, ir.RuleCross)
	}
}

// TestVerifySpoiled: whatever is done to a block, Verify returns without a panic, and the block can be printed.
// Most modifications are found.
func TestVerifySpoiled(t *testing.T) {
	m := irgen.Machine()
	refused := 0
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 3))
		b := irgen.Block(r, m, irgen.Options{Marks: 2, Ops: 4, Memory: windows, Control: true})
		for range 1 + r.IntN(3) {
			spoil(r, b)
		}
		if ir.Verify(m, b) != nil {
			refused++
		}
		if text := ir.Print(m, b); len(text) == 0 {
			t.Errorf("seed %d: nothing is printed", seed)
		}
	}
	if refused < 1500 {
		t.Errorf("%d of 3000 blocks were refused", refused)
	}
}

func spoil(r *rand.Rand, b *ir.Block) {
	in := &b.Ops[r.IntN(len(b.Ops))]
	switch r.IntN(9) {
	case 0:
		in.Op = ir.Op(r.IntN(ir.Ops() + 3))
	case 1:
		in.Type = ir.Type(r.IntN(14))
	case 2:
		in.Res += ir.Val(r.IntN(3) - 1)
	case 3:
		in.NRes = uint8(r.IntN(4))
	case 4:
		in.Cell = ir.Cell{File: uint8(r.IntN(9)), Index: uint16(r.IntN(20))}
	case 5:
		in.Mem = ir.Mem{Space: ir.SpaceID(r.IntN(9)), Elem: uint8(r.IntN(9)), Count: uint8(r.IntN(4)), Atomic: uint8(r.IntN(25))}
	case 6:
		in.Args = in.Args[:r.IntN(len(in.Args)+1)]
	case 7:
		in.Args = append(in.Args, ir.Val(r.IntN(len(b.Vals)+2)-1))
	case 8:
		b.Vals = b.Vals[:r.IntN(len(b.Vals)+1)]
	}
}
