package debug

import (
	"testing"

	"github.com/heddle-gpu/heddle/srcinfo"
)

// TestParts: a struct, vector or array shows the text of each part, even if some have no value; without any value the
// reason is shown once.
func TestParts(t *testing.T) {
	word := &srcinfo.Type{Name: "int", Kind: srcinfo.Int, Size: 4}
	vec := &srcinfo.Type{Name: "int2", Kind: srcinfo.Vector, Size: 8, Elem: word, Count: 2}
	pair := &srcinfo.Type{Name: "struct pair", Kind: srcinfo.Struct, Size: 12, Fields: []srcinfo.Field{{Name: "x", Type: word}, {Name: "v", Type: vec, Offset: 4}}}
	seven, nine := srcinfo.Piece{Place: srcinfo.Known, Size: 4, Bytes: []byte{7, 0, 0, 0}}, srcinfo.Piece{Place: srcinfo.Known, Size: 4, Bytes: []byte{9, 0, 0, 0}}
	none := srcinfo.Piece{Size: 4}
	for _, c := range []struct {
		pieces []srcinfo.Piece
		want   string
	}{
		{[]srcinfo.Piece{seven, nine, seven}, "{x = 7, v = {9, 7}}"},
		{[]srcinfo.Piece{none, nine, seven}, "{x = <optimised out>, v = {9, 7}}"},
		{[]srcinfo.Piece{seven, none, nine}, "{x = 7, v = {<optimised out>, 9}}"},
		{[]srcinfo.Piece{seven, none, none}, "{x = 7, v = <optimised out>}"},
		{[]srcinfo.Piece{none, none, none}, "<optimised out>"},
	} {
		o := &Object{Name: "p", Type: pair, pieces: c.pieces}
		if got := o.Text(0); got != c.want {
			t.Errorf("%v: %s; want %s", c.pieces, got, c.want)
		}
	}
}
