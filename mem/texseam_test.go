package mem

import (
	"encoding/binary"
	"math"
	"testing"
)

// faceDir is the direction of a point on a face of a cube, s and t from -1 to 1: the inverse of OpenGL's table.
func faceDir(face int, s, t float64) [3]float64 {
	return [6][3]float64{{1, -t, -s}, {-1, -t, s}, {s, 1, t}, {s, -1, -t}, {s, -t, 1}, {-s, -t, -1}}[face]
}

// glow is a smooth function of directions.
func glow(d [3]float64) float64 {
	l := math.Sqrt(d[0]*d[0] + d[1]*d[1] + d[2]*d[2])
	return 3*d[0]/l + 5*d[1]/l + 7*d[2]/l
}

// onFace is the point where a direction whose component along the face's axis is 1 or -1 hits the face.
func onFace(face int, d [3]float64) (s, t float64) {
	o, u, v := faceDir(face, 0, 0), faceDir(face, 1, 0), faceDir(face, 0, 1)
	for i := range d {
		s, t = s+d[i]*(u[i]-o[i]), t+d[i]*(v[i]-o[i])
	}
	return s, t
}

// glowing is two cubes of n by n texels that contain glow, in the second plus 100.
func glowing(t *testing.T, n int) Texture {
	f, err := NewFormat("float", 4, Float, "0+32 0 0 1")
	if err != nil {
		t.Fatal(err)
	}
	tex := Texture{Target: TextureCube, Format: f, Width: n, Height: n, Layers: 2, Levels: [][][]byte{nil}}
	for slice := range 12 {
		b := make([]byte, 4*n*n)
		for i := range n * n {
			v := glow(faceDir(slice%6, (2*float64(i%n)+1)/float64(n)-1, (2*float64(i/n)+1)/float64(n)-1)) + float64(slice/6*100)
			binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(float32(v)))
		}
		tex.Levels[0] = append(tex.Levels[0], b)
	}
	return tex
}

// TestSeams: both faces agree along their common edge, and all three at a corner; the value is near the function of
// the cube. Without seams they differ.
func TestSeams(t *testing.T) {
	tex := glowing(t, 64)
	for _, seam := range []SeamRule{SeamAcross, SeamWrap} {
		u, err := NewUnit(tex, Sampler{Min: Linear, Mag: Linear, Wrap: [3]WrapMode{ClampToEdge, ClampToEdge},
			Rules: Rules{Face: FaceGiven, Wrap: WrapTexel, Mix: MixAxes, Seam: seam}})
		if err != nil {
			t.Fatal(err)
		}
		sample := func(layer, face int, s, t float64) float64 {
			q := &Quad{Need: 1, Lod: LodZero}
			q.Coord[0] = [3]float32{float32(s+1)/2 + 1, float32(t+1)/2 + 1}
			q.Slice[0] = float32(8*layer + face)
			u.Sample(q)
			return float64(math.Float32frombits(q.Texel[0][0]))
		}
		apart, off := 0.0, 0.0
		for i := range 12 * 400 {
			layer, face, along := i%2, i/2%6, float64(i/48)/50-1
			edge := [][2]float64{{1, along}, {-1, along}, {along, 1}, {along, -1}}[i/12%4]
			d := faceDir(face, edge[0], edge[1])
			got := sample(layer, face, edge[0], edge[1])
			off = max(off, math.Abs(got-glow(d)-float64(100*layer)))
			for axis, x := range d {
				if other := 2*axis + int(1-x)/2; math.Abs(x) == 1 && other != face {
					s, t := onFace(other, d)
					apart = max(apart, math.Abs(got-sample(layer, other, s, t)))
				}
			}
		}
		if seam == SeamAcross && (apart > 1e-4 || off > 0.05) {
			t.Errorf("faces are %v apart, %v off", apart, off)
		}
		if seam == SeamWrap && apart < 0.05 {
			t.Errorf("without seams faces are %v apart only: the test shows nothing", apart)
		}
	}
}
