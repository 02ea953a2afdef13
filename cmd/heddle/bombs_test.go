//go:build linux

package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

const notRegular = "only regular files are read"

// deviceBombs are devices, pipes and endless files where a file is expected.
var deviceBombs = []bomb{
	{"device_dis", nil, "dis --isa gcn --raw /dev/zero", nil, notRegular, 2},
	{"device_asm", nil, "asm --isa gcn --hex /dev/zero", nil, notRegular, 2},
	{"device_lint", nil, "lint --isa gcn --raw /dev/zero", nil, notRegular, 2},
	{"device_lines", nil, "dis --isa gcn --lines /dev/zero", nil, notRegular, 2},
	{"device_run", nil, "run /dev/zero", nil, notRegular, 2},
	{"device_check", nil, "check /dev/zero", nil, notRegular, 2},
	{"device_scene", nil, "render /dev/zero -o x.png", nil, notRegular, 2},
	{"device_fragment", nil, "render --isa attila --fragment /dev/zero -o x.png", nil, notRegular, 2},
	{"device_diff", scene("", ""), "render scene.json --diff /dev/zero", nil, notRegular, 2},
	{"device_mem", nil, "eval --isa gcn s_endpgm --mem 0x1000=/dev/zero", nil, notRegular, 2},
	{"device_lds", nil, "eval --isa gcn s_endpgm --lds /dev/zero", nil, notRegular, 2},
	{"device_arg", reduction(""), "run reduce_lds.gfx803.hsaco --grid 256 --block 256 --arg buf:/dev/zero --arg zero:4 --arg u32:0", nil, notRegular, 2},
	{"hole_dis", hole("x"), "dis --isa gcn --raw x", nil, "file of more than 268435456 bytes; --max-input raises the limit", 2},
	{"hole_asm", hole("x"), "asm --isa gcn --hex x", nil, "file of more than 268435456 bytes; --max-input raises the limit", 2},
	{"hole_mem", hole("x"), "eval --isa gcn s_endpgm --mem 0x1000=x", nil, "buffer of more than 1073741824 bytes", 2},
	{"hole_lines", hole("x"), "asm --isa gcn --lines x", nil, "line 1: line of more than 1048576 bytes", 2},
	{"hole_diff", files(scene("", ""), hole("x.png")), "render scene.json --diff x.png", nil, "picture of more than 67108864 bytes", 2},
}

// streamBombs are endless pipes.
var streamBombs = []bomb{
	{"stdin_dis", nil, "dis --isa gcn --raw -", forever("\x00"), "standard input: pipe of more than 67108864 bytes; --max-input raises the limit", 2},
	{"stdin_asm", nil, "asm --isa gcn --hex -", forever("s_nop 0\n"), "standard input: pipe of more than 67108864 bytes", 2},
	{"stdin_lint", nil, "lint --isa gcn --raw -", forever("\x00"), "standard input: pipe of more than 67108864 bytes", 2},
	{"stdin_scene", nil, "render - -o x.png", forever(" "), "standard input: pipe of more than 67108864 bytes", 2},
	{"stdin_less", nil, "dis --isa gcn --raw --max-input 64K -", forever("\x00"), "pipe of more than 65536 bytes", 2},
	{"line_dis", nil, "dis --isa gcn --lines", forever("00"), "line 1: line of more than 1048576 bytes", 2},
	{"line_asm", nil, "asm --isa gcn --lines", forever("s_nop "), "line 1: line of more than 1048576 bytes", 2},
}

// reduction copies the files of the example, with a part of its manifest replaced: "old => new".
func reduction(change string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		from := filepath.Join("..", "..", "examples", "reduction")
		for _, name := range []string{"manifest.json", "reduce_lds.gfx803.hsaco", "in.in.bin", "out.exp.bin"} {
			data, err := os.ReadFile(filepath.Join(from, name))
			if err != nil {
				t.Fatal(err)
			}
			if old, now, ok := strings.Cut(change, " => "); ok && name == "manifest.json" {
				if !bytes.Contains(data, []byte(old)) {
					t.Fatalf("the manifest does not say %s", old)
				}
				data = bytes.Replace(data, []byte(old), []byte(now), 1)
			}
			put(t, filepath.Join(dir, name), data)
		}
	}
}

// pipe makes a pipe without a writer.
func pipe(name string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o666); err != nil {
			t.Skip("no pipes here: ", err)
		}
	}
}

const fromOutside = "is outside of the manifest's folder; --allow-outside takes it all the same"

