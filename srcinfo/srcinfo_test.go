package srcinfo

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// read returns the debug sections of a code object in testdata; testdata/build.sh makes them.
func read(t testing.TB, name string) *Info {
	t.Helper()
	f, err := elf.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	list := map[string][]byte{}
	for _, s := range f.Sections {
		if kind, ok := strings.CutPrefix(s.Name, ".debug_"); ok {
			if list[kind], err = s.Data(); err != nil {
				t.Fatal(err)
			}
		}
	}
	i := New(list)
	if err := i.Err(); err != nil {
		t.Fatal(err)
	}
	return i
}

// A bench is a machine whose registers hold their numbers times 64, and whose memory is empty.
type bench struct{}

func (bench) Register(n uint64) (uint64, error)            { return n * 64, nil }
func (bench) Memory(Space, uint64, uint64) ([]byte, error) { return make([]byte, 8), nil }
func where(i *Info, addr uint64, name string) (string, error) {
	for _, f := range i.Frames(addr) {
		for _, v := range f.Vars {
			if v.Name != name {
				continue
			}
			list, err := v.Locate(addr, &f, bench{})
			if err != nil {
				return "", err
			}
			var texts []string
			for _, p := range list {
				switch p.Place {
				case InRegister:
					texts = append(texts, RegisterName(p.Register))
				case InMemory:
					texts = append(texts, fmt.Sprintf("%d:%#x", p.Space, p.Addr))
				case Known:
					texts = append(texts, fmt.Sprintf("=%d", binary.LittleEndian.Uint64(append(p.Bytes, make([]byte, 8)...))))
				default:
					texts = append(texts, "nowhere")
				}
			}
			return strings.Join(texts, " "), nil
		}
	}
	return "no such variable", nil
}

// TestLocate: the locations of variables, compared with what llvm-dwarfdump-22 --debug-info prints of the files. The
// frame base s33, DWARF register 65, holds 65*64 here, which is offset 65 in a lane's private memory; space 3 is
// private memory and 1 LDS.
func TestLocate(t *testing.T) {
	for _, x := range []struct {
		file string
		addr uint64
		name string
		want string
	}{
		{"vars.clang14.O0.hsaco", 0x1d9c, "l", fmt.Sprintf("3:%#x", 65+0x30)},  // DW_OP_fbreg +48
		{"vars.clang14.O0.hsaco", 0x1d9c, "it", fmt.Sprintf("3:%#x", 65+0x38)}, // DW_OP_fbreg +56
		{"vars.clang14.O0.hsaco", 0x1d9c, "tile", "optimised out"},             // without a location
		{"vars.clang19.O0.hsaco", 0x214c, "tile", "1:0x0"},                     // DW_OP_addrx 0, DW_OP_lit2: LDS
		{"vars.clang22.O0.hsaco", 0x2134, "it", fmt.Sprintf("3:%#x", 65+0x38)}, // DW_OP_lit5 in place of DW_OP_lit1
		{"vars.clang14.O2.hsaco", 0x1794, "l", "v0"},                           // DW_OP_bregx VGPR0+0
		{"vars.clang22.O2.hsaco", 0x1894, "l", "v0"},                           // in an inlined call
		{"vars.clang22.O2.hsaco", 0x1894, "n", "optimised out"},                //
		{"vars.clang14.dwarf4.hsaco", 0x1794, "l", "v0"},                       // of .debug_loc
		{"vars.clang14.dwarf4.hsaco", 0x1000, "l", "no such variable"},
		{"inlined.clang22.O1.hsaco", 0x1660, "l", "v0"},
		{"inlined.clang22.O1.hsaco", 0x1660, "k", "optimised out"}, // only the abstract function has it,
		{"inlined.clang22.O1.hsaco", 0x1660, "a", "optimised out"}, // and this one
		{"inlined.clang22.O1.hsaco", 0x1660, "b", "no such variable"},
	} {
		i := read(t, x.file)
		got, err := where(i, x.addr, x.name)
		if err != nil {
			got = err.Error()
		}
		if got != x.want {
			t.Errorf("%s %#x: %s is at %s, want %s", x.file, x.addr, x.name, got, x.want)
		}
	}
}

