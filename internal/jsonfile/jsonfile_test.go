package jsonfile

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// A level is a type that reads itself: "low" or "high".
type level int

func (l *level) UnmarshalJSON(v []byte) error {
	s, err := String(v)
	switch {
	case err != nil:
		return err
	case s != "low" && s != "high":
		return Bad("%q is no level", s)
	}
	*l = level(len(s))
	return nil
}

type part struct {
	Name  string  `json:"-"`
	Size  int     `json:"size" need:"true" range:"1..64" of:"its length"`
	Scale float64 `json:"scale" default:"1"`
}

type whole struct {
	Name   string               `json:"name" need:"some"`
	Kind   string               `json:"kind" one:"big|small"`
	Cull   string               `json:"cull" only:"none" else:"culling is not built"`
	File   string               `json:"file" is:"file"`
	Sure   bool                 `json:"sure"`
	Any    bool                 `json:"any" is:"any"`
	Flags  []bool               `json:"flags" is:"flag" most:"4"`
	Count  int                  `json:"count" default:"-1" range:"0..BufferBytes"`
	Mask   int                  `json:"mask" is:"word" range:"1..0xffff"`
	Free   int                  `json:"free" is:"word"`
	Offs   [2]int               `json:"offs" is:"word" range:"0..12" unit:"4"`
	Dots   [][2]int             `json:"dots" of:"x and y"`
	Nulls  [2][]uint32          `json:"nulls" is:"words" len:"2" null:"true"`
	Reg    int                  `json:"reg" name:"r 127"`
	Word   uint32               `json:"word"`
	Half   uint32               `json:"half" is:"word16"`
	Long   uint64               `json:"long"`
	Index  []uint32             `json:"index" range:"0..9"`
	Data   []byte               `json:"data" most:"2"`
	Code   []byte               `json:"code" is:"code"`
	Three  [3]int               `json:"three" range:"0..9"`
	Box    [2]float64           `json:"box" of:"x and y"`
	Lanes  []uint32             `json:"lanes" is:"words" len:"3"`
	Pair   []int                `json:"pair" len:"2" of:"x and y"`
	Vec    map[string][2]uint32 `json:"vec" is:"words"`
	Regs   map[int]uint32       `json:"regs" name:"v 255" most:"2"`
	Level  level                `json:"level"`
	Parts  []part               `json:"parts" by:"Name" most:"2"`
	List   []*part              `json:"list"`
	One    *part                `json:"one" null:"true"`
	Levels [][]level            `json:"levels"`
	Sub    struct {
		A int `json:"a"`
	} `json:"sub"`
	_ struct{} `ignore:"remark tool"`
}

type open struct {
	Addr  uint64                     `json:"addr" sets:"a b"`
	Size  int                        `json:"size" sets:"b"`
	Extra map[string]json.RawMessage `json:"-" unknown:"keep"`
}

type rest struct {
	Job uint64   `json:"job"`
	_   struct{} `ignore:"*"`
}

func TestRead(t *testing.T) {
	const text = ` {"name": "n\u00e9", "kind": "big", "cull": "none", "file": "a/b", "sure": true, "any": "any", "flags": [0, 1], "mask": "ff", "free": "7fffffffffffffff", "offs": [4, "c"], "nulls": [null, "1 2"], "reg": "r127",
		"word": "0xffffffff", "half": 65535, "long": "ffffffffffffffff", "index": [9, 0], "data": "00ff", "code": "-", "three": [1, 2, 3], "box": [-1.5, 2e1],
		"lanes": "1 ff ffffffff", "vec": {"i0": "1 2", "o1": "3 4"}, "regs": {"v0": 7, "v255": "0x8"}, "level": "high", "parts": {"b": {"size": 1}, "a": {"size": 64, "scale": 2}},
		"list": [{"size": 5}], "one": null, "levels": [["low"], []], "sub": {"a": -3}, "remark": [{"x": "}"}]} `
	got := whole{}
	if err := Read([]byte(text), &got, nil); err != nil {
		t.Fatal(err)
	}
	want := whole{Name: "né", Kind: "big", Cull: "none", File: "a/b", Sure: true, Any: true, Flags: []bool{false, true}, Count: -1, Mask: 255, Free: 1<<63 - 1, Offs: [2]int{1, 3}, Nulls: [2][]uint32{1: {1, 2}}, Reg: 127,
		Word: 1<<32 - 1, Half: 65535, Long: 1<<64 - 1, Index: []uint32{9, 0}, Data: []byte{0, 255}, Three: [3]int{1, 2, 3}, Box: [2]float64{-1.5, 20},
		Lanes: []uint32{1, 255, 1<<32 - 1}, Vec: map[string][2]uint32{"i0": {1, 2}, "o1": {3, 4}}, Regs: map[int]uint32{0: 7, 255: 8}, Level: 4,
		Parts: []part{{"b", 1, 1}, {"a", 64, 2}}, List: []*part{{"", 5, 1}}, Levels: [][]level{{3}, {}}}
	want.Sub.A = -3
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
	o := open{}
	if err := Read([]byte(`{"addr": 16, "mood": {"good": [1]}}`), &o, nil); err != nil || o.Addr != 16 || string(o.Extra["mood"]) != `{"good": [1]}` {
		t.Errorf("%+v, %v", o, err)
	}
	r := rest{}
	if err := Read([]byte(`{"jab": [], "job": "10", "a": 1, "a": 2}`), &r, nil); err != nil || r.Job != 16 {
		t.Errorf("%+v, %v", r, err)
	}
}