// manifestBombs are manifests, and code objects.
var manifestBombs = []bomb{
	{"manifest_code_device", files(reduction("reduce_lds.gfx803.hsaco => code"), link("code", "/dev/zero")), "run .", nil, fromOutside, 2},
	{"manifest_code_outside", files(reduction("reduce_lds.gfx803.hsaco => code"), link("code", "/dev/zero")), "run --allow-outside .", nil, notRegular, 2},
	{"manifest_code_pipe", files(reduction("reduce_lds.gfx803.hsaco => code"), pipe("code")), "run .", nil, notRegular, 2},
	{"manifest_code_hole", files(reduction("reduce_lds.gfx803.hsaco => code"), hole("code")), "run .", nil, "code object of more than 268435456 bytes", 2},
	{"manifest_buffer_device", files(reduction("in.in.bin => data"), link("data", "/dev/zero")), "run .", nil, fromOutside, 2},
	{"manifest_buffer_outside", files(reduction("in.in.bin => data"), link("data", "/dev/zero")), "run . --allow-outside", nil, notRegular, 2},
	{"manifest_buffer_hole", files(reduction("in.in.bin => data"), hole("data")), "run .", nil, "data has 1099511627776 bytes, the buffer 20000", 2},
	{"manifest_expect_device", files(reduction("out.exp.bin => data"), link("data", "/dev/zero")), "run .", nil, fromOutside, 2},
	{"manifest_check_device", files(reduction("reduce_lds.gfx803.hsaco => code"), link("code", "/dev/zero")), "check .", nil, fromOutside, 1},
	{"manifest_long", padded("manifest.json", "", 5<<20, " ", "{}"), "run ./manifest.json", nil, "manifest of more than 4194304 bytes", 2},
	{"manifest_hole", files(reduction(""), hole("manifest.json")), "run ./manifest.json", nil, "manifest of more than 4194304 bytes", 2},
	{"manifest_picture", reduction(`"buffers": { => "pictures": [{"name": "p", "buffer": "big", "width": 16384, "height": 16384, "format": "gray8"}],
		"buffers": {"big": {"bytes": 268435456, "elem": "uint8", "init": "zero"},`),
		"run .", nil, "16384x16384 pixels, at most 16777216", 2},
	{"manifest_buffers", reduction(`"out": { => "big": {"bytes": 1073741824, "elem": "uint8", "init": "zero"}, "out": {`), "run .", nil,
		"more than 1073741824 bytes together", 2},
	{"object_memory", patched(0x28, 1<<40), "dis x.hsaco", nil, "at most", 2},
	{"object_sections", patched(-0x28, 1<<40), "dis x.hsaco", nil, "section header table is", 2},
}

// patched returns the example's code object with a changed number: at that offset of its first load segment's header,
// or, below 0, of the file's.
func patched(at int, v uint64) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		data, err := os.ReadFile(filepath.Join("..", "..", "examples", "reduction", "reduce_lds.gfx803.hsaco"))
		if err != nil {
			t.Fatal(err)
		}
		le := binary.LittleEndian
		head := data[le.Uint64(data[0x20:]):]
		for le.Uint32(head) != 1 {
			head = head[56:]
		}
		if at < 0 {
			head, at = data, -at
		}
		le.PutUint64(head[at:], v)
		put(t, filepath.Join(dir, "x.hsaco"), data)
	}
}

const fromScene = "is outside of the scene's folder; --allow-outside takes it all the same"

// texture returns a scene's texture from a file in the same folder.
func texture(file, more string) string {
	return fmt.Sprintf(`, "textures": [{"name": "a", "file": %q%s}]`, file, more)
}

