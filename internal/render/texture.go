package render

import (
	"bytes"
	"fmt"
	"image"
	"image/draw"
	"strings"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/internal/limit"
	"github.com/heddle-gpu/heddle/mem"
)

// pngFormat is the texel format of PNG files.
const pngFormat = "RGBA8888"

// maxLod is a level of detail above that of the largest texture.
const maxLod = 16

// loadTexture reads the image of a texture and combines it with its sampler. Row 0 of a PNG is at coordinate 0.
func (t *target) loadTexture(x *casefile.SceneTexture) (*mem.Unit, error) {
	data, err := t.scene.ReadTexture(x.File)
	if err != nil {
		return nil, err
	}
	if err := t.files.take(len(data)); err != nil {
		return nil, err
	}
	u := mem.Texture{Target: mem.Texture2D, Width: x.Width, Height: x.Height, Depth: x.Depth, Last: maxLod}
	if x.Target != "" {
		var ok bool
		if u.Target, ok = mem.TargetOf(x.Target); !ok {
			return nil, fmt.Errorf("no target %q; there are 1D, 2D, 3D, CUBE", x.Target)
		}
	}
	if bytes.HasPrefix(data, []byte("\x89PNG")) {
		err = fromPNG(&u, data)
	} else {
		err = fromRaw(&u, x, data)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", x.File, err)
	}
	if x.Mipmaps {
		if u.Format.Name != pngFormat || u.Target != mem.Texture2D || len(u.Levels) != 1 {
			return nil, fmt.Errorf("mipmaps are made of 2D images of %s with one level", pngFormat)
		}
		addLevels(&u)
	}
	if err := t.texels.take(bytesOf(&u)); err != nil {
		return nil, err
	}
	smp, err := sampler(x)
	if err != nil {
		return nil, err
	}
	return mem.NewUnit(u, smp)
}

// fromPNG sets the picture as the only level.
func fromPNG(t *mem.Texture, data []byte) error {
	img, err := limit.PNG(data)
	if err != nil {
		return err
	}
	if t.Target != mem.Texture2D {
		return fmt.Errorf("a PNG is a 2D texture; give raw texels for %s", t.Target)
	}
	b := img.Bounds()
	flat := image.NewNRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(flat, flat.Bounds(), img, b.Min, draw.Src)
	t.Format, t.Width, t.Height = mem.FormatOf(pngFormat), b.Dx(), b.Dy()
	t.Levels = [][][]byte{{flat.Pix}}
	return nil
}

// fromRaw splits texels into levels and faces.
func fromRaw(t *mem.Texture, x *casefile.SceneTexture, data []byte) error {
	if t.Format = mem.FormatOf(x.Format); t.Format == nil {
		return fmt.Errorf("no texel format %q", x.Format)
	}
	faces := 1
	if t.Target == mem.TextureCube {
		faces = 6
	}
	for l := range max(x.Levels, 1) {
		size := t.Size(l)
		n := size[0] * size[1] * size[2] * t.Format.Bytes
		var level [][]byte
		for range faces {
			if len(data) < n {
				return fmt.Errorf("too short: level %d of %v texels needs %d bytes more", l, size, n-len(data))
			}
			level, data = append(level, data[:n:n]), data[n:]
		}
		t.Levels = append(t.Levels, level)
	}
	if len(data) > 0 {
		return fmt.Errorf("%d bytes after the last level", len(data))
	}
	return nil
}

// bytesOf returns the size of the texels of a texture in bytes.
func bytesOf(t *mem.Texture) (n int) {
	for _, level := range t.Levels {
		for _, face := range level {
			n += len(face)
		}
	}
	return n
}

// addLevels adds the smaller levels down to one texel: each texel is the mean of four, rounded to nearest; the last row
// and column of odd sizes are ignored.
func addLevels(t *mem.Texture) {
	for l := 1; ; l++ {
		from, to := t.Size(l-1), t.Size(l)
		if from[0] == 1 && from[1] == 1 {
			return
		}
		src, dst := t.Levels[l-1][0], make([]byte, 4*to[0]*to[1])
		for y := range to[1] {
			high := min(2*y+1, from[1]-1)
			halve(dst[4*y*to[0]:][:4*to[0]], src[4*2*y*from[0]:][:4*from[0]], src[4*high*from[0]:][:4*from[0]])
		}
		t.Levels = append(t.Levels, [][]byte{dst})
	}
}

// halve makes a row of texels from two rows of twice its width, or of one texel: means of four, with halves rounded up.
func halve(to, low, high []byte) {
	right := 4 // offset of the second texel of a pair
	if len(low) == 4 {
		right = 0
	}
	for at := 0; at < len(to); at += 4 {
		a, b := (*[4]byte)(low[2*at:]), (*[4]byte)(low[2*at+right:])
		c, d := (*[4]byte)(high[2*at:]), (*[4]byte)(high[2*at+right:])
		for k, x := range a {
			to[at+k] = byte((2 + uint(x) + uint(b[k]) + uint(c[k]) + uint(d[k])) / 4)
		}
	}
}

// sampler reads the names of filters and wrap modes, ignoring case.
func sampler(x *casefile.SceneTexture) (s mem.Sampler, err error) {
	s = mem.Sampler{MaxLod: maxLod, Bias: float32(x.Bias), MaxAniso: x.Aniso, Min: mem.Linear, Mag: mem.Linear}
	var ok bool
	if x.Mipmaps {
		s.Mip = mem.MipLinear
	}
	if x.Min != "" {
		if s.Min, s.Mip, ok = mem.FilterOf(strings.ToUpper(x.Min)); !ok {
			return s, fmt.Errorf("min: no filter %q; such as nearest, linear, linear_mipmap_linear", x.Min)
		}
	}
	if x.Mag != "" {
		var m mem.MipFilter
		if s.Mag, m, ok = mem.FilterOf(strings.ToUpper(x.Mag)); !ok || m != mem.MipNone {
			return s, fmt.Errorf("mag: no filter %q; there are nearest, linear", x.Mag)
		}
	}
	if len(x.Wrap) > 3 {
		return s, fmt.Errorf("wrap: %d modes, want at most 3", len(x.Wrap))
	}
	for i, w := range x.Wrap {
		if s.Wrap[i], ok = mem.WrapOf(strings.ToUpper(w)); !ok {
			return s, fmt.Errorf("wrap: no mode %q; there are repeat, clamp, clamp_to_edge, clamp_to_border, mirrored_repeat", w)
		}
	}
	return s, nil
}
