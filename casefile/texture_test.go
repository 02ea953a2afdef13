package casefile

import (
	"reflect"
	"strings"
	"testing"
)

const textureCase = `{"name":"n","isa":"attila","code":"00","asm":["x"],"launch":{"lanes":1},"initial":{
"textures":[{"unit":3,"target":"CUBE","format":"L8","width":2,"height":1,"depth":0,"wrap":["REPEAT","CLAMP","CLAMP"],
"min_filter":"LINEAR","mag_filter":"NEAREST","min_lod":-1.5,"max_lod":12.0,"lod_bias":0.25,"unit_lod_bias":-0.5,"min_level":0,"max_level":12,
"max_aniso":4,"levels":[["0102","0304"],["05","06"]],"layout":"words"}],
"streams":[{"attribute":2,"stream":6},{"attribute":9,"default":["0x1","0x2","0x3","0x4"]},
{"stream":6,"addr":"02000000","stride":16,"format":"unorm8","elements":3}]}}`

func TestTextures(t *testing.T) {
	for c, err := range States(strings.NewReader(textureCase), "t") {
		if err != nil {
			t.Fatal(err)
		}
		ts, err := c.Initial.Textures()
		want := []Texture{{Unit: 3, Target: "CUBE", Format: "L8", Width: 2, Height: 1, Wrap: [3]string{"REPEAT", "CLAMP", "CLAMP"},
			MinFilter: "LINEAR", MagFilter: "NEAREST", MinLod: -1.5, MaxLod: 12, LodBias: 0.25, UnitLodBias: -0.5, MaxLevel: 12, MaxAniso: 4,
			Levels: [][][]byte{{{1, 2}, {3, 4}}, {{5}, {6}}}}}
		if err != nil || !reflect.DeepEqual(ts, want) {
			t.Errorf("got %+v, %v", ts, err)
		}
		ss, err := c.Initial.Streams()
		streams := []Stream{
			{Attribute: 2, Bound: true, Addr: 0x2000000, Stride: 16, Format: "unorm8", Elements: 3, Default: [4]uint32{3: 0x3f800000}},
			{Attribute: 9, Default: [4]uint32{1, 2, 3, 4}},
		}
		if err != nil || !reflect.DeepEqual(ss, streams) {
			t.Errorf("got %+v, %v", ss, err)
		}
	}
}

func TestTextureErrors(t *testing.T) {
	for _, tt := range []struct{ old, new, want string }{
		{`"unit":3`, `"unit":-1`, "textures[0].unit: -1 is not in 0 to 1024"},
		{`"REPEAT",`, ``, "textures[0].wrap: 2 values, want those of s, t, r"},
		{`"0102"`, `"010"`, `textures[0].levels[0][0]: found "010", want pairs of 0-9a-f`},
		{`"layout"`, `"colour"`, "textures[0].colour: unknown key"},
		{`"attribute":2,`, `"attribute":2,"elements":9,`, "streams[0].elements: 9 is not in 1 to 4"},
		{`"stream":6}`, `"stream":7}`, "streams: attribute 2: stream 7 is not described"},
		{`"attribute":2,"stream":6`, `"attribute":2,"stream":0`, "streams: attribute 2: stream 0 is not described"},
		{`,"0x4"`, ``, "streams[1].default: 3 words, want 4"},
		{`,"elements":3`, ``, "streams[2]: neither an attribute nor a stream with its elements"},
	} {
		for c, err := range States(strings.NewReader(strings.Replace(textureCase, tt.old, tt.new, 1)), "t") {
			if err != nil {
				t.Fatal(err)
			}
			_, err1 := c.Initial.Textures()
			_, err2 := c.Initial.Streams()
			if err1 == nil {
				err1 = err2
			}
			if err1 == nil || err1.Error() != tt.want {
				t.Errorf("%s: %v, want %s", tt.new, err1, tt.want)
			}
		}
	}
}
