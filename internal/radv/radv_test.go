package radv

import (
	"context"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/platforms/gcn"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/launch"
)

// read reads a dump that RADV of Mesa 22.3.6 printed of the .comp file of the same name.
func read(t testing.TB, name string) []byte {
	t.Helper()
	dir := "testdata"
	if strings.HasPrefix(name, "shared") {
		dir = filepath.Join("..", "..", "examples", "radv")
	}
	dump, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return dump
}

// one returns the only shader of a dump.
func one(t testing.TB, name string) *Shader {
	t.Helper()
	list, err := Parse(read(t, name))
	if err != nil || len(list) != 1 {
		t.Fatal(len(list), err)
	}
	return list[0]
}

func words32(list ...uint32) (data []byte) {
	for _, w := range list {
		data = binary.LittleEndian.AppendUint32(data, w)
	}
	return data
}

func run(t *testing.T, s *Shader, in Inputs, out string) []byte {
	t.Helper()
	in.Name = "shader"
	k, err := s.Kernel(in)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := gcn.Launch(context.Background(), k, launch.Settings{Engine: ref.New()}); err != nil {
		t.Fatal(err)
	}
	b, ok := k.Memory.Buffer(out)
	if !ok {
		t.Fatalf("no buffer %s", out)
	}
	return b.Data
}

// TestShared: the results of shared.comp, computed here; all numbers are small, so floats are exact.
func TestShared(t *testing.T) {
	const n, add, off = 100, 1, 4
	a := make([]byte, 0, 512)
	for i := range 128 {
		a = binary.LittleEndian.AppendUint32(a, math.Float32bits(float32(i)))
	}
	for _, v := range []string{"gfx6", "gfx8"} {
		s := one(t, "shared."+v+".txt")
		if s.Workgroup != [3]uint32{64, 1, 1} || s.Shared != 256 || !slices.Equal(s.Push, []int{0, 1}) || s.Indexed || !s.Grid || s.GroupInfo || s.GroupID != [3]bool{true} {
			t.Errorf("%s: %+v", v, s)
		}
		b := run(t, s, Inputs{Variant: v, Groups: [3]uint32{2, 1, 1}, Push: words32(math.Float32bits(add), off), Bindings: []Binding{
			{1, 0, "u", words32(n, math.Float32bits(0.5))}, {0, 1, "b", make([]byte, 4*132)}, {0, 0, "a", a}}}, "b")
		for i := range 128 {
			from := i/64*64 + 63 - i%64
			want := float32(2)
			if from < n {
				want += float32(from)*0.5 + add
			}
			if got := math.Float32frombits(binary.LittleEndian.Uint32(b[4*(i+off):])); got != want {
				t.Errorf("%s: b[%d] is %v, want %v", v, i+off, got, want)
			}
		}
	}
}

// TestScratch: the results of scratch.comp: an array of descriptors, push constants by index, scratch, the second
// component of ids.
func TestScratch(t *testing.T) {
	for _, v := range []string{"gfx7", "gfx8"} {
		s := one(t, "scratch."+v+".txt")
		if s.Scratch != 1024 || !s.Indexed || s.GroupID != [3]bool{false, true} {
			t.Errorf("%s: %+v", v, s)
		}
		var index, push []uint32
		for i := range uint32(32) {
			index = append(index, i*7+5)
		}
		for i := range uint32(8) {
			push = append(push, 100*i+100)
		}
		out := run(t, s, Inputs{Variant: v, Groups: [3]uint32{1, 3, 1}, Push: words32(push...), Bindings: []Binding{
			{0, 0, "index", words32(index...)}, {0, 0, "out", make([]byte, 4*96)}}}, "out")
		for g := range uint32(3) {
			for i := range uint32(32) {
				want := index[i]*3 + i + push[g] + 3
				if got := binary.LittleEndian.Uint32(out[4*(g*32+i):]); got != want {
					t.Errorf("%s: out[%d] is %d, want %d", v, g*32+i, got, want)
				}
			}
		}
	}
}

