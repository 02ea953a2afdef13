package valhall

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/launch"
)

// A streamed is a recorded job of v9 as a later architecture would be given it.
type streamed struct {
	scene
	list    []Region
	variant string
	in      map[uint64]string // the variant of a program's code, by its descriptor; of others v9
}

// Addresses of what a job does not have.
const (
	tilerAt  = 0x7_0000_0000
	mergedAt = 0x7_0001_0000 // descriptor of the merged vertex program, then its code
	codesAt  = 0x7_1000_0000
)

// find is the memory at an address.
func find(t *testing.T, list []Region, addr uint64) []byte {
	t.Helper()
	for _, m := range list {
		if addr >= m.Addr && addr < m.Addr+uint64(m.Size) {
			return m.Data[addr-m.Addr:]
		}
	}
	t.Fatalf("no memory at %#x", addr)
	return nil
}

// streamOf makes the command stream of a job: registers by Mesa's enumeration IDVS_SR of the architecture, code
// assembled anew from its text.
func streamOf(t *testing.T, s scene, variant string) *streamed {
	t.Helper()
	list, err := s.s.ReadMemory()
	if err != nil {
		t.Fatal(err)
	}
	list = append(list, Region{Addr: tilerAt, Size: 128, Data: make([]byte, 128)})
	copied := *s.s
	copied.Job, copied.Variant = 0, variant
	x := &streamed{scene{&copied, nil}, list, variant, map[uint64]string{}}
	word := func(i int) uint32 { return wordAt(find(t, x.list, s.s.Job+uint64(4*i)), 0) }
	pair := func(i int) uint64 { return uint64(word(i)) | uint64(word(i+1))<<32 }
	regs := map[int]uint32{}
	put := func(reg int, v uint64) { regs[reg], regs[reg+1] = uint32(v), uint32(v>>32) }
	environment := func(at, srt, fau, spd, tsd int) {
		put(srt, pair(at+8))
		put(fau, pair(at+14)|uint64(word(at+1)&0xff)<<56)
		put(spd, pair(at+10))
		put(tsd, pair(at+12))
		x.again(t, pair(at+10))
	}
	secondary := word(8)>>18&1 != 0
	regs[32], regs[33], regs[34], regs[35], regs[36], regs[37] = 0, word(11), word(12), 0, word(9), 0
	put(40, tilerAt)
	put(42, pair(26))
	put(52, pair(42))
	regs[56], regs[57], regs[58] = word(8)&^0x700&0x3fffff, word(32), word(33)
	if variant == "v10" || variant == "v11" {
		environment(64, 0, 8, 16, 24)
		if secondary {
			environment(80, 2, 10, 18, 26)
		}
		environment(48, 4, 12, 20, 28)
		regs[44], regs[45], regs[48] = word(38), word(39), word(13)>>16
		put(50, pair(44))
		copied.Stream = &Stream{Instruction: 6<<56 | 0x1f<<35 | 1<<33 | uint64(word(8)&0x700), Registers: regs}
		return x
	}
	environment(64, 0, 8, 16, 24)
	environment(48, 2, 10, 18, 26)
	put(44, 63<<48|63<<32)
	regs[46], regs[47], regs[51] = word(38), word(39), word(13)>>16
	put(54, pair(44))
	regs[61] = 0
	if secondary {
		x.merge(t, pair(64+10), pair(80+10), regs)
	}
	copied.Stream = &Stream{Instruction: 12<<56 | 1<<33 | uint64(word(8)&0x700), Registers: regs}
	return x
}

// programText is the text of the code of a program's descriptor; it ends where zeros follow.
func (x *streamed) programText(t *testing.T, descriptor uint64) string {
	t.Helper()
	data, n := find(t, x.list, binary.LittleEndian.Uint64(find(t, x.list, descriptor)[8:])), 0
	for binary.LittleEndian.Uint64(data[n:]) != 0 {
		n += 8
	}
	return textOf(t, cmp.Or(x.in[descriptor], "v9"), data[:n])
}

// smallToFloat is an instruction that v11 lacks.
var (
	smallToFloat = regexp.MustCompile(`^(U8|U16)_TO_F32(\S*) (r\d+), (\S+)$`)
	branchTo     = regexp.MustCompile(`^(BRANCHZ.*), offset:(-?\d+)$`)
)

