package object

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"unicode"
)

// machines are the numbers that "llvm-mc -triple=amdgcn-amd-amdhsa -mcpu=NAME -filetype=obj" of LLVM 22 writes into
// e_flags; those of gfx940 and gfx941, which it does not know any more, are from the guide of LLVM 17.
const machines = `20 gfx600 21 gfx601 22 gfx700 23 gfx701 24 gfx702 25 gfx703 26 gfx704 28 gfx801 29 gfx802 2a gfx803 2b gfx810
2c gfx900 2d gfx902 2e gfx904 2f gfx906 30 gfx908 31 gfx909 32 gfx90c 33 gfx1010 34 gfx1011 35 gfx1012 36 gfx1030 37 gfx1031 38 gfx1032
39 gfx1033 3a gfx602 3b gfx705 3c gfx805 3d gfx1035 3e gfx1034 3f gfx90a 40 gfx940 41 gfx1100 42 gfx1013 43 gfx1150 44 gfx1103 45 gfx1036
46 gfx1101 47 gfx1102 48 gfx1200 4a gfx1151 4b gfx941 4c gfx942 4e gfx1201 4f gfx950 51 gfx9-generic 52 gfx10-1-generic 53 gfx10-3-generic
54 gfx11-generic 55 gfx1152 58 gfx1153 59 gfx12-generic 5f gfx9-4-generic`

// TestMachines: each number has its processor, and no other number has one.
func TestMachines(t *testing.T) {
	want := map[uint32]string{}
	for f := strings.Fields(machines); len(f) > 0; f = f[2:] {
		var n uint32
		if _, err := fmt.Sscanf(f[0], "%x", &n); err != nil {
			t.Fatal(err)
		}
		want[n] = f[1]
	}
	for n := range uint32(256) {
		name, err := targetOf(0xabcd00 | n)
		if name != want[n] || (err == nil) != (want[n] != "") {
			t.Errorf("machine %#x is %q, %v; want %q", n, name, err, want[n])
		}
		if name != "" && TargetFlags(name) != n {
			t.Errorf("%s has machine %#x, want %#x", name, TargetFlags(name), n)
		}
	}
}

// TestFieldWords: the description of each value of a field that has descriptions. LLVM, "User Guide for AMDGPU
// Backend", Floating Point Rounding Mode, Floating Point Denorm Mode and System VGPR Work-Item ID Enumeration Values.
func TestFieldWords(t *testing.T) {
	rounds := []string{"to nearest even", "up", "down", "to zero"}                                   // NEAR_EVEN, PLUS_INFINITY, MINUS_INFINITY, ZERO
	denorms := []string{"sources and results flushed", "results flushed", "sources flushed", "kept"} // FLUSH_SRC_DST, FLUSH_DST, FLUSH_SRC, FLUSH_NONE
	items := []string{"v0 is x", "v0, v1 are x, y", "v0, v1, v2 are x, y, z", "undefined"}           // X, X_Y, X_Y_Z, UNDEFINED
	for _, c := range []struct {
		name     string
		word, at int
		says     []string
	}{{"FLOAT_ROUND_MODE_32", 48, 12, rounds}, {"FLOAT_ROUND_MODE_16_64", 48, 14, rounds}, {"FLOAT_DENORM_MODE_32", 48, 16, denorms},
		{"FLOAT_DENORM_MODE_16_64", 48, 18, denorms}, {"ENABLE_VGPR_WORKITEM_ID", 52, 11, items}} {
		for v, says := range c.says {
			var d Descriptor
			binary.LittleEndian.PutUint32(d.Raw[c.word:], uint32(v)<<c.at)
			found := false
			for _, f := range d.Fields("gfx803") {
				if f.Name == c.name {
					found = true
					if f.Value != uint64(v) || f.Says != says {
						t.Errorf("%s of %d is %d: %q, want %q", c.name, v, f.Value, f.Says, says)
					}
				}
			}
			if !found {
				t.Errorf("%s is no field", c.name)
			}
		}
	}
}

// TestEscapes: those of YAML 1.2, section 5.7, that LLVM writes; any other letter is an error.
func TestEscapes(t *testing.T) {
	want := map[byte]string{'0': "\x00", 'a': "\x07", 'b': "\x08", 't': "\x09", 'n': "\x0a", 'v': "\x0b", 'f': "\x0c", 'r': "\x0d", 'e': "\x1b",
		' ': " ", '"': "\"", '/': "/", '\\': "\\"}
	for c := byte(' '); c < 0x7f; c++ {
		if c == 'x' || c == 'u' || c == 'U' { // digits follow
			continue
		}
		n, err := readYAML(`k: "a\` + string(c) + `b"`)
		switch s, ok := want[c]; {
		case !ok && err == nil:
			t.Errorf(`\%c is %q, and YAML has no such escape that is read here`, c, n.items[0].text)
		case ok && (err != nil || n.items[0].text != "a"+s+"b"):
			t.Errorf(`\%c: %v, %v, want %q`, c, n, err, s)
		}
	}
	for text, want := range map[string]string{`\x00`: "\x00", `\xfF`: "ÿ", `\u0000`: "\x00", `\uffFD`: "�", `\U0010FFFF`: "\U0010ffff", `\U00110000`: "",
		`\x1`: "", `\u123`: "", `\U1234567`: "", `\x1g`: ""} {
		n, err := readYAML(`k: "` + text + `"`)
		if want == "" && err == nil || want != "" && (err != nil || n.items[0].text != want) {
			t.Errorf("%s: %v, %v, want %q", text, n, err, want)
		}
	}
}

// TestQuotePrintable: the output has only characters that YAML 1.2, section 5.1, calls printable, and reads back.
func TestQuotePrintable(t *testing.T) {
	for r := range rune(0x180) {
		for _, s := range []string{string(r), "a" + string(r), "a" + string(r) + "b", "-" + string(r)} {
			text := quote(s)
			for _, c := range text {
				if unicode.IsControl(c) {
					t.Errorf("%q is written with the control character %q", s, c)
				}
			}
			if n, err := readYAML("k: " + text); err != nil || n.items[0].text != s {
				t.Errorf("%q as %s is %v, %v", s, text, n, err)
			}
		}
	}
}

// TestHashes: the hashes of .hash and .gnu.hash, of names that the System V ABI's and glibc's give these for, short
// ones and those that lose bits above.
func TestHashes(t *testing.T) {
	for _, c := range []struct {
		name      string
		sysv, gnu uint32
	}{{"", 0, 0x1505}, {"a", 0x61, 0x2b606}, {"exit", 0x0006cf04, 0x7c967e3f}, {"printf", 0x077905a6, 0x156b2bb8}, {"syscall", 0x0b09985c, 0xbac212a0},
		{"flapenguin.me", 0x03987915, 0x8ae9f18e}} {
		if got := elfHash(c.name); got != c.sysv {
			t.Errorf("hash of %q is %#x, want %#x", c.name, got, c.sysv)
		}
		if got := gnuHash(c.name); got != c.gnu {
			t.Errorf("GNU hash of %q is %#x, want %#x", c.name, got, c.gnu)
		}
	}
}
