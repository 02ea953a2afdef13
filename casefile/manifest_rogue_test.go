package casefile

import (
	"bytes"
	"strings"
	"testing"
)

const rogueManifest = `{"format": "heddle-rogue-kernel-1", "name": "n", "variants": [{"file": "k.bin", "isa": "rogue", "variant": "rogue"}],
	"buffers": {
		"a": {"bytes": 8, "elem": "uint32", "address": "200000000", "words": [{"type": "u32", "value": 3}]},
		"b": {"bytes": 8, "elem": "uint32", "init": "zero"}
	},
	"launches": [{"kernel": "k", "work_dim": 1, "grid": [64, 1, 1], "block": [32, 1, 1], "options": {"denormals": "flush"},
		"args": [{"type": "u32", "value": 5}, {"buffer": "b"}]}]}`

// TestRogueManifest: buffers have addresses, arguments are words.
func TestRogueManifest(t *testing.T) {
	m, err := ReadManifest(strings.NewReader(rogueManifest), "m.json")
	if err != nil {
		t.Fatal(err)
	}
	words, err := m.Words(m.Launches[0].Args)
	if want := []byte{5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 2, 0, 0, 0}; err != nil || !bytes.Equal(words, want) || m.Launches[0].Options["denormals"] != "flush" {
		t.Errorf("words are % x, %v, want % x", words, err, want)
	}
}

// TestRogueManifestRefused: invalid values, and keys of Valhall, are errors with their key.
func TestRogueManifestRefused(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{`"block": [32, 1, 1]`, `"block": [32, 1, 1], "shared_bytes": 4`, "launches[0].shared_bytes: manifests of format heddle-valhall-kernel-1, heddle-tesla-kernel-1 have it, this one is heddle-rogue-kernel-1"},
		{`"block": [32, 1, 1]`, `"block": [32, 1, 1], "preload": "1"`, "launches[0].preload: "},
		{`"block": [32, 1, 1]`, `"block": [32, 1, 1], "resources": [["a"]]`, "launches[0].resources: "},
		{`"block": [32, 1, 1]`, `"block": [32, 1, 1], "global_offset": [1, 0, 0]`, "launches[0].global_offset: jobs of Rogue have none"},
		{`{"type": "u32", "value": 5}`, `{"local_bytes": 4}`, "launches[0].args[0].local_bytes: programs of Rogue have no workgroup memory"},
		{`[{"type": "u32", "value": 5}`, `[` + strings.Repeat(`{"type": "u32", "value": 5}, `, 4094) + `{"type": "u32", "value": 5}`, "bytes of sh0 to sh4095"},
	} {
		if _, err := ReadManifest(strings.NewReader(strings.Replace(rogueManifest, c.old, c.new, 1)), "m.json"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60s: %v, want %q", c.new, err, c.want)
		}
	}
}
