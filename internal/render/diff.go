package render

import (
	"fmt"
	"image"
	"image/color"
)

// A Diff is the difference of two pictures, by channel: red, green, blue, alpha.
type Diff struct {
	Pixels    int        `json:"pixels"`    // total number
	Differing int        `json:"differing"` // in some channel
	Max       [4]int     `json:"max"`       // largest difference, of 255
	Mean      [4]float64 `json:"mean"`
}

// Worst returns the largest difference of any channel.
func (d *Diff) Worst() int { return max(d.Max[0], d.Max[1], d.Max[2], d.Max[3]) }

// Compare compares two pictures of the same size. The returned picture shows the differences multiplied by 8, those of
// alpha in all channels.
func Compare(a, b image.Image) (*Diff, *image.NRGBA, error) {
	size := a.Bounds().Size()
	if other := b.Bounds().Size(); size != other {
		return nil, nil, fmt.Errorf("pictures of %dx%d and %dx%d cannot be compared", size.X, size.Y, other.X, other.Y)
	}
	d := &Diff{Pixels: size.X * size.Y}
	img := image.NewNRGBA(image.Rectangle{Max: size})
	for y := range size.Y {
		for x := range size.X {
			p, q := at(a, x, y), at(b, x, y)
			var e [4]int
			differs := false
			for k := range e {
				e[k] = max(int(p[k])-int(q[k]), int(q[k])-int(p[k]))
				d.Max[k] = max(d.Max[k], e[k])
				d.Mean[k] += float64(e[k])
				differs = differs || e[k] != 0
			}
			if differs {
				d.Differing++
			}
			show := func(k int) uint8 { return uint8(min(8*max(e[k], e[3]), 255)) }
			img.SetNRGBA(x, y, color.NRGBA{show(0), show(1), show(2), 255})
		}
	}
	for k := range d.Mean {
		d.Mean[k] /= float64(max(d.Pixels, 1))
	}
	return d, img, nil
}

// at returns a pixel with alpha not premultiplied; the origin is the upper left corner.
func at(img image.Image, x, y int) [4]uint8 {
	o := img.Bounds().Min
	c := color.NRGBAModel.Convert(img.At(o.X+x, o.Y+y)).(color.NRGBA)
	return [4]uint8{c.R, c.G, c.B, c.A}
}
