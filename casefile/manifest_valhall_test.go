package casefile

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

const valhallManifest = `{"format": "heddle-valhall-kernel-1", "name": "n", "variants": [{"file": "k.bin", "isa": "valhall", "variant": "v9"}],
	"buffers": {
		"a": {"bytes": 70000, "elem": "uint8", "init": "zero"},
		"b": {"bytes": 16, "elem": "uint32", "address": "0x200000000", "words": [{"type": "f32", "value": 1.5}, {"buffer": "a"}]},
		"c": {"bytes": 8, "elem": "uint32", "init": "zero", "address": "f7ffb000"},
		"d": {"bytes": 8, "elem": "uint32", "init": "zero"}
	},
	"launches": [{"kernel": "k", "work_dim": 1, "grid": [64, 1, 1], "block": [16, 1, 1], "shared_bytes": 256, "private_bytes": 32, "preload": "7180",
		"options": {"subnormals": "flush"}, "resources": [["b", "", "c"], []], "args": [{"buffer": "c"}, {"type": "u32", "value": 5}, {"buffer": "a"}]}]}`

func readValhall(text string) (*Manifest, error) {
	return ReadManifest(strings.NewReader(text), "m.json")
}

// TestValhallManifest: buffers without an address are placed apart from each other and after those that have one; words
// have the values that they name.
func TestValhallManifest(t *testing.T) {
	m, err := readValhall(valhallManifest)
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]uint64{"a": 0x2_0002_0000, "b": 0x2_0000_0000, "c": 0xf7ffb000, "d": 0x2_0005_0000}
	for i := range m.Buffers {
		if b := &m.Buffers[i]; b.Address != at[b.Name] {
			t.Errorf("%s lies at %#x, want %#x", b.Name, b.Address, at[b.Name])
		}
	}
	l := &m.Launches[0]
	if l.SharedBytes != 256 || l.PrivateBytes != 32 || l.Preload != 0x7180 || l.Options["subnormals"] != "flush" || fmt.Sprint(l.Resources) != "[[b  c] []]" {
		t.Errorf("%+v", l)
	}
	b, _ := m.Buffer("b")
	data, err := m.InitData(b)
	if want := []byte{0, 0, 0xc0, 0x3f, 0, 0, 0, 0, 0, 0, 2, 0, 2, 0, 0, 0}; err != nil || !bytes.Equal(data, want) {
		t.Errorf("b begins with % x, %v, want % x", data, err, want)
	}
	words, err := m.Words(l.Args)
	want := []byte{0, 0xb0, 0xff, 0xf7, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 2, 0, 0, 0}
	if err != nil || !bytes.Equal(words, want) {
		t.Errorf("uniform words are % x, %v, want % x", words, err, want)
	}
}

// TestValhallManifestRefused: invalid values are errors with their key.
func TestValhallManifestRefused(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{`"address": "f7ffb000"`, `"address": "20000000f"`, `buffers.c: at 0x20000000f, inside of "b": 16 bytes at 0x200000000`},
		{`"address": "f7ffb000"`, `"address": "3fffffffffff"`, `buffers.c.address: 8 bytes at 0x3fffffffffff; buffers lie below 0x400000000000`},
		{`"address": "f7ffb000"`, `"address": "ffffffffffffffff"`, `buffers.c.address: 8 bytes`},
		{`"address": "f7ffb000"`, `"address": "3ffffffffff8"`, `buffers.a: no room for 70000 bytes`},
		{`"address": "f7ffb000"`, `"address": "here"`, `buffers.c.address: `},
		{`"init": "zero", "address"`, `"address"`, `buffers.c: no init`},
		{`{"type": "f32", "value": 1.5}, {`, `{"type": "f64", "value": 1.5}, {"buffer": "c"}, {`, `buffers.b.words: 24 bytes, there are 16 bytes of the buffer`},
		{`1.5}, {"buffer": "a"}`, `1.5}, {"buffer": "x"}`, `buffers.b.words[1].buffer: there is no buffer "x"`},
		{`"words": [`, `"init": "zero", "words": [`, `buffers.b: both init and words`},
		{`"shared_bytes": 256`, `"shared_bytes": 65537`, `launches[0].shared_bytes: `},
		{`"private_bytes": 32`, `"private_bytes": -1`, `launches[0].private_bytes: `},
		{`"7180"`, `"10000"`, `launches[0].preload: `},
		{`"flush"`, `7`, `launches[0].options.subnormals: `},
		{`["b", "", "c"]`, `["b", "x"]`, `launches[0].resources[0][1]: there is no buffer "x"`},
		{`[]]`, `[]` + strings.Repeat(", []", 63) + `]`, `launches[0].resources`},
		{`{"type": "u32", "value": 5}`, `{"local_bytes": 8}`, `launches[0].args[1].local_bytes: `},
		{`{"type": "u32", "value": 5}`, `{"type": "u32", "value": 5}` + strings.Repeat(`, {"type": "u64", "value": 5}`, 127), `launches[0].args: 1040 bytes, there are 1024`},
		{`"kernel": "k"`, `"kernel": "k", "global_offset": [1, 0, 0]`, `launches[0].global_offset: `},
		{`"grid": [64, 1, 1]`, `"grid": [4294967296, 1, 1]`, `launches[0].grid`},
		{`"grid": [64, 1, 1]`, `"grid": [65, 1, 1]`, `launches[0].grid: [65 1 1] is no multiple of block [16 1 1]`},
		{`"block": [16, 1, 1]`, `"block": [16, 64, 64]`, `launches[0].block: `},
		{`heddle-valhall-kernel-1`, `heddle-gcn-kernel-1`, `buffers.b.words: manifests of format heddle-valhall-kernel-1, heddle-rogue-kernel-1 have it, this one is heddle-gcn`},
	} {
		if strings.Count(valhallManifest, c.old) == 0 {
			t.Fatalf("no %q", c.old)
		}
		_, err := readValhall(strings.Replace(valhallManifest, c.old, c.new, 1))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.new[:min(60, len(c.new))], err, c.want)
		}
	}
	for _, key := range []string{`"shared_bytes": 8`, `"private_bytes": 8`, `"preload": "7180"`, `"options": {}`, `"resources": []`} {
		text := `{"format": "heddle-gcn-kernel-1", "name": "n", "variants": [{"file": "k.bin", "isa": "gcn", "variant": "gfx8"}],
			"launches": [{"kernel": "k", "work_dim": 1, "grid": [1, 1, 1], "block": [1, 1, 1], ` + key + `}]}`
		if _, err := readValhall(text); err == nil || !strings.Contains(err.Error(), " have it, this one is heddle-gcn-kernel-1") {
			t.Errorf("%s: %v", key, err)
		}
	}
}
