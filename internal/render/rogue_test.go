package render_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/render"
)

// roguePair returns a vertex and a fragment program in groups: positions and varyings pass through, the first moved by
// sh0 and sh1; the fragment program iterates a colour and a position with perspective, and a constant, and samples unit
// 0.
func roguePair() map[string]string {
	move := func(to, from string) string {
		return "{ s0 = " + from + ", is0 = s0, is4 = fte backend: uvsw.write w0, " + to + "; }\n"
	}
	v := "{ s0 = sh0, s1 = vi0, is4 = ft0 p0: fadd ft0, s0, s1; w0 = r0 }\n{ s0 = sh1, s1 = vi1, is4 = ft0 p0: fadd ft0, s0, s1; w0 = r1 }\n" +
		move("0", "r0") + move("1", "r1") + move("2", "vi2") + move("3", "vi3")
	for i := 4; i < 16; i++ {
		v += move(fmt.Sprint(i), fmt.Sprintf("vi%d", i))
	}
	v += "{  backend: uvsw.emit.endtask; }.end\n"
	f := `
		{ s0 = cf4..19, s2 = cf0..3, s3 = r0..3 backend: fitrp.pixel s3, drc0, s0, s2, 0x4; }
		{ s0 = cf20..27, s2 = cf0..3, s3 = r4..5 backend: fitrp.pixel s3, drc0, s0, s2, 0x2; }
		{ s0 = cf36..39, s3 = r6 backend: fitr.pixel s3, drc0, s0, 0x1; }
		{ ctrl: wdf drc0; }
		{ s0 = sh128..131, s1 = r4..5, s2 = sh132..135, s4 = r8..11 backend: smp.2d.fcnorm s4, drc1, s0, s1, s2, _, 0x4; }
		{ ctrl: wdf drc1; }
`
	for i := range 4 {
		f += fmt.Sprintf("{ s0 = r%d, s1 = r%d, s2 = sh%d, is4 = ft0 p0: fmad ft0, s0, s1, s2; w0 = r%d }\n", 8+i, i, i, i)
		f += fmt.Sprintf("{ s0 = r%d, s1 = r6, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r%d }\n", i, i)
	}
	f += "{ repeat 4 , s0 = r0..3, is0 = s0, is3 = fte, is4 = ft2 p2_pck: pck.scale.u8888 ft2, is3; w0 = po0 }.olchk.end\n"
	return map[string]string{"v.s": v, "f.s": f}
}

// TestRogueScene: the scene of the other sets gives the same picture, except for one step of a channel, because
// coefficients are rounded.
func TestRogueScene(t *testing.T) {
	a, err := sceneOf(t, attilaPair, fmt.Sprintf(pair, "attila"))
	if err != nil {
		t.Fatal(err)
	}
	scene := strings.ReplaceAll(fmt.Sprintf(pair, "rogue"), `"c0"`, `"sh0"`)
	b, err := sceneOf(t, roguePair(), scene)
	if err != nil {
		t.Fatal(err)
	}
	d, _, err := render.Compare(a.Image, b.Image)
	if err != nil || d.Worst() > 1 || b.Triangles != a.Triangles {
		t.Errorf("%+v, %v, %d triangles", d, err, b.Triangles)
	}
	for text, change := range map[string][2]string{
		`no constant "sh128"; sh0 to sh127`: {`"fragment_constants": {"sh0"`, `"fragment_constants": {"sh128"`},
		`no constant "c0"`:                  {`"vertex_constants": {"sh0"`, `"vertex_constants": {"c0"`},
		"4 constants from sh125 on":         {`"fragment_constants": {"sh0"`, `"fragment_constants": {"sh125"`},
		"there is no texture":               {`"textures": {"0": "a"}`, `"textures": {"1": "a"}`},
	} {
		if _, err := sceneOf(t, roguePair(), strings.Replace(scene, change[0], change[1], 1)); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%v, want %q", err, text)
		}
	}
}
