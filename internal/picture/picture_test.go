package picture

import (
	"image/color"
	"testing"

	"github.com/heddle-gpu/heddle/casefile"
)

func TestFormats(t *testing.T) {
	for _, c := range []struct {
		p    casefile.Picture
		data []byte
		want color.NRGBA // of pixel 1,0
	}{
		{casefile.Picture{Format: "rgba8"}, []byte{0, 0, 0, 0, 1, 2, 3, 4}, color.NRGBA{1, 2, 3, 4}},
		{casefile.Picture{Format: "gray8"}, []byte{0, 77}, color.NRGBA{77, 77, 77, 255}},
		{casefile.Picture{Format: "gray8", Min: 10, Max: 20}, []byte{0, 30}, color.NRGBA{255, 255, 255, 255}},
		{casefile.Picture{Format: "gray-u32", Max: 510}, []byte{0, 0, 0, 0, 255, 0, 0, 0}, color.NRGBA{128, 128, 128, 255}},
		{casefile.Picture{Format: "gray-f32", Max: 1}, []byte{0, 0, 0, 0, 0, 0, 0xc0, 0x7f}, color.NRGBA{255, 0, 0, 255}},
		// -0.5 of -1 to 0
		{casefile.Picture{Format: "gray-f32", Min: -1}, []byte{0, 0, 0, 0, 0, 0, 0, 0xbf}, color.NRGBA{128, 128, 128, 255}},
		// 5 to 260
		{casefile.Picture{Format: "gray8", Min: 5, Max: 5}, []byte{0, 56}, color.NRGBA{51, 51, 51, 255}},
		// dark above
		{casefile.Picture{Format: "gray8", Min: 20, Max: 10}, []byte{0, 15}, color.NRGBA{128, 128, 128, 255}},
		{casefile.Picture{Format: "gray8", Max: 255, Scale: "log"}, []byte{0, 15}, color.NRGBA{128, 128, 128, 255}},
		{casefile.Picture{Format: "escape-u32", Max: 9}, []byte{0, 0, 0, 0, 9, 0, 0, 0}, color.NRGBA{0, 0, 0, 255}},
		{casefile.Picture{Format: "escape-u32", Max: 9}, []byte{1, 1, 1, 1, 0, 0, 0, 0}, color.NRGBA{9, 1, 47, 255}},
	} {
		c.p.Width, c.p.Height = 2, 1
		img, err := Of(&c.p, c.data)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := img.At(1, 0); got != c.want {
			t.Errorf("%s: %v, want %v", c.p.Format, got, c.want)
		}
	}
}

func TestRefuses(t *testing.T) {
	for _, p := range []casefile.Picture{{Format: "cmyk", Width: 1, Height: 1}, {Format: "rgba8", Width: 2, Height: 2}, {Format: "gray8"}} {
		if _, err := Of(&p, make([]byte, 8)); err == nil {
			t.Errorf("%+v: no error", p)
		}
	}
}