// badTexts are documents with an error, and what it says. The mark ^ is at the value or key at fault.
var badTexts = []struct{ text, want string }{
	{`{"name": ^5}`, `name: found 5, want a string`},
	{`^{}`, `no name`},
	{`^{"name": ""}`, `no name`},
	{`^[]`, `found [], want an object`},
	{`{"name": "n", ^"name": "m"}`, `name: key is given twice`},
	{`{"tool": 1, ^"tool": 2}`, `tool: key is given twice`},
	{"{\n \"name\": \"n\",\n\t^\"cuont\": 1}", `cuont: unknown key; did you mean "count"?`},
	{`{"name": "n", ^"colour": 1}`, `colour: unknown key`},
	{`{"name": "n", "kind": ^"middle"}`, `kind: "middle" is none of big, small`},
	{`{"name": "n", "cull": ^"back"}`, `cull: back: culling is not built`},
	{`{"name": "n", "file": ^"../x"}`, `file: "../x" is not the name of a file in the same folder or below it`},
	{`{"name": "n", "sure": ^1}`, `sure: found 1, want true or false`},
	{`{"name": "n", "any": ^true}`, `any: found true, want "any"`},
	{`{"name": "n", "flags": [0, ^2]}`, `flags[1]: 2 is not in 0 to 1`},
	{`{"name": "n", "flags": [0, 0, 0, 0, ^1]}`, `flags[4]: more than 4`},
	{`{"name": "n", "count": ^-1}`, `count: -1 is not in 0 to 1073741824`},
	{`{"name": "n", "count": ^1.5}`, `count: found 1.5, want a whole number`},
	{`{"name": "n", "mask": ^"10000"}`, `mask: 0x10000 is not in 0x1 to 0xffff`},
	{`{"name": "n", "free": ^"8000000000000000"}`, `free: 0x8000000000000000 is not in 0x0 to 0x7fffffffffffffff`},
	{`{"name": "n", "offs": [0, ^"6"]}`, `offs[1]: 0x6 is no multiple of 4`},
	{`{"name": "n", "offs": [0, ^16]}`, `offs[1]: 0x10 is not in 0x0 to 0xc`},
	{`{"name": "n", "dots": [[1, 2], ^[1]]}`, `dots[1]: 1 numbers, want x and y`},
	{`{"name": "n", "nulls": [null, ^"1"]}`, `nulls[1]: 1 words, want 2 hexadecimal words in a string`},
	{`{"name": "n", "reg": ^"r128"}`, `reg: want r0 to r127`},
	{`{"name": "n", "reg": ^"s1"}`, `reg: want r0 to r127`},
	{`{"name": "n", "word": ^"100000000"}`, `word: found "100000000", want a word of 32 bits`},
	{`{"name": "n", "word": ^-1}`, `word: found -1, want a hexadecimal word`},
	{`{"name": "n", "half": ^65536}`, `half: found 65536, want a word of 16 bits`},
	{`{"name": "n", "index": [^"1"]}`, `index[0]: found "1", want a whole number`},
	{`{"name": "n", "data": ^"0"}`, `data: found "0", want pairs of 0-9a-f`},
	{`{"name": "n", "data": ^"000000"}`, `data: 3 bytes, at most 2`},
	{`{"name": "n", "code": ^""}`, `code: empty, want bytes or "-"`},
	{`{"name": "n", "three": ^[1, 2]}`, `three: 2 numbers, want 3`},
	{`{"name": "n", "three": ^[1, 2, 3, 4]}`, `three: 4 numbers, want 3`},
	{`{"name": "n", "three": [1, 2, ^10]}`, `three[2]: 10 is not in 0 to 9`},
	{`{"name": "n", "box": ^[1]}`, `box: 1 numbers, want x and y`},
	{`{"name": "n", "pair": ^[1]}`, `pair: 1 numbers, want x and y`},
	{`{"name": "n", "lanes": ^"1 2"}`, `lanes: 2 words, want 3 hexadecimal words in a string`},
	{`{"name": "n", "vec": {"i.0": ^"1 g"}}`, `vec.i.0: found "1 g", want 2 hexadecimal words in a string`},
	{`{"name": "n", "regs": {"v1": ^"x"}}`, `regs.v1: found "x", want a hexadecimal word`},
	{`{"name": "n", "regs": {"v256": ^1}}`, `regs.v256: want v0 to v255`},
	{`{"name": "n", "regs": {"v1": 1, ^"v1": 1}}`, `regs.v1: key is given twice`},
	{`{"name": "n", "regs": {"v1": 1, "v2": 1, "v3": ^1}}`, `regs.v3: more than 2`},
	{`{"name": "n", "level": ^"mid"}`, `level: "mid" is no level`},
	{`{"name": "n", "levels": [[], ["low", ^1]]}`, `levels[1][1]: found 1, want a string`},
	{`{"name": "n", "parts": {"a": {"size": ^65}}}`, `parts.a.size: 65 is not in 1 to 64`},
	{`{"name": "n", "parts": {"a": ^{}}}`, `parts.a: no size, want its length`},
	{`{"name": "n", "parts": {"a": {"size": 1}, ^"a": {"size": 1}}}`, `parts.a: key is given twice`},
	{`{"name": "n", "parts": {"a": {"size": 1}, "b": {"size": 1}, "c": ^{"size": 1}}}`, `parts.c: more than 2`},
	{`{"name": "n", "list": [{"size": 1}, {"size": 1, "scale": ^"1"}]}`, `list[1].scale: found "1", want a number`},
	{`{"name": "n", "list": ^{}}`, `list: found {}, want a list`},
	{`{"name": "n", "sub": {^"b": 1}}`, `sub.b: unknown key; did you mean "a"?`},
	{`{"name": "n", ^}`, `JSON: invalid character '}' looking for beginning of object key string, after "{\"name\": \"n\", }"`},
	{"{\"name\"\n ^5}", `JSON: invalid character '5' after object key, after "{\"name\"\n 5"`},
}

