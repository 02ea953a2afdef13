package gcn

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/isa"
)

// TestNumberFormat6: its name is different on gfx8; the encodings are LLVM's.
func TestNumberFormat6(t *testing.T) {
	const text = "tbuffer_load_format_x v0, off, s[0:3], 0 format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_%]"
	for v, c := range map[int][3]string{
		gfx8: {"RESERVED_6", "SNORM_OGL", "000020eb00000080"}, gfx7: {"SNORM_OGL", "RESERVED_6", "000020eb00000080"}, gfx6: {"SNORM_OGL", "RESERVED_6", "000020eb00000080"},
	} {
		tg := Set().At(v, 0)
		var b isa.Bundle
		line := strings.Replace(text, "%", c[0], 1)
		if err := tg.Parse(line, 0, &b); err != nil {
			t.Fatal(err)
		}
		code, err := b.Encode(nil)
		if got := string(tg.Print(nil, &b)); err != nil || hex.EncodeToString(code) != c[2] || got != line {
			t.Errorf("%s: %x, %v, %s", tg, code, err, got)
		}
		if err := tg.Parse(strings.Replace(text, "%", c[1], 1), 0, &b); err == nil {
			t.Errorf("%s takes %s", tg, c[1])
		}
	}
}