// inLater rewrites assembly of v9 for v11 and later: two instructions for one, and labels instead of distances.
func inLater(text string) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	labels := map[int]bool{}
	for i, l := range lines {
		if m := branchTo.FindStringSubmatch(l); m != nil {
			n, _ := strconv.Atoi(m[2])
			labels[i+1+n] = true
			lines[i] = fmt.Sprintf("%s, at%d", m[1], i+1+n)
		}
		lines[i] = smallToFloat.ReplaceAllString(lines[i], "${1}_TO_U32 $3, $4\nU32_TO_F32$2 $3, $3")
	}
	for at := range labels {
		lines[at] = fmt.Sprintf("at%d:\n%s", at, lines[at])
	}
	return strings.Join(lines, "\n") + "\n"
}

// again assembles the code of a program of v9 for the variant, at another place.
func (x *streamed) again(t *testing.T, descriptor uint64) {
	t.Helper()
	text := x.programText(t, descriptor)
	if x.variant != "v10" {
		text = inLater(text)
	}
	x.put(t, descriptor, text)
}

// put stores assembled text as the code of a program.
func (x *streamed) put(t *testing.T, descriptor uint64, text string) {
	t.Helper()
	code := append(assembled(t, x.variant, text), make([]byte, 8)...)
	at := codesAt + uint64(len(x.list))<<16
	x.list = append(x.list, Region{Addr: at, Size: len(code), Data: code})
	binary.LittleEndian.PutUint64(find(t, x.list, descriptor)[8:], at)
	x.in[descriptor] = x.variant
}

var registerName = regexp.MustCompile(`\br(\d+)\b`)

// merge merges the vertex programs of v9 into one, as in v12 and later: each part is skipped if shader_output does not
// request it.
func (x *streamed) merge(t *testing.T, position, varying uint64, regs map[int]uint32) {
	t.Helper()
	first := x.programText(t, position)
	second := strings.ReplaceAll(x.programText(t, varying), "table:0xD, index:0x0", "table:0xD, index:0x1")
	used := [64]bool{}
	for _, m := range registerName.FindAllStringSubmatch(first+second, -1) {
		n, _ := strconv.Atoi(m[1])
		used[n] = true
	}
	var free []int
	for n := 48; n >= 0 && len(free) < 5; n-- {
		if !used[n] {
			free = append(free, n)
		}
	}
	f := func(i int) string { return fmt.Sprint("r", free[i]) }
	ends := regexp.MustCompile(`\.end\b`)
	count := func(text string) int { return strings.Count(text, "\n") }
	part := func(bit int, body string) string { // skipped by its length
		return fmt.Sprintf("IADD_IMM.i32 %s, 0x0, #0x%X\nLSHIFT_AND.i32 %s, %s, 0x0.b00, %s\nBRANCHZ.eq %s, offset:%d\n%s", f(4), bit, f(4), f(3), f(4), f(4), count(body), body)
	}
	text := "MOV.i32 " + f(0) + ", r59\nMOV.i32 " + f(1) + ", r60\nMOV.i32 " + f(2) + ", r61\nMOV.i32 " + f(3) + ", shader_output.w0\n" +
		part(1, ends.ReplaceAllString(first, "")+"NOP.wait\n") +
		"MOV.i32.reconverge r59, " + f(0) + "\nMOV.i32 r60, " + f(1) + "\nMOV.i32 r61, " + f(2) + "\n" +
		part(4, ends.ReplaceAllString(second, "")+"NOP.wait\n") + "NOP.end\n"
	data := make([]byte, 64, 4096)
	copy(data, find(t, x.list, position)[:32])
	binary.LittleEndian.PutUint64(data[8:], mergedAt+64)
	data = append(append(data, assembled(t, x.variant, text)...), make([]byte, 8)...)
	x.list = append(x.list, Region{Addr: mergedAt, Size: len(data), Data: data})
	x.in[mergedAt] = x.variant
	regs[16], regs[17] = uint32(mergedAt&math.MaxUint32), uint32(mergedAt>>32)
}

// draw draws it, from copies of its memory.
func (x *streamed) draw() (*launch.Drawn, error) {
	list := slices.Clone(x.list)
	for i := range list {
		list[i].Data = slices.Clone(list[i].Data)
	}
	return x.drawFrom(context.Background(), list, x.variant, sceneSettings(1))
}