// TestErrors: an error has the path of keys, and its position.
func TestErrors(t *testing.T) {
	for _, c := range badTexts {
		at := strings.Index(c.text, "^")
		text := strings.Replace(c.text, "^", "", 1)
		line, col := 1+strings.Count(text[:at], "\n"), at-strings.LastIndex(text[:at], "\n")
		err := Read([]byte(text+"\n"), &whole{}, nil)
		if err == nil || err.Line != line || err.Col != col || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s\ngot  %+v\nwant %s at %d:%d", c.text, err, c.want, line, col)
		}
	}
	if err := Read([]byte(`{"Addr": 1}`), &open{}, nil); err == nil || err.Error() != `Addr: unknown key; did you mean "addr"?` {
		t.Errorf("a key that is nearly one: %v", err)
	}
}

// TestCheck: an error of the check after reading is located by its path, as far as it leads.
func TestCheck(t *testing.T) {
	const text = `{"name": "n", "list": [{"size": 1}, {"size": 2}]}`
	for _, c := range []struct {
		path []string
		at   string
	}{{nil, text}, {[]string{"list"}, `[{`}, {[]string{"list", "[1]"}, `{"size": 2`}, {[]string{"list", "[1]", "size"}, `2}`}, {[]string{"list", "[1]", "scale"}, `{"size": 2`}, {[]string{"x", "y"}, text}} {
		err := Read([]byte(text), &whole{}, func() error { return At(Bad("wrong"), c.path...) })
		if want := 1 + strings.Index(text, c.at); err == nil || err.Line != 1 || err.Col != want || err.Msg != "wrong" {
			t.Errorf("%q: %+v, want column %d", c.path, err, want)
		}
	}
}