// TestTypes: types in C syntax, of vars.cl.
func TestTypes(t *testing.T) {
	for _, file := range []string{"vars.clang14.O0.hsaco", "vars.clang19.O0.hsaco", "vars.clang14.dwarf4.hsaco"} {
		i := read(t, file)
		types := map[string]*Type{}
		for _, f := range i.Functions() {
			for _, v := range f.block.vars {
				types[v.Name] = v.Type
			}
		}
		for name, want := range map[string]string{
			"in": "const float * 5 8", "n": "uint 2 4", "scale": "float4 7 16", "it": "item 8 12", "steps": "int[4] 6 16", "sum": "float 3 4",
		} {
			x := types[name]
			if got := fmt.Sprintf("%s %d %d", x.Name, x.Kind, x.Size); got != want {
				t.Errorf("%s: %s is %s, want %s", file, name, got, want)
			}
		}
		var fields []string
		for _, f := range types["it"].Fields {
			fields = append(fields, fmt.Sprintf("%s %s %d", f.Name, f.Type.Name, f.Offset))
		}
		if want := []string{"id int 0", "w float 4", "tag uchar[4] 8"}; !slices.Equal(fields, want) {
			t.Errorf("%s: members %q, want %q", file, fields, want)
		}
		if g := i.Globals(); len(g) != 1 || g[0].Name != "table" || g[0].Type.Count != 4 {
			t.Errorf("%s: globals %+v", file, g)
		}
	}
}

// TestExpressions: expressions by the rules of DWARF 5, 2.5 and 2.6.
func TestExpressions(t *testing.T) {
	for _, x := range []struct {
		expr []byte
		want string
	}{
		{[]byte{opLit0 + 5, opStackValue}, "=5"},
		{[]byte{opConst2s, 0xfe, 0xff, opStackValue}, fmt.Sprint("=", uint64(1<<64-2))},
		{[]byte{opConsts, 0x7f, opStackValue}, fmt.Sprint("=", uint64(1<<64-1))},
		{[]byte{opConstu, 0x80, 0x01, opLit0 + 3, opMul, opStackValue}, "=384"},
		{[]byte{opLit0 + 7, opLit0 + 2, opMinus, opDup, opPlus, opStackValue}, "=10"},
		{[]byte{opLit0 + 1, opLit0 + 2, opSwap, opDrop, opStackValue}, "=2"},
		{[]byte{opLit0 + 9, opLit0 + 2, opShl, opLit0 + 4, opShr, opStackValue}, "=2"},
		{[]byte{opLit0 + 1, opLit0 + 2, opLt, opStackValue}, "=1"},
		{[]byte{opRegx, 0x80, 0x14}, "v0"}, {[]byte{opReg0 + 17}, "exec"}, {[]byte{opRegx, 33}, "s1"},
		{[]byte{opRegx, 0x82, 0x14, opPiece, 4, opRegx, 0x83, 0x14, opPiece, 4}, "v2 v3"},
		{[]byte{opRegx, 0x82, 0x14, opPiece, 4, opPiece, 4}, "v2 nowhere"},
		{[]byte{opAddr, 0x10, 0, 0, 0, 0, 0, 0, 0, opPlusUconst, 4}, "0:0x14"},
		{[]byte{opBregx, 0x82, 0x14, 0, opLit0 + 5, opSwap, opXderef}, "v2"},               // clang: a register that was memory
		{[]byte{opConstu, 0x80, 1, opLit0 + 5, opSwap, opXderef, opStackValue}, "=128"},    // clang: a constant
		{[]byte{opAddr, 8, 0, 0, 0, 0, 0, 0, 0, opLit0 + 3, opSwap, opXderef}, "1:0x8"},    // LDS
		{[]byte{opBregx, 65, 8, opLit0 + 5, opSwap, opXderef}, fmt.Sprintf("3:%#x", 65+8)}, // a frame
		{[]byte{opImplicitValue, 2, 1, 2}, "=513"}, {[]byte{opNop, opLit0, opStackValue}, "=0"},
		{[]byte{opEntryValue, 1, 0x50, opStackValue}, "optimised out"}, {nil, "optimised out"},
		{[]byte{opPlus}, "more from the stack"}, {[]byte{opConst4u, 1}, "in the middle"}, {[]byte{0xe0}, "not supported"},
		{[]byte{opLit0, opLit0, opDiv}, "divides by zero"}, {[]byte{opFbreg, 0}, "needs a frame"}, {[]byte{opAddrx, 3}, "does not have"},
		{[]byte{opLit0 + 9, opLit0, opSwap, opLit0 + 1, opXderef}, "address space 9"}, {[]byte{opImplicitValue, 9, 1}, "in the middle"},
	} {
		v := &Variable{where: []location{{expr: x.expr}}, unit: &unit{}}
		list, err := v.Locate(0, nil, bench{})
		got := ""
		for _, p := range list {
			switch p.Place {
			case InRegister:
				got += " " + RegisterName(p.Register)
			case InMemory:
				got += fmt.Sprintf(" %d:%#x", p.Space, p.Addr)
			case Known:
				got += fmt.Sprint(" =", binary.LittleEndian.Uint64(append(slices.Clone(p.Bytes), make([]byte, 8)...)))
			default:
				got += " nowhere"
			}
		}
		if err != nil {
			got = " " + err.Error()
		}
		if got = strings.TrimPrefix(got, " "); got != x.want && (err == nil || !strings.Contains(got, x.want)) {
			t.Errorf("% x: %q, want %q", x.expr, got, x.want)
		}
	}
}

