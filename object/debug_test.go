package object

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestLine: the lines of add.s, which has v_mov_b32 in lines 9 and 10, flat_store_dword of 8 bytes in 11, s_endpgm in
// 12.
func TestLine(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "cmd", "heddle", "testdata", "lines", "add.o"))
	if err != nil {
		t.Fatal(err)
	}
	o, err := ReadHSA(data)
	if err != nil {
		t.Fatal(err)
	}
	k, _ := o.Kernel("add")
	for off, want := range map[uint64]int{0: 9, 4: 10, 8: 11, 12: 11, 16: 12, 20: 0} {
		if p := o.Source(k.Entry + off); p.Line != want || p.Known() && p.File != "add.s" {
			t.Errorf("%#x: %v, want line %d", off, p, want)
		}
	}
	if p := o.Source(k.Entry - 4); p.Known() {
		t.Errorf("before the code: %v", p)
	}
}

// TestBrokenLines: the code is read whatever the debug sections contain.
func TestBrokenLines(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "cmd", "heddle", "testdata", "lines", "add.o"))
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(data, []byte("add.s"))
	if at < 0 {
		t.Fatal("no name of the source")
	}
	for i := range 600 {
		for _, x := range []byte{0, 0x80, 0xff} {
			broken := bytes.Clone(data)
			broken[(at+len(data)-300+i)%len(data)] = x
			o, err := ReadHSA(broken)
			if err != nil {
				continue
			}
			if k, ok := o.Kernel("add"); ok {
				if p := o.Source(k.Entry); p.Line < 0 || p.Col < 0 {
					t.Errorf("byte %d is %#x: %v", i, x, p)
				}
			}
		}
	}
}
