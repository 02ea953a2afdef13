package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/internal/platforms/gcn"
	"github.com/heddle-gpu/heddle/internal/platforms/tesla"
	"github.com/heddle-gpu/heddle/internal/platforms/valhall"
)

// What is selected from the full sets: gcn, attila, tesla, valhall and rogue, all of it our own (see the provenance
// table of their README).
const (
	rowsEach  = 2 // per mnemonic and note
	casesEach = 1 // per mnemonic
)

// kernels are the kernels whose gfx8 builds are selected.
var kernels = strings.Fields(`saxpy mandelbrot matmul_tiled reduce_lds scan_lds histogram bitonic transpose divergent crc32
	stencil_f64 life conv2d sobel chacha20 kmeans fft64 spmv_csr scratch_array atomics globalconst ids3d dpp_gfx8 sdwa_gfx8 wave_swizzle`)

// recorded are the recorded draws that are selected, with all variants, by instruction set.
var recorded = map[string][]string{
	"gcn":     strings.Fields("mvp_cube mandelbrot_discard mrt"),
	"tesla":   strings.Fields("discard loop mrt shadow tex_bias tex_cube"),
	"valhall": strings.Fields("fragcoord_facing smooth_persp tex2d_linear tex_shadow texel_fetch"),
}

// olderKernels are those of them whose builds for gfx6 and gfx7 are selected, too: loops and branches, LDS, 64-bit
// floats, scratch, atomics.
var olderKernels = strings.Fields(`mandelbrot scan_lds stencil_f64 scratch_array atomics`)

// pick writes the selection of the sets under from to the folder to.
func pick(from, to string) error {
	for _, step := range []func(from, to string) error{pickPairs, pickSpellings, pickStates, pickAttila, pickTesla, pickValhall, pickRogue, pickHeaders} {
		if err := step(from, to); err != nil {
			return err
		}
	}
	for _, k := range kernels {
		if err := pickKernel(filepath.Join(from, "kernels", "gcn", k), filepath.Join(to, "kernels", "gcn", k)); err != nil {
			return err
		}
	}
	for isa, names := range recorded {
		for _, name := range names {
			if err := pickScene(filepath.Join(from, "render", isa, name), filepath.Join(to, "render", isa, name), sceneFiles[isa]); err != nil {
				return err
			}
		}
	}
	return nil
}

// pickScene copies a recorded draw and the files that its comparison needs.
func pickScene(from, to string, files func(path string) ([]string, error)) error {
	list, err := files(filepath.Join(from, "scene.json"))
	if err != nil {
		return err
	}
	for _, f := range append(list, "scene.json") {
		data, err := os.ReadFile(filepath.Join(from, f))
		if err != nil {
			return err
		}
		if err := write(filepath.Join(to, f), data); err != nil {
			return err
		}
	}
	return nil
}

// sceneFiles find the files that a recorded draw names and its comparison needs, by instruction set.
var sceneFiles = map[string]func(path string) ([]string, error){
	"gcn": named(gcn.ReadSceneFile, func(s *gcn.Scene) []string {
		files := []string{s.Mask}
		for i := range s.Targets {
			files = append(files, s.Targets[i].Expect)
		}
		for i := range s.After {
			files = append(files, s.After[i].Expect)
		}
		for _, v := range s.Variants {
			files = append(files, v.MemoryFile)
		}
		return files
	}),
	"tesla": named(tesla.ReadSceneFile, func(s *tesla.Scene) []string {
		files := []string{s.Mask.File, s.Fragments}
		for i := range s.Targets {
			files = append(files, s.Targets[i].Expect, s.Targets[i].ExpectBytes)
		}
		for i := range s.Textures {
			files = append(files, s.Textures[i].Texels)
		}
		return files
	}),
	"valhall": named(valhall.ReadSceneFile, func(s *valhall.Scene) []string {
		files := []string{s.Mask, s.Contents}
		for i := range s.Targets {
			files = append(files, s.Targets[i].Expect, s.Targets[i].ExpectFloats)
		}
		return files
	}),
}

// named returns a function that reads a recorded draw and returns the files in it; "" is a file that it does not have.
func named[S any](read func(path string) (*S, error), list func(s *S) []string) func(path string) ([]string, error) {
	return func(path string) ([]string, error) {
		s, err := read(path)
		if err != nil {
			return nil, err
		}
		return slices.DeleteFunc(list(s), func(f string) bool { return f == "" }), nil
	}
}