// FuzzExpression: no expression panics or hangs.
func FuzzExpression(f *testing.F) {
	for _, s := range [][]byte{{opLit0 + 1, opDup, opPlus, opStackValue}, {opBregx, 0x80, 0x14, 0, opLit0 + 5, opSwap, opXderef}, {opRegx, 0x80, 0x14, opPiece, 4}, {opConvert, 9}} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, code []byte) {
		v := &Variable{where: []location{{expr: code}}, unit: &unit{}}
		list, err := v.Locate(0, nil, bench{})
		if err == nil && len(list) == 0 {
			t.Errorf("% x: nothing, and no error", code)
		}
	})
}

// FuzzInfo: no section panics or hangs: broken input is an error, or is left out.
func FuzzInfo(f *testing.F) {
	good := map[string][]byte{}
	file, err := elf.Open("testdata/vars.clang22.O2.hsaco")
	if err != nil {
		f.Fatal(err)
	}
	defer file.Close()
	for _, s := range file.Sections {
		if kind, ok := strings.CutPrefix(s.Name, ".debug_"); ok {
			if good[kind], err = s.Data(); err != nil {
				f.Fatal(err)
			}
		}
	}
	f.Add(uint16(0x30), byte(7), uint8(0))
	f.Add(uint16(12), byte(0xff), uint8(1))
	f.Add(uint16(3), byte(0x80), uint8(2))
	f.Fuzz(func(t *testing.T, at uint16, to byte, which uint8) {
		bad := map[string][]byte{}
		names := []string{"info", "abbrev", "loclists", "rnglists", "addr", "str_offsets", "line"}
		for k, v := range good {
			bad[k] = slices.Clone(v)
		}
		if s := bad[names[int(which)%len(names)]]; len(s) > 0 {
			s[int(at)%len(s)] = to
		}
		i := New(bad)
		for _, fn := range i.Functions() {
			for _, fr := range i.Frames(fn.ranges[0][0]) {
				for _, v := range fr.Vars {
					if _, err := v.Locate(fn.ranges[0][0], &fr, bench{}); errors.Is(err, errEmpty) {
						continue
					}
				}
			}
		}
	})
}