// TestErrors: missing or unexpected parts of a dump are reported, with the line if there is one.
func TestErrors(t *testing.T) {
	text := string(read(t, "shared.gfx8.txt"))
	for _, c := range []struct{ old, new, want string }{
		{"MESA_SHADER_COMPUTE", "MESA_SHADER_VERTEX", "no compute shader with a disassembly"},
		{"disasm:", "text:", "no compute shader with a disassembly"},
		{"workgroup-size: 64, 1, 1", "workgroup-size: 64, 0, 1", `line 4: "64, 0, 1" is no size of a workgroup`},
		{"workgroup-size: 64, 1, 1", "", "line 150: the shader does not say its workgroup-size"},
		{"p_startpgm", "p_start", "line 150: the shader has no p_startpgm"},
		{"; be800003", "; be80000", `line 152: "be80000" is no word of 8 hexadecimal digits`},
		{"; be800003", "be800003", "is no label, and has no words after a semicolon"},
		{"shared-size: 256", "shared-size: x", `line 5: "x" is no number of bytes`},
		{"s1: %42:s[2]", "s1: %42:s[200]", "is no argument in scalar registers"},
	} {
		if !strings.Contains(text, c.old) {
			t.Fatalf("the dump has no %q", c.old)
		}
		if _, err := Parse([]byte(strings.ReplaceAll(text, c.old, c.new))); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q for %q: %v; want %s", c.new, c.old, err, c.want)
		}
	}
	if _, err := Parse(nil); err == nil {
		t.Error("an empty dump is accepted")
	}
	cut := text[:strings.Index(text, "disasm:")] + "disasm:\nShader disassembly is not supported in the current configuration.\n"
	if _, err := Parse([]byte(cut)); err == nil || !strings.Contains(err.Error(), "the disassembly has no words") {
		t.Error(err)
	}
	if _, err := Parse([]byte(text[:strings.Index(text, "\tv_mul_f32_e32")])); err == nil || !strings.Contains(err.Error(), "the dump ends within the disassembly of line 150") {
		t.Error(err)
	}
	s := one(t, "shared.gfx8.txt")
	for _, c := range []struct {
		in   Inputs
		want string
	}{
		{Inputs{}, "0 sets are given, and it reads 2 words of push constants"},
		{Inputs{Bindings: []Binding{{0, 0, "a", make([]byte, 4)}, {1, 0, "u", make([]byte, 8)}}}, "the shader reads word 0 of the push constants; 0 bytes are given"},
		{Inputs{Push: make([]byte, 8), Bindings: []Binding{{0, 0, "a", make([]byte, 4)}, {1, 0, "a", make([]byte, 8)}}}, "taken"},
	} {
		c.in.Name, c.in.Variant, c.in.Groups = "shader", "gfx8", [3]uint32{1, 1, 1}
		if _, err := s.Kernel(c.in); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v; want %s", err, c.want)
		}
	}
	high := *s
	high.High = 0xffff8000
	if _, err := high.Kernel(Inputs{}); err == nil || !strings.Contains(err.Error(), "upper word 0xffff8000, where no buffer can be") {
		t.Error(err)
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range []string{"shared.gfx8.txt", "scratch.gfx7.txt"} {
		f.Add(read(f, name))
	}
	f.Fuzz(func(t *testing.T, dump []byte) {
		list, err := Parse(dump)
		if err != nil {
			return
		}
		for _, s := range list {
			for sets := range 3 {
				in := Inputs{Name: "shader", Variant: "gfx8", Groups: [3]uint32{1, 1, 1}, Push: make([]byte, 64)}
				for i := range sets {
					in.Bindings = append(in.Bindings, Binding{i, 0, string(rune('a' + i)), make([]byte, 16)})
				}
				if k, err := s.Kernel(in); err == nil && (len(k.Memory.Buffers()) < sets || k.Module == nil) {
					t.Errorf("%d sets: %+v", sets, k)
				}
			}
		}
	})
}
