package laws

import (
	"bytes"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/isa"
)

// FuzzFile checks that arbitrary text assembles, or gives errors with valid positions, in order and within the limits,
// and that the result is deterministic; a listing of the result assembles to the same bytes.
func FuzzFile(t testing.TB, tg *isa.Target, src string) {
	const limit = 1 << 14
	if len(src) > 4096 {
		return
	}
	opt := asm.Options{File: "f", MaxSize: limit, MaxExpand: 1 << 12}
	a, errs := asm.Assemble(tg, []byte(src), opt)
	if (a == nil) == (len(errs) == 0) {
		t.Fatalf("%v, %v", a, errs)
	}
	for i, e := range errs {
		if e.Code == "" || e.Msg == "" || e.Line < 1 || e.Col < 1 || e.File != "f" || i > 0 && e.Code != isa.ErrLimit && e.Line < errs[i-1].Line {
			t.Errorf("%#v", e)
		}
		_ = e.Detail()
	}
	if a == nil {
		return
	}
	if len(a.Code) > limit {
		t.Fatalf("%d bytes", len(a.Code))
	}
	again, errs := asm.Assemble(tg, []byte(src), opt)
	if len(errs) > 0 || !bytes.Equal(a.Code, again.Code) {
		t.Fatalf("%q: assembles to %x, then to %x, %v", src, a.Code, again.Code, errs)
	}
	Bytes(t, a.Target, a.Code, a.Base)
}
