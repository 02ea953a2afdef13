package limit

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
)

// Side reports that a picture of that size is too large to be read or made.
func Side(width, height int) error {
	if width > PictureSide || height > PictureSide || width*height > Pixels {
		return fmt.Errorf("picture of %dx%d pixels; at most %d, and %d a side", width, height, Pixels, PictureSide)
	}
	return nil
}

// PNG decodes a PNG file whose picture is within the limits. It checks the claimed size first, because pixels are
// allocated before any of them is read.
func PNG(data []byte) (image.Image, error) {
	c, err := png.DecodeConfig(bytes.NewReader(data))
	if err == nil {
		err = Side(c.Width, c.Height)
	}
	if err != nil {
		return nil, err
	}
	if deep(c.ColorModel) && c.Width*c.Height > Pixels/2 {
		return nil, fmt.Errorf("picture of %dx%d pixels of 16 bits a channel; at most %d", c.Width, c.Height, Pixels/2)
	}
	return png.Decode(bytes.NewReader(data))
}

// deep reports whether pixels take eight bytes in memory.
func deep(m color.Model) bool { return m == color.RGBA64Model || m == color.NRGBA64Model }