// asRecorded compares with the pixels from another implementation.
func asRecorded(t *testing.T, s scene, d *launch.Drawn) {
	t.Helper()
	e, err := s.Expected()
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for i := range e.Targets[0].Pixels[:4*d.Width*d.Height] {
		if e.Mask[i/4] != launch.MaskDrawn {
			continue
		}
		compared++
		got := min(max(float64(math.Float32frombits(d.Targets[0].Pixels[i/4][i%4])), 0), 1) * 255
		if want := float64(e.Targets[0].Pixels[i]); math.Abs(got-want) > e.Targets[0].Tolerance+1 {
			t.Fatalf("%s: pixel %d,%d channel %d is %g, want %g", s.Name(), i/4%d.Width, i/4/d.Width, i%4, got, want)
		}
	}
	if compared < 4*500 {
		t.Errorf("%s: %d components compared", s.Name(), compared)
	}
}

// TestStreams: recorded draws, converted to command streams of later architectures, produce the recorded pictures, and
// those of their jobs.
func TestStreams(t *testing.T) {
	names, err := filepath.Glob(filepath.Join(draws, "*", "scene.json"))
	if err != nil || len(names) < 5 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		s := readScene(t, filepath.Base(filepath.Dir(name)))
		job, err := s.Draw(context.Background(), "v9", sceneSettings(1))
		if err != nil {
			t.Fatal(err)
		}
		variants := []string{"v10", "v11", "v14"}
		if s.Name() == "smooth_persp" {
			variants = archs[1:]
		}
		for _, v := range variants {
			t.Run(s.Name()+" "+v, func(t *testing.T) {
				d, err := streamOf(t, s, v).draw()
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(d.Targets[0].Pixels, job.Targets[0].Pixels) {
					t.Error("another picture than that of the job")
				}
				asRecorded(t, s, d)
			})
		}
	}
}

// A streamChange is a change of a draw's registers, and its effect.
type streamChange struct {
	variants []string
	what     string
	change   func(*streamed)
	refuse   string
	drawn    int // pixels: 0 none, 1 the same number, 2 fewer
}