// sceneBombs are scenes and pictures.
var sceneBombs = []bomb{
	{"scene_texture_device", files(scene(texture("t", ""), ""), link("t", "/dev/zero")), "render scene.json -o x.png", nil, fromScene, 2},
	{"scene_texture_outside", files(scene(texture("t", ""), ""), link("t", "/dev/zero")), "render scene.json -o x.png --allow-outside", nil, notRegular, 2},
	{"scene_texture_up", scene(texture("../t", ""), ""), "render scene.json -o x.png", nil, fromScene, 2},
	{"scene_texture_pipe", files(scene(texture("t", ""), ""), pipe("t")), "render scene.json -o x.png", nil, notRegular, 2},
	{"scene_texture_hole", files(scene(texture("t", ""), ""), hole("t")), "render scene.json -o x.png", nil, "texture of more than 67108864 bytes", 2},
	{"scene_program_device", files(scene("", `, "vertex": "v.s"`), link("v.s", "/dev/zero")), "render scene.json -o x.png", nil, fromScene, 2},
	{"scene_program_hole", files(scene("", `, "vertex": "v.s"`), hole("v.s")), "render scene.json -o x.png", nil, "program of more than 4194304 bytes", 2},
	{"scene_vertices_device", files(scene("", `, "attributes": [{"size": 4, "file": "d"}]`), link("d", "/dev/zero")), "render scene.json -o x.png", nil, fromScene, 2},
	{"scene_vertices_hole", files(scene("", `, "attributes": [{"size": 4, "file": "d"}]`), hole("d")), "render scene.json -o x.png", nil, "vertex data of more than 67108864 bytes", 2},
	{"scene_vertices_dense", files(scene("", `, "attributes": [{"size": 1, "stride": 1, "file": "d"}]`), sized("d", 32<<20)), "render scene.json -o x.png", nil, "more than 262144 vertices", 2},
	{"scene_long", padded("scene.json", "", 5<<20, " ", "{}"), "render scene.json -o x.png", nil, "scene of more than 4194304 bytes", 2},
	{"scene_hole", hole("scene.json"), "render scene.json -o x.png", nil, "more than 268435456 bytes", 2},
	{"scene_pixels", source("scene.json", `{"isa": "attila", "width": 8192, "height": 8192, "draws": [{"fragment": "fill.s", "count": 3}]}`), "render scene.json -o x.png", nil,
		"8192x8192 pixels, at most 16777216", 2},
	{"scene_many_textures", files(source("fill.s", "mov o1, i0\nend\n"), sized("t", 16<<20), source("scene.json", manyTextures(4000))), "render scene.json -o x.png", nil,
		"textures of the scene of more than 100663296 bytes", 2},
	{"scene_triangles", strip(8, 1<<17+3), "render scene.json -o x.png", nil, "draw 0: more than 131072 triangles", 2},
	{"scene_tiles", strip(1024, 4099), "render scene.json -o x.png", nil, "more than 4194304 in all tiles", 2},
	{"scene_indices", strip(8, 1<<18+1), "render scene.json -o x.png", nil, "262145 vertices; at most 262144", 2},
	{"size", source("fill.s", "mov o1, i0\nend\n"), "render --fragment fill.s --isa attila --size 8192x8192 -o x.png", nil, "at most 16777216", 2},
	{"png_texture", files(scene(texture("t", ""), ""), claims("t", 65535)), "render scene.json -o x.png", nil, "picture of 65535x65535 pixels; at most 16777216", 2},
	{"png_texture_wide", files(scene(texture("t", ""), ""), claims("t", 1<<31-1)), "render scene.json -o x.png", nil, "t: ", 2},
	{"png_diff", files(scene("", ""), claims("x.png", 30000)), "render scene.json --diff x.png", nil, "x.png: picture of 30000x30000 pixels; at most 16777216", 2},
}

// strip makes a scene of triangles that cover a square picture, as a strip of so many indexes of three vertices.
func strip(side, indices int) func(*testing.T, string) {
	return files(source("fill.s", "mov o1, i0\nend\n"), padded("scene.json", fmt.Sprintf(`{"isa": "attila", "width": %d, "height": %d, "draws": [{"fragment": "fill.s", "count": 3,
		"primitive": "strip", "attributes": [{"slot": 0, "size": 2, "data": [-1, -1, 3, -1, -1, 3]}], "indices": [0`, side, side),
		(indices-1)/3, ",1,2,0", strings.Repeat(",1", (indices-1)%3)+"]}]}"))
}

// sized makes a file of zeros of that size.
func sized(name string, n int64) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		path := filepath.Join(dir, name)
		put(t, path, nil)
		if err := os.Truncate(path, n); err != nil {
			t.Fatal(err)
		}
	}
}

// manyTextures returns a scene with so many textures from one file.
func manyTextures(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(`{"name": "t%d", "file": "t", "format": "RGBA8888", "width": 2048, "height": 2048}`, i))
	}
	return `{"isa": "attila", "width": 8, "height": 8, "textures": [` + strings.Join(list, ", ") + `], "draws": [{"fragment": "fill.s", "count": 3}]}`
}

const pairsHead = "#isa\tstage\thex\ttext\tflags\tnote\n"