// TestForeign: a field of other sets is an error only if it has a value.
func TestForeign(t *testing.T) {
	fail := func(words []string) error { return Bad("those of %v", words) }
	if err := Foreign(&open{Addr: 1}, "a", fail); err != nil {
		t.Error(err)
	}
	if err := Foreign(&open{Size: 1}, "a", fail); err == nil || err.Error() != "size: those of [b]" {
		t.Error(err)
	}
}

func TestKeys(t *testing.T) {
	if got := strings.Join(Keys(part{}), " ") + " | " + strings.Join(Keys(rest{}), " "); got != "scale size | job" {
		t.Error(got)
	}
}

// TestWrite: what is written has the form that Read takes, needed fields even if they are zero, and no others that are.
func TestWrite(t *testing.T) {
	w := struct {
		Name  string            `json:"name" need:"some"`
		Size  int               `json:"size" need:"true"`
		Rate  float64           `json:"rate"`
		Addr  uint64            `json:"addr"`
		Mask  int               `json:"mask" is:"word"`
		Place int               `json:"place" is:"word" unit:"4"`
		Index []uint32          `json:"index" range:"0..9"`
		Any   bool              `json:"any" is:"any"`
		Data  []byte            `json:"data"`
		None  []string          `json:"none"`
		Empty map[string]string `json:"empty"`
		Map   map[string]string `json:"map"`
		Parts []part            `json:"parts" by:"Name"`
		One   *part             `json:"one"`
	}{Name: "<n>", Addr: 16, Mask: 255, Place: 2, Index: []uint32{3}, Any: true, Data: []byte{0, 255}, Empty: map[string]string{},
		Map: map[string]string{"s10": "c", "s4": "b", "a": "a"}, Parts: []part{{"y", 1, 0.5}, {"x", 2, 0}}, One: &part{}}
	const want = `{"name":"\u003cn\u003e","size":0,"addr":"0x10","mask":"0xff","place":"0x8","index":[3],"any":"any","data":"00ff","empty":{},` +
		`"map":{"a":"a","s4":"b","s10":"c"},"parts":{"y":{"size":1,"scale":0.5},"x":{"size":2}},"one":{"size":0}}`
	text, err := Write(&w)
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := json.Compact(&got, text); err != nil || got.String() != want {
		t.Errorf("%v: got\n%s\nwant\n%s", err, &got, want)
	}
	w.Rate = math.NaN()
	if _, err := Write(&w); err == nil || !strings.HasPrefix(err.Error(), "rate: ") {
		t.Errorf("a value that JSON lacks: %v", err)
	}
}

// TestTags: a tag that says nothing, as a misspelt one, is an error of the program.
func TestTags(t *testing.T) {
	for _, of := range []any{
		&struct {
			A int `json:"a" rnage:"1..2"`
		}{},
		&struct {
			A int `json:"a" range:"1..two"`
		}{},
		&struct {
			A string `json:"a" is:"flie"`
		}{},
		&struct {
			A chan int `json:"a"`
		}{},
		&struct {
			A int `json:"a" default:"x"`
		}{},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%T is read", of)
				}
			}()
			_ = Read([]byte("{}"), of, nil)
		}()
	}
}

// TestStrings: strings of quotes, backslashes and brackets, as keys and as values, are what encoding/json reads.
func TestStrings(t *testing.T) {
	const letters = `"\{}[],: ~é`
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		want := map[string]string{}
		for range 1 + rnd.IntN(4) {
			word := func() (s string) {
				for range rnd.IntN(6) {
					r := []rune(letters)
					s += string(r[rnd.IntN(len(r))])
				}
				return s
			}
			want[word()] = word()
		}
		doc, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		err = EachMember(doc, func(key string, v []byte) (err error) {
			got[key], err = String(v)
			return err
		})
		if err != nil || !maps.Equal(got, want) {
			t.Fatalf("%s: %q, %v", doc, got, err)
		}
	}
}