// streamChanges are of registers of two instructions, of each one.
func streamChanges() []streamChange {
	set := func(reg int, v uint32) func(*streamed) { return func(x *streamed) { x.s.Stream.Registers[reg] = v } }
	flip := func(reg int, bits uint32) func(*streamed) {
		return func(x *streamed) { x.s.Stream.Registers[reg] ^= bits }
	}
	instruction := func(bits uint64) func(*streamed) { return func(x *streamed) { x.s.Stream.Instruction ^= bits } }
	without := func(reg int) func(*streamed) { return func(x *streamed) { delete(x.s.Stream.Registers, reg) } }
	copyOf := func(to, from int) func(*streamed) {
		return func(x *streamed) {
			r := x.s.Stream.Registers
			r[to], r[to+1] = r[from]&^15, r[from+1]
		}
	}
	both := []string{"v10", "v12"}
	return []streamChange{
		{both, "as it is", func(*streamed) {}, "", 1},
		{both, "no count", without(33), "draw_csf.registers: no r33, INDEX_COUNT", 0},
		{both, "half a pointer", without(53), "draw_csf.registers: no r53, ZSD", 0},
		{both[:1], "no program", without(18), "draw_csf.registers: no r18, SPD of the varying program", 0},
		{both[:1], "varyings without a size", without(48), "draw_csf.registers: no r48, VARY_SIZE", 0},
		{both[1:], "no viewport", without(45), "draw_csf.registers: no r45, VIEWPORT_HIGH", 0},
		{both[1:], "no fragment program", without(18), "draw_csf.registers: no r18, SPD of the fragment program", 0},
		{both, "another instruction", instruction(1 << 56), "draw_csf.instruction: opcode", 0},
		{both, "no records", instruction(1 << 33), "draw_csf.instruction: RUN_IDVS", 0},
		{both[1:], "a mode that does not exist", instruction(2 << 35), "draw_csf.instruction: shading mode 2", 0},
		{both[1:], "deferred", instruction(1 << 35), "", 1},
		{both[:1], "a program of another type", copyOf(16, 52), "draw_csf.registers.d16: position program: valhall: shader program descriptor at", 0},
		{both[:1], "the varying program", copyOf(18, 52), "draw_csf.registers.d18: varying program: valhall: shader program descriptor at", 0},
		{both[:1], "the fragment program", copyOf(20, 52), "draw_csf.registers.d20: fragment program: valhall: shader program descriptor at", 0},
		{both, "depths of another type", copyOf(52, 16), "draw_csf.registers.d52: valhall: depth and stencil descriptor at", 0},
		{both, "tiler nowhere", set(40, 0x12340000), "draw_csf.registers.d40: valhall: tiler context at 0x712340000", 0},
		{both, "an offset of attributes", set(32, 64), "attributes from 0x40", 0},
		{both, "too many uniform words", set(9, 129<<24), "258 uniform words", 0},
		{both, "views", flip(56, 1<<24), "r56: several views, 0x1", 0},
		{both, "large positions", flip(56, 2<<22), "r56: records of positions in the extended format", 0},
		{both[:1], "the first tables, uniform words, storage for varyings, too", func(x *streamed) {
			x.s.Stream.Instruction ^= 7 << 35
			for _, reg := range []int{2, 3, 10, 11, 26, 27} {
				delete(x.s.Stream.Registers, reg)
			}
		}, "", 1},
		{both, "basic positions", flip(56, 1<<22), "", 1},
		{[]string{"v11"}, "conservative", flip(57, 1<<24), "r57: conservative rasterisation", 0},
		{[]string{"v11"}, "rates", set(61, 5), "r61: shading rates", 0},
		{both, "points", flip(56, 8^1), "draw mode 1", 0},
		{both, "restart", flip(56, 1<<19), "restart", 0},
		{both, "from instance 1", set(37, 1), "from instance 1", 0},
		{both, "samples", flip(57, 1<<19), "samples", 0},
		{both, "cull both", flip(57, 3<<17), "", 0},
		{both, "no targets", flip(58, 1<<16), "", 0},
		{both, "scissor", flip(42, 32), "", 2},
		{both[1:], "viewport", set(45, 63<<16|31), "", 2},
		{both[1:], "viewport and scissor apart", func(x *streamed) { x.s.Stream.Registers[43], x.s.Stream.Registers[44] = 31|63<<16, 32 }, "scissor of no pixels", 0},
	}
}