const stateHead = `{"name": "a", "isa": "gcn", "code": "-", "asm": ["s_nop 0"]}` + "\n"

// caseBombs are case files, most of them compressed.
var caseBombs = []bomb{
	{"pairs_bytes", packed("x.tsv.gz", pairsHead, strings.Repeat(" ", 4095)+"\n"), "check x.tsv.gz", nil, "broken rows", 1},
	{"states_bytes", packed("x.jsonl.gz", stateHead, strings.Repeat(" ", 4095)+"\n"), "check x.jsonl.gz", nil, "case file of more than 67108864 bytes", 1},
	{"pairs_line", packed("x.tsv.gz", pairsHead, "\x00"), "check x.tsv.gz", nil, "line of more than 4194304 bytes", 1},
	{"pairs_empty", packed("x.tsv.gz", pairsHead, "\n"), "check x.tsv.gz", nil, "case file of more than 4194304 lines", 1},
	{"pairs_broken", packed("x.tsv.gz", pairsHead, "x\n"), "check x.tsv.gz", nil, "more than 100 broken rows; the rest of the file is not read", 1},
	{"states_line", packed("x.jsonl.gz", stateHead, "\x00"), "check x.jsonl.gz", nil, "line of more than 4194304 bytes", 1},
	{"states_empty", packed("x.jsonl.gz", stateHead, "\n"), "check x.jsonl.gz", nil, "case file of more than 4194304 lines", 1},
	{"states_broken", packed("x.jsonl.gz", stateHead, "{}\n"), "check x.jsonl.gz", nil, "more than 100 broken rows", 1},
	{"manifest_packed", packed("manifest.json", `{"format": "heddle-gcn-kernel-1",`, " "), "run manifest.json", nil, "manifest of more than 4194304 bytes", 2},
	{"frame_packed", packed("x.json.gz", `{"name": "a", "isa": "attila", "programs": [], "runs": [`, "{},"), "check x.json.gz", nil, "frame of more than 16777216 bytes", 1},
	{"head_packed", packed("x.gz", "{", " "), "check x.gz", nil, "x.gz: file: JSON: the file ends in the middle", 1},
}

// asmBombs are files of assembly.
var asmBombs = []bomb{
	{"asm_zero", source("x.s", ".zero 1<<40\n"), "asm --isa gcn x.s -o x", nil, "1099511627776 more bytes", 1},
	{"asm_zeros", padded("x.s", "", 4096, ".zero 1<<20\n", ""), "asm --isa gcn x.s --hex", nil, "more bytes: all that directives fill in would exceed 16777216", 1},
	{"asm_fill", source("x.s", ".fill 1<<60, 8, 1\n"), "asm --isa gcn x.s -o x", nil, "more bytes", 1},
	{"asm_org", source("x.s", ".org 1<<50\n"), "asm --isa gcn x.s -o x", nil, "more bytes", 1},
	{"asm_align", source("x.s", "s_nop 0\n.align 1<<40\n"), "asm --isa gcn x.s -o x", nil, "more bytes", 1},
	{"asm_lines", padded("x.s", "", 60<<20, "\n", "bad"), "asm --isa gcn x.s -o x", nil, "no instruction", 1},
	{"asm_deep", padded("x.s", ".long ", 16<<20, "(", ""), "asm --isa gcn x.s -o x", nil, "nest", 1},
	{"asm_wide", padded("x.s", "", 1<<20, "a: ", ""), "asm --isa gcn x.s -o x", nil, "too many errors", 1},
}

// lintBombs are large code, of which little is kept for each instruction.
var lintBombs = []bomb{
	{"lint_kernels", padded("x.bin", "", 16<<20/256, strings.Repeat("\x00\x03\x02\x7e", 63)+"\x00\x00\x81\xbf", ""), "lint --isa gcn:gfx8 --raw x.bin", nil, "no findings in 4194304 instructions from 65536 entries", 0},
}

// bufferBombs are buffers of zeros that the guest leaves alone: they take no memory.
var bufferBombs = []bomb{
	{"buffer_gcn", source("x.s", "s_endpgm\n"), "run --isa gcn:gfx8 x.s --grid 64 --block 64 --arg f32:zero:268435456", nil, "1073741824 bytes  unchanged  268435456 f32", 0},
	{"buffer_valhall", source("x.s", "NOP.end\n"), "run --isa valhall x.s --grid 64 --block 64 --arg f32:zero:268435456", nil, "1073741824 bytes  unchanged  268435456 f32", 0},
}
