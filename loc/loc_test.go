package loc

import (
	"encoding/json"
	"testing"
)

func TestPosition(t *testing.T) {
	for _, tt := range []struct {
		p    Position
		want string
	}{
		{Position{}, ""},
		{Position{File: "a.s"}, ""},
		{Position{File: "a.s", Line: 3}, "a.s:3"},
		{Position{File: "a.cl", Path: "/x/a.cl", Line: 3, Col: 7}, "a.cl:3:7"},
		{Position{Line: 3, Col: 7}, "<text>:3:7"},
	} {
		if got := tt.p.String(); got != tt.want || tt.p.Known() != (tt.want != "") {
			t.Errorf("%#v: %q, known %v; want %q", tt.p, got, tt.p.Known(), tt.want)
		}
	}
}

func TestPlace(t *testing.T) {
	text, source := Position{File: "a.s", Line: 3, Col: 2}, Position{File: "a.cl", Path: "/x/a.cl", Line: 9}
	for _, tt := range []struct {
		p              Place
		position, want string
		wantJSON       string
	}{
		{Place{Addr: 16}, "", "0x10", `{"addr":16,"offset":0}`},
		{Place{Addr: 16, Symbol: "f", Offset: 4}, "", "0x10 <f+0x4>", `{"addr":16,"symbol":"f","offset":4}`},
		{Place{Addr: 16, Symbol: "f", Text: text}, "a.s:3:2", "0x10 <f> (a.s:3:2)", `{"addr":16,"symbol":"f","offset":0,"file":"a.s","line":3,"col":2}`},
		{Place{Source: source}, "a.cl:9", "0x0 (a.cl:9)", `{"addr":0,"offset":0,"file":"a.cl","line":9,"source_file":"a.cl","source_path":"/x/a.cl","source_line":9}`},
		{Place{Text: text, Source: source}, "a.s:3:2", "0x0 (a.s:3:2, a.cl:9)",
			`{"addr":0,"offset":0,"file":"a.s","line":3,"col":2,"source_file":"a.cl","source_path":"/x/a.cl","source_line":9}`},
	} {
		if got := tt.p.String(); got != tt.want || tt.p.Position().String() != tt.position {
			t.Errorf("%q and %q, want %q and %q", got, tt.p.Position(), tt.want, tt.position)
		}
		if got, err := json.Marshal(tt.p.JSON()); err != nil || string(got) != tt.wantJSON {
			t.Errorf("%s, %v; want %s", got, err, tt.wantJSON)
		}
	}
}

func TestMap(t *testing.T) {
	m := &Map{Bias: 0x1000, Symbols: []Symbol{{"b", 8}, {"a", 0}, {"first", 16}, {"second", 16}}}
	m.Sort()
	for addr, want := range map[uint64]string{0: "a", 4: "a+0x4", 8: "b", 15: "b+0x7", 16: "first", 20: "first+0x4"} {
		if p := m.At(addr); p.Name() != want || p.Addr != addr || m.Memory(addr) != addr+0x1000 {
			t.Errorf("%#x: %v, want %s", addr, p, want)
		}
	}
	var none *Map
	if p := none.At(0x40); p != (Place{Addr: 0x40}) || none.Memory(4) != 4 || none.All() != nil {
		t.Errorf("a nil map: %v", p)
	}
}