// filter copies the lines of a gzip file for which keep returns true.
func filter(from, to string, keep func(line string) bool) error {
	r, err := casefile.Open(from)
	if err != nil {
		return err
	}
	defer r.Close()
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return err
	}
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadString('\n')
		if line != "" && keep(line) {
			if _, err := io.WriteString(z, line); err != nil {
				return err
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	return write(to, b.Bytes())
}

func write(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o666)
}

// dropped matches texts of gfx6 and gfx7 with modifiers that their encoding does not have: LLVM drops them silently.
var dropped = regexp.MustCompile(`^v_div_scale.*(\||clamp)`)

func pickPairs(from, to string) error {
	seen := map[string]int{}
	return filter(filepath.Join(from, "pairs", "gcn-llvm.tsv.gz"), filepath.Join(to, "pairs", "gcn-llvm.tsv.gz"), func(line string) bool {
		col := strings.Split(line, "\t")
		if strings.HasPrefix(line, "#") {
			return true
		}
		if len(col) < 6 || col[0] != "gcn:gfx8" && dropped.MatchString(col[3]) {
			return false
		}
		mnemonic, _, _ := strings.Cut(col[3], " ")
		encoding, _, _ := strings.Cut(col[5], " ")
		key, each := mnemonic+" "+encoding+" "+col[4]+" "+col[0], rowsEach
		if col[0] != "gcn:gfx8" {
			each = 1
		}
		seen[key]++
		return seen[key] <= each
	})
}

// pickSpellings selects a row for each shape of text: its words without numbers.
func pickSpellings(from, to string) error {
	const name = "gcn-spell.tsv.gz"
	seen := map[string]bool{}
	return filter(filepath.Join(from, "pairs", name), filepath.Join(to, "pairs", name), func(line string) bool {
		col := strings.Split(line, "\t")
		if strings.HasPrefix(line, "#") {
			return true
		}
		if len(col) < 5 {
			return false
		}
		key := col[0] + " " + col[4] + " " + numbers.ReplaceAllString(col[3], "")
		if seen[key] {
			return false
		}
		seen[key] = true
		return true
	})
}

// numbers matches numbers of registers, and constants.
var numbers = regexp.MustCompile(`0x[0-9a-f]+|[0-9]+`)

func pickHeaders(from, to string) error {
	return filter(filepath.Join(from, "kernels", "gcn", "codeobj.jsonl.gz"), filepath.Join(to, "kernels", "gcn", "codeobj.jsonl.gz"), func(line string) bool {
		var o struct{ File string }
		if json.Unmarshal([]byte(line), &o) != nil {
			return false
		}
		name, _, _ := strings.Cut(o.File, ".")
		return slices.Contains(kernels, name) && (strings.Contains(o.File, ".gfx803.") || slices.Contains(olderKernels, name))
	})
}

// pickKernel copies a kernel with its gfx8 builds, or all of them, without listings.
func pickKernel(from, to string) error {
	data, err := os.ReadFile(filepath.Join(from, "manifest.json"))
	if err != nil {
		return err
	}
	var m map[string]json.RawMessage
	if err := json.Unmarshal(data, &m); err != nil {
		return err
	}
	var builds, kept []map[string]any
	if err := json.Unmarshal(m["variants"], &builds); err != nil {
		return err
	}
	files := []string{}
	for _, b := range builds {
		if b["variant"] == "gfx8" || slices.Contains(olderKernels, filepath.Base(from)) {
			delete(b, "listing")
			delete(b, "listing_from")
			kept = append(kept, b)
			files = append(files, fmt.Sprint(b["file"]))
		}
	}
	if m["variants"], err = json.Marshal(kept); err != nil {
		return err
	}
	text, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return err
	}
	if err := write(filepath.Join(to, "manifest.json"), append(text, '\n')); err != nil {
		return err
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if n := e.Name(); strings.HasSuffix(n, ".bin") || strings.HasSuffix(n, ".cl") || slices.Contains(files, n) {
			data, err := os.ReadFile(filepath.Join(from, n))
			if err != nil {
				return err
			}
			if err := write(filepath.Join(to, n), data); err != nil {
				return err
			}
		}
	}
	return nil
}