// TestStreamState: the state in registers is drawn, or rejected with the register's name.
func TestStreamState(t *testing.T) {
	s := readScene(t, "smooth_persp")
	for _, c := range streamChanges() {
		for _, v := range c.variants {
			x := streamOf(t, s, v)
			c.change(x)
			d, err := x.draw()
			if c.refuse != "" {
				if err == nil || !strings.Contains(err.Error(), c.refuse) {
					t.Errorf("%s, %s: %v, want %q", c.what, v, err, c.refuse)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s, %s: %v", c.what, v, err)
				continue
			}
			if n := covered(d); n > 3000 != (c.drawn == 1) || n == 0 != (c.drawn == 0) {
				t.Errorf("%s, %s: %d pixels", c.what, v, n)
			}
		}
	}
}

// covered returns the number of pixels that differ from the first.
func covered(d *launch.Drawn) (n int) {
	for _, p := range d.Targets[0].Pixels {
		if p != d.Targets[0].Pixels[0] {
			n++
		}
	}
	return n
}

// TestStreamAndJob: v9 has jobs, later architectures have command streams, and a scene of the other kind is an error
// that says so.
func TestStreamAndJob(t *testing.T) {
	s := readScene(t, "smooth_persp")
	if _, err := s.Draw(context.Background(), "v10", sceneSettings(1)); err == nil || !strings.Contains(err.Error(), "scene.json: draw_job: a job, which v10 does not have: its draws are command streams, draw_csf") {
		t.Errorf("a job of v10: %v", err)
	}
	x := streamOf(t, s, "v10")
	x.variant = "v9"
	if _, err := x.draw(); err == nil || !strings.Contains(err.Error(), "scene.json: draw_csf: a command stream, which v9 does not have: its draws are jobs, draw_job") {
		t.Errorf("a stream of v9: %v", err)
	}
}

// TestStreamIndices: indices begin at INDEX_OFFSET of a buffer that has a size; VERTEX_OFFSET is added to them, and a
// vertex program gets the number of the draw.
func TestStreamIndices(t *testing.T) {
	s := readScene(t, "smooth_persp")
	for _, v := range []string{"v11", "v13"} {
		plain, err := streamOf(t, s, v).draw()
		if err != nil {
			t.Fatal(err)
		}
		x := streamOf(t, s, v)
		const at = 0x7_2000_0000
		data := make([]byte, 64)
		for i, n := range []uint16{77, 78, 2, 3, 4, 5, 6, 7} { // two, and those of the draw by 2 too large
			binary.LittleEndian.PutUint16(data[2*i:], n)
		}
		x.list = append(x.list, Region{Addr: at, Size: len(data), Data: data})
		r, buffer, size := x.s.Stream.Registers, 54, 39
		if v != "v10" && v != "v11" {
			buffer, size = 48, 50
		}
		r[buffer], r[buffer+1], r[size], r[35], r[36] = at&math.MaxUint32, at>>32, 16, 2, math.MaxUint32-2
		r[70] = 1
		x.s.Stream.Instruction |= 2<<8 | 1<<34 | 70<<40
		programs := []int{16}
		if buffer == 54 {
			programs = append(programs, 18)
		}
		for _, reg := range programs { // the vertex is VERTEX_OFFSET off by 1, which the draw's number makes good
			spd := uint64(r[reg]) | uint64(r[reg+1])<<32
			find(t, x.list, spd)[5] |= 1 << (62 - 56)
			x.put(t, spd, "IADD.u32 r60, r60, r62\n"+x.programText(t, spd))
		}
		d, err := x.draw()
		if err != nil {
			t.Fatal(v, err)
		}
		if !slices.Equal(d.Targets[0].Pixels, plain.Targets[0].Pixels) {
			t.Errorf("%s: another picture", v)
		}
		r[size] = 15
		if _, err := x.draw(); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("draw_csf.registers: r%d: an index buffer of 15 bytes, and the draw reads to byte 16", size)) {
			t.Errorf("%s: %v", v, err)
		}
		r[size], r[buffer+1] = 16, 9
		if _, err := x.draw(); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("draw_csf.registers.d%d: valhall: indices:", buffer)) {
			t.Errorf("%s: %v", v, err)
		}
	}
}

// TestProvoking: flat varyings are those of the last vertex of a triangle, or of the first if the tiler's context
// selects it. In strips that is vertex i of triangle i, in fans i + 1, as in Vulkan.
func TestProvoking(t *testing.T) {
	s := readScene(t, "smooth_persp")
	colour := func(vertex int) (c [4]float64) { // as the fragment program's source has it, of what vertices were recorded to hand on
		in := s.s.Vertices[vertex].Varyings
		at := func(i int) float64 { return float64(math.Float32frombits(wordAt(in, i))) }
		for k, y := range []float64{at(4), at(5), at(4) * at(5), 0.1} {
			c[k] = at(k)*0.75 + y*0.25
		}
		return c
	}
	for _, c := range []struct {
		mode, count uint32
		first       bool
		vertices    [2]int
	}{
		{8, 6, false, [2]int{2, 5}}, {8, 6, true, [2]int{0, 3}}, {10, 4, false, [2]int{2, 3}}, {10, 4, true, [2]int{0, 1}},
		{12, 4, false, [2]int{2, 3}}, {12, 4, true, [2]int{1, 2}},
	} {
		for _, v := range []string{"v10", "v14"} {
			x := streamOf(t, s, v)
			r := x.s.Stream.Registers
			r[33], r[56] = c.count, r[56]&^0xff|c.mode
			if c.first {
				find(t, x.list, tilerAt)[10] = 1 << 2
			}
			reg := 20
			if v != "v10" {
				reg = 18
			}
			spd := uint64(r[reg]) | uint64(r[reg+1])<<32
			x.put(t, spd, strings.ReplaceAll(x.programText(t, spd), "src_f32", "src_flat32"))
			d, err := x.draw()
			if err != nil {
				t.Fatal(err)
			}
			seen := map[[4]uint32]bool{}
			for _, p := range d.Targets[0].Pixels {
				seen[p] = true
			}
			delete(seen, d.Targets[0].Pixels[0]) // the corner is not covered
			for _, vertex := range c.vertices {
				want, found := colour(vertex), false
				for p := range seen {
					off := 0.0
					for k := range p {
						off = max(off, math.Abs(float64(math.Float32frombits(p[k]))-want[k]))
					}
					found = found || off < 1e-5
				}
				if !found || len(seen) != len(c.vertices) {
					t.Errorf("%s, mode %d, first %t: %d colours, want %v of vertex %d", v, c.mode, c.first, len(seen), want, vertex)
				}
			}
		}
	}
}

