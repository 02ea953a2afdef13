package ir

// A LodKind says how a sample's level of detail is determined.
type LodKind uint8

const (
	LodImplicit LodKind = iota // by the differences of coordinates in the quad
	LodBias                    // the same plus w
	LodExplicit                // w
	LodZero                    // 0; w is ignored
	LodSlopes                  // by derivative operands; not for tex
	numLods
)

var lodNames = [numLods]string{"implicit", "bias", "explicit", "zero", "slopes"}

func (k LodKind) String() string {
	if k >= numLods {
		return "lod?"
	}
	return lodNames[k]
}

// Tex samples the texture unit of the handle (i32, may vary) at x, y, z (f32). w is the bias or the level of detail
// if lod uses one; everything else is in the unit. The results are x, y, z and w of the texel, 0 outside the mask.
// Coordinates must be defined in all lanes of a quad, as inactive neighbours count.
func (b *Builder) Tex(lod LodKind, x, y, z, w, handle, mask V) [4]V {
	return four(b.push(Inst{Op: Tex, Type: F32, Img: ImageAttr{Lod: lod}, Args: b.args(x, y, z, w, handle, mask)}))
}

// Fetch reads the element index (i32, unsigned) of the attribute stream of the handle as four components of
// type t, which has 32 bits: the stream's format, not t, says how elements are converted.
func (b *Builder) Fetch(t Type, index, handle, mask V) [4]V {
	return four(b.push(Inst{Op: Fetch, Type: t, Args: b.args(index, handle, mask)}))
}

func four(first V) [4]V { return [4]V{first, first.next(1), first.next(2), first.next(3)} }
