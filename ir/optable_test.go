package ir_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/ir"
)

func TestOpRows(t *testing.T) {
	names := map[string]ir.Op{}
	for op := range ir.Op(ir.Ops()) {
		info := op.Info()
		if !regexp.MustCompile(`^[a-z][a-z0-9]*$`).MatchString(info.Name) || op.String() != info.Name {
			t.Errorf("op %d: name %q", op, info.Name)
		}
		if other, dup := names[info.Name]; dup {
			t.Errorf("%s: also the name of op %d", op, other)
		}
		names[info.Name] = op
		if info.Class < ir.Pure || info.Class > ir.Ctl {
			t.Errorf("%s: no class", op)
		}
		if info.Scope == 0 || info.Scope > ir.InCells {
			t.Errorf("%s: no scope", op)
		}
		if info.Shadow == ir.ShadowNone || info.Shadow > ir.AlwaysDefined {
			t.Errorf("%s: no shadow rule", op)
		}
		if info.Fidelity == ir.FidelityUnset || info.Fidelity > ir.NotRunnable {
			t.Errorf("%s: no fidelity", op)
		}
		if info.Fidelity == ir.Modelled && !strings.Contains(info.Doc, "(option ") {
			t.Errorf("%s: modelled, but its doc names no option", op)
		}
		if len(info.Doc) < 3 || !strings.HasSuffix(info.Doc, ".") {
			t.Errorf("%s: doc %q is no sentence", op, info.Doc)
		}
		checkMeaning(t, op)
		checkFlags(t, op)
	}
}

// checkMeaning compares the shape of the meaning's function type with the type rule.
func checkMeaning(t *testing.T, op ir.Op) {
	info := op.Info()
	if want := info.Class == ir.Pure && op != ir.Const || info.Class == ir.Cross; (info.Meaning != nil) != want {
		t.Errorf("%s: has a meaning is %t, want %t", op, info.Meaning != nil, want)
	}
	if info.Meaning == nil {
		return
	}
	args, res := op.Slots()
	typ := reflect.TypeOf(info.Meaning)
	if _, wave := info.Meaning.(ir.WaveFn); wave != (info.Class == ir.Cross) {
		t.Errorf("%s: %s in the wrong class", op, typ)
	} else if wave {
		return
	}
	values := 0 // the arguments of the function that are operands: the last ones, all uint64
	for i := typ.NumIn(); i > 0 && typ.In(i-1).Kind() == reflect.Uint64; i-- {
		values++
	}
	if typ.In(1).Kind() == reflect.Int && typ.NumIn() > 3 && info.Flags&ir.HasImm != 0 {
		values-- // imm
	}
	if values != len(args) || typ.NumOut() != len(res) {
		t.Errorf("%s: %s does not fit the rule %q", op, typ, info.Rule)
	}
	hasMode := false
	for i := range typ.NumIn() {
		hasMode = hasMode || typ.In(i).Name() == "Mode"
	}
	if hasMode != (info.Flags&ir.HasMode != 0) {
		t.Errorf("%s: %s, but HasMode is %t", op, typ, !hasMode)
	}
}

// checkFlags compares the flags with the type rule.
func checkFlags(t *testing.T, op ir.Op) {
	info := op.Info()
	args, res := op.Slots()
	if info.Flags&ir.Commutes != 0 && (len(args) < 2 || args[0] != args[1]) {
		t.Errorf("%s: commutes, rule is %q", op, info.Rule)
	}
	if info.Flags&ir.Masked != 0 && (len(args) == 0 || args[len(args)-1].Type != ir.I1) {
		t.Errorf("%s: masked, rule is %q", op, info.Rule)
	}
	if pure := info.Class == ir.Pure || info.Class == ir.Cross; pure && (len(res) == 0 || info.Flags&(ir.Masked|ir.CanFault) != 0) {
		t.Errorf("%s: pure, but without result, masked or faulting", op)
	}
	for _, s := range append(args[:len(args):len(args)], res...) {
		if (s.Letter == 'f' || s.Letter == 'h') && info.Flags&ir.HasMode == 0 && op != ir.FNeg && op != ir.FAbs {
			t.Errorf("%s: a float op without mode", op)
		}
	}
}

func TestSlots(t *testing.T) {
	args, res := ir.Shuffle.Slots()
	if len(args) != 3 || args[0].Letter != 't' || args[1].Type != ir.I32 || len(res) != 2 || res[0].Side != 'v' || res[1].Type != ir.I1 {
		t.Errorf("shuffle: %+v, %+v", args, res)
	}
	args, res = ir.Load.Slots()
	if !args[0].Second() || !args[1].Opt || !res[0].Rep {
		t.Errorf("load: %+v, %+v", args, res)
	}
	accepts := func(s ir.Slot) (n int) {
		for typ := range ir.Type(20) {
			if s.Accepts(typ) {
				n++
			}
		}
		return n
	}
	for letter, want := range map[byte]int{'s': 4, 'j': 4, 'k': 5, 'h': 3, 'g': 3, 'i': 6, 'b': 7, 'f': 4, 'c': 3, 't': 11, 'u': 11} {
		if got := accepts(ir.Slot{Letter: letter}); got != want {
			t.Errorf("%c accepts %d types, want %d", letter, got, want)
		}
	}
}

// TestMethods: each pure and cross-lane op is appended by some function of the builder's files.
func TestMethods(t *testing.T) {
	used := map[string]bool{}
	for _, file := range []string{"values.go", "builder.go", "build_mem.go", "control.go", "texture.go", "image.go", "io.go"} {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				used[id.Name] = true
			}
			return true
		})
	}
	f, err := parser.ParseFile(token.NewFileSet(), "optable.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	consts := f.Decls[1].(*ast.GenDecl)
	for _, s := range consts.Specs {
		name := s.(*ast.ValueSpec).Names[0].Name
		if name != "numOps" && !used[name] {
			t.Errorf("no builder method makes %s", name)
		}
	}
	if len(consts.Specs) != ir.Ops()+1 {
		t.Errorf("found %d names of ops, want %d", len(consts.Specs), ir.Ops()+1)
	}
}

func TestTypes(t *testing.T) {
	for n, want := range map[int]ir.Type{1: ir.I1, 8: ir.I8, 16: ir.I16, 32: ir.I32, 64: ir.I64, 7: ir.NoType, 0: ir.NoType} {
		if got := ir.IntOf(n); got != want {
			t.Errorf("IntOf(%d) = %s, want %s", n, got, want)
		}
	}
	for n, want := range map[int]ir.Type{16: ir.F16, 32: ir.F32, 64: ir.F64, 8: ir.NoType} {
		if got := ir.FloatOf(n); got != want {
			t.Errorf("FloatOf(%d) = %s, want %s", n, got, want)
		}
	}
}

// TestHows: each way of interpolation and each place has a name and a sentence of its own.
func TestHows(t *testing.T) {
	names, docs := map[string]bool{}, map[string]bool{}
	for _, h := range ir.Hows() {
		names[h.String()], docs[h.Doc()] = true, true
		if !strings.HasSuffix(h.Doc(), ".") || h.String() == "how?" {
			t.Errorf("%s: %q", h, h.Doc())
		}
	}
	if len(names) != 9 || len(docs) != 9 || names["how?"] {
		t.Errorf("%d names, %d sentences", len(names), len(docs))
	}
	for _, h := range []ir.How{6, 0x40, 0x16} {
		if h.String() != "how?" {
			t.Errorf("%#x is %s", uint8(h), h)
		}
	}
	if got := (ir.HowLinear | ir.AtSample).String(); got != "linear sample" {
		t.Error(got)
	}
}