// asFile writes a scene of v10 to a folder, with pairs of registers and single ones, and gives its keys.
func asFile(t *testing.T, folder string) (doc map[string]any) {
	t.Helper()
	s := readScene(t, "smooth_persp")
	x := streamOf(t, s, "v10")
	path := filepath.Join(draws, "smooth_persp", "scene.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	registers := map[string]any{}
	for n, v := range x.s.Stream.Registers {
		if _, ok := x.s.Stream.Registers[n+1]; n%2 == 0 && ok {
			registers[fmt.Sprint("d", n)] = fmt.Sprintf("%#x", uint64(v)|uint64(x.s.Stream.Registers[n+1])<<32)
		} else if _, ok := x.s.Stream.Registers[n-1]; n%2 == 0 || !ok {
			registers[fmt.Sprint("r", n)] = v
		}
	}
	var memory []byte
	var regions []any
	for _, m := range x.list {
		regions = append(regions, map[string]any{"addr": fmt.Sprintf("%#x", m.Addr), "size": m.Size, "offset": len(memory), "bytes": len(m.Data)})
		memory = append(memory, m.Data...)
	}
	delete(doc, "draw_job")
	doc["variant"], doc["memory"] = "g610", map[string]any{"file": "memory.bin", "regions": regions}
	doc["draw_csf"] = map[string]any{"instruction": fmt.Sprintf("%#x", x.s.Stream.Instruction), "registers": registers}
	for _, name := range []string{"mask.bin", "expect0.bin", "expect0_f32.bin"} {
		data, err := os.ReadFile(filepath.Join(draws, "smooth_persp", name))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(folder, name), data)
	}
	write(t, filepath.Join(folder, "memory.bin"), memory)
	return doc
}

// readDocument reads a scene from its keys.
func readDocument(t *testing.T, folder string, doc map[string]any) launch.Scene {
	t.Helper()
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Scenes.Read(bytes.NewReader(text), filepath.Join(folder, "scene.json"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestStreamFile: a scene of v10 as a file, with pairs of registers and single ones.
func TestStreamFile(t *testing.T) {
	folder := t.TempDir()
	read := readDocument(t, folder, asFile(t, folder))
	d, err := read.Draw(context.Background(), read.Variants()[0], sceneSettings(2))
	if err != nil {
		t.Fatal(err)
	}
	asRecorded(t, read.(scene), d)
	for _, p := range read.Parts("g610") {
		run, err := p.Run(context.Background(), sceneSettings(1))
		if err != nil || len(run.Got) != 2 || len(run.Want) != 2 {
			t.Errorf("%s: %v, %d results", p.Name, err, len(run.Got))
		}
	}
}

// TestShownStream: the draw in docs/scenes.md is complete except for memory.
func TestShownStream(t *testing.T) {
	folder := t.TempDir()
	doc := asFile(t, folder)
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "scenes.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, shown, _ := strings.Cut(string(page), `"draw_csf": `)
	shown, _, ok := strings.Cut(shown, "\n    }\n")
	if !ok {
		t.Fatal("docs/scenes.md shows no draw_csf")
	}
	var csf any
	if err := json.Unmarshal([]byte(shown+"}"), &csf); err != nil {
		t.Fatal(err)
	}
	if doc["draw_csf"] = csf; csf == nil {
		t.Fatal("nothing is shown")
	}
	read := readDocument(t, folder, doc)
	if _, err := read.Draw(context.Background(), "g610", sceneSettings(1)); err == nil || !strings.Contains(err.Error(), "draw_csf.registers.d40: valhall: tiler context at 0x100000f00") {
		t.Errorf("the scene of docs/scenes.md: %v", err)
	}
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
}
