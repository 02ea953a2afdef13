package live_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"io"
	"math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/heddle-gpu/heddle/internal/live"
	"github.com/heddle-gpu/heddle/internal/web"
)

// TestPlay: the page has the sets, and for each that can draw a program that draws.
func TestPlay(t *testing.T) {
	page := string(live.Play())
	data := func(id string, v any) {
		t.Helper()
		m := regexp.MustCompile(`id=` + id + `>(.*)</script>`).FindStringSubmatch(page)
		if m == nil {
			t.Fatalf("no %s", id)
		}
		if err := json.Unmarshal([]byte(m[1]), v); err != nil {
			t.Fatal(err)
		}
	}
	var sets []web.Set
	data("live-sets", &sets)
	programs := map[string]string{}
	data("live-programs", &programs)
	for _, s := range sets {
		text, has := programs[s.Name]
		if has != s.Draws {
			t.Errorf("%s: draws is %v, and there is a program: %v", s.Name, s.Draws, has)
		}
		if !has {
			continue
		}
		request, err := json.Marshal(web.Draw{Target: web.Target{ISA: s.Name}, Text: text, Width: 16, Height: 8})
		if err != nil {
			t.Fatal(err)
		}
		var answer struct {
			Result web.Drawn
			Error  *web.Error
		}
		if err := json.Unmarshal(web.Call(context.Background(), "draw", request), &answer); err != nil || answer.Error != nil {
			t.Errorf("%s: %v %+v", s.Name, err, answer.Error)
			continue
		}
		pixels, err := base64.StdEncoding.DecodeString(answer.Result.Pixels)
		if err != nil || len(pixels) != 4*16*8 {
			t.Fatal(len(pixels), err)
		}
		colours := map[[4]byte]bool{}
		for i := 0; i < len(pixels); i += 4 {
			colours[[4]byte(pixels[i:])] = true
		}
		if len(colours) < 16 {
			t.Errorf("%s: the picture has %d colours", s.Name, len(colours))
		}
	}
	julia, err := os.ReadFile("../../examples/julia/julia.s")
	if err != nil || programs["attila"] != string(julia) {
		t.Errorf("the program of attila is not the example's: %v", err)
	}
}

// TestScripts: scripts and styles name no host, and a widget's attributes are quoted.
func TestScripts(t *testing.T) {
	for _, f := range live.Pages() {
		if m := regexp.MustCompile(`https?:|//[a-z]+\.|@import|url\(`).Find(f.Data); m != nil {
			t.Errorf("%s has %q", f.Name, m)
		}
		if len(f.Data) < 2000 || len(f.Data) > 60000 {
			t.Errorf("%s has %d bytes", f.Name, len(f.Data))
		}
	}
}

// TestEngineFile: the script is UTF-16, contains what was packed, for any content, and nothing that ends a script.
func TestEngineFile(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for size := range 64 {
		w := &live.Wasm{Packed: make([]byte, size), Exec: []byte("a = '</script>' + \"\\n\";\n")}
		sum := new(big.Int) // all bits, lowest first
		for i := range w.Packed {
			w.Packed[i] = byte(random.Uint32())
			sum.Or(sum, new(big.Int).Lsh(big.NewInt(int64(w.Packed[i])), uint(8*i)))
		}
		f := w.File()
		units := make([]uint16, len(f.Data)/2)
		for i := range units {
			units[i] = binary.LittleEndian.Uint16(f.Data[2*i:])
		}
		text := string(utf16.Decode(units))
		m := regexp.MustCompile("^\ufeffheddleWasm\\((\".*\"),(\\d+),\"([\u3400-\ub3ff]*)\"\\)\n$").FindStringSubmatch(text)
		if f.Name != live.Engine || m == nil || strings.Contains(text, "</") {
			t.Fatalf("%s: %q", f.Name, text)
		}
		var exec string
		if err := json.Unmarshal([]byte(m[1]), &exec); err != nil || exec != string(w.Exec) || m[2] != strconv.Itoa(size) {
			t.Errorf("%q, %v, %s bytes", exec, err, m[2])
		}
		got := new(big.Int)
		for i, u := range []rune(m[3]) {
			got.Or(got, new(big.Int).Lsh(big.NewInt(int64(u-0x3400)), uint(15*i)))
		}
		if got.Cmp(sum) != 0 {
			t.Errorf("%d bytes: %x, want %x", size, got, sum)
		}
	}
}

// mostEngine limits the size of the script that pages load: with the pages of all sets, whose size package site limits,
// the site stays under 15 MB. The script has 5.08 MB.
const mostEngine = 5_150_000

// TestFind: the result of a build is WebAssembly, small enough, and cached: it is found again without a build.
func TestFind(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("NOT TESTED: there is no go command")
	}
	w, err := live.Find(context.Background(), live.Options{Say: func(what string) { t.Log(what) }})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(w.File().Data); n > mostEngine {
		t.Errorf("%s has %d bytes, at most %d", live.Engine, n, mostEngine)
	}
	z, err := gzip.NewReader(bytes.NewReader(w.Packed))
	if err != nil {
		t.Fatal(err)
	}
	head := make([]byte, 4)
	if _, err := io.ReadFull(z, head); err != nil || string(head) != "\x00asm" {
		t.Errorf("it begins with %q: %v", head, err)
	}
	if !strings.Contains(string(w.Exec), "globalThis.Go") {
		t.Error("wasm_exec.js is something else")
	}
	if _, err := live.Find(context.Background(), live.Options{Say: func(what string) { t.Errorf("again: %s", what) }}); err != nil {
		t.Fatal(err)
	}
}

// TestLack: without a go command the error says what is missing, and gives a remedy.
func TestLack(t *testing.T) {
	if live.Embedded() {
		t.Skip("this binary holds the WebAssembly")
	}
	t.Setenv("PATH", t.TempDir())
	_, err := live.Find(context.Background(), live.Options{})
	lack, ok := err.(*live.Lack)
	if !ok || !strings.Contains(err.Error(), "no go command") || !strings.Contains(lack.Hint, "--no-live") {
		t.Errorf("%v", err)
	}
}
