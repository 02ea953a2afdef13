package live_test

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// after evaluates to the bits of registers after a run, from the table: "NAME LANES HEX".
const after = `[...document.querySelectorAll('#live-try .live-result tbody tr')].map(tr => {
	const th = tr.querySelector('th') || tr.parentNode.heddle;
	if (tr.querySelector('th')) tr.parentNode.heddle = th;
	return th.firstChild.textContent + ' ' + tr.querySelector('.live-lane').textContent + ' ' + tr.querySelector('.live-raw .live-hex').textContent;
})`

// settled is true when the widget has shown the result of its text, and has no more work.
const settled = `!document.querySelector('#live-try [aria-busy]') && document.querySelectorAll('#live-try .live-result tbody tr').length > 0 && !document.querySelector('#live-try .live-old')`

// f32 returns the bits of a float in hexadecimal digits.
func f32(x float64) string { return fmt.Sprintf("0x%08x", math.Float32bits(float32(x))) }

// TestBrowserTry: in pages from a server and from a folder, instructions of all sets give the arithmetically right
// bits, from text and from bytes; registers can be changed and shown as other types; errors appear in place; an address
// restores what was tried.
func TestBrowserTry(t *testing.T) {
	both(t, func(t *testing.T, browser context.Context, base string) {
		b := open(t, browser, base, "play.html")
		b.until(`!!document.querySelector('#live-try textarea')`)
		for _, c := range []struct {
			isa, text, state, name string
			want                   []float64
		}{
			{"gcn:gfx6", "v_mad_f32 v0, v1, v2, 1.0", "v1=1.5 v2=2.25,-3", "v0", []float64{1.5*2.25 + 1, 1.5*-3 + 1}},
			{"gcn:gfx8", "v_fma_f32 v7, v1, v2, -v2", "v1=1.5 v2=2.25,-3", "v7", []float64{1.5*2.25 - 2.25, 1.5*-3 + 3}},
			{"valhall:v9", "FMA.f32 r0, r1, r2, r3", "r1=1.5 r2=2.25,-3 r3=0.5", "r0", []float64{1.5*2.25 + 0.5, 1.5*-3 + 0.5}},
			{"tesla:gt215", "mul rn f32 $r0 $r1 $r2", "$r1=1.5 $r2=2.25,-3", "r0", []float64{1.5 * 2.25, 1.5 * -3}},
			{"rogue:rogue", "{ s0 = r1, s1 = r2, is4 = ft0 p0: fadd ft0, s0, s1; w0 = r0 }", "r1=1.5 r2=2.25,-3", "r0", []float64{1.5 + 2.25, 1.5 - 3}},
			{"attila:attila", "dp4 o0.x, i0, i1", "i0=(1.5,2,3,4),(1,1,1,1) i1=(2.25,1,1,0.5),(-3,0,0,0)", "o0.x", []float64{1.5*2.25 + 2 + 3 + 4*0.5, -3}},
		} {
			if strings.HasPrefix(base, "file:") && c.isa != "gcn:gfx8" && c.isa != "attila:attila" {
				continue // the engine is the same
			}
			b.choose("#live-try select", c.isa)
			b.write("#live-try textarea", c.text)
			b.write("#live-try .live-add input", c.state+"\r")
			var want []string
			for lane, x := range c.want {
				want = append(want, fmt.Sprintf("%s %d %s", c.name, lane, f32(x)))
			}
			shown := fmt.Sprintf("%s && JSON.stringify(%s) === %q", settled, after, `["`+strings.Join(want, `","`)+`"]`)
			b.until(shown)
			get[bool](b, "document.querySelector('#live-try .live-result').replaceChildren() ?? true")
			b.do("run again", chromedp.Click("#live-try .live-run"))
			b.until(shown)
			if isa := get[string](b, "new URLSearchParams(location.hash.slice(1)).get('isa')"); isa != c.isa {
				t.Errorf("the address names %q, want %q", isa, c.isa)
			}
		}
		tryBytes(t, b)
		tryErrors(t, b)
		tryAgain(t, browser, base)
	})
}

// tryBytes: bytes run; registers are changed, and shown as another type.
func tryBytes(t *testing.T, b *tab) {
	b.choose("#live-try select", "gcn:gfx8")
	// VOP2, v_add_f32, vdst v0, vsrc1 v2, src0 v1: GCN3 13.1
	word := binary.LittleEndian.AppendUint32(nil, 1<<25|0<<17|2<<9|0x101)
	b.write("#live-try textarea", hex.EncodeToString(word))
	b.write("#live-try .live-add input", "v1=1.5 v2=2.25\r")
	b.until(settled + " && " + fmt.Sprintf("%s.join() === %q", after, "v0 0–63 "+f32(3.75)))
	if text := get[string](b, "document.querySelector('#live-try .live-program code').textContent"); text != "v_add_f32_e32 v0, v1, v2" {
		t.Errorf("the bytes are %q", text)
	}
	b.write("#live-try .live-register input", "10.5, -0.25")
	b.until(settled + " && " + fmt.Sprintf("%s.join() === %q", after, "v0 0 "+f32(12.75)+",v0 1 "+f32(2)))
	b.choose("#live-try .live-register select", "hex")
	b.until(fmt.Sprintf("document.querySelector('#live-try .live-register input').value === %q", f32(10.5)+", "+f32(-0.25)))
	b.choose("#live-try .live-result select", "u32")
	b.until(fmt.Sprintf("document.querySelector('#live-try .live-value').textContent === '%d'", math.Float32bits(12.75)))
	marked := get[string](b, "[...document.querySelector('#live-try .live-bits').querySelectorAll('b')].map(e => e.textContent).join('')")
	if want := strings.ReplaceAll(fmt.Sprintf("%b", math.Float32bits(12.75)), "0", ""); marked != want {
		t.Errorf("%d bits are marked as changed, want %d: the register was zero", len(marked), len(want))
	}
}

// tryErrors: errors in a text or a register appear in place; an endless loop is stopped; missing memory can be added.
func tryErrors(t *testing.T, b *tab) {
	b.write("#live-try textarea", "v_add_f32 v0, v1, v9x")
	b.until(`document.querySelector('#live-try .live-error pre')?.textContent === 'v_add_f32 v0, v1, v9x\n                  ^'`)
	b.do("choose the place", chromedp.Click("#live-try .live-place"))
	if at := get[int](b, "document.querySelector('#live-try textarea').selectionStart"); at != 18 {
		t.Errorf("the cursor is at %d, want 18", at)
	}
	b.write("#live-try textarea", "v_add_f32 v0, v1, v2")
	b.until(settled)
	b.write("#live-try .live-register input", "one")
	b.until(`document.querySelector('#live-try .live-inline:not([hidden])')?.textContent.includes('"one"')`)
	b.write("#live-try .live-register input", "0x3f800000")
	b.until(settled + ` && !document.querySelector('#live-try .live-inline:not([hidden])')`)
	b.write("#live-try textarea", "top: s_add_u32 s0, s0, 1; s_branch top")
	b.until(`document.querySelector('#live-try .live-result .live-error')?.textContent.includes('200000')`)
	b.write("#live-try textarea", "flat_load_dword v0, v[4:5]")
	b.until(`document.querySelector('#live-try .live-result .live-error button')?.textContent.includes('global:0x0=zero:512')`)
	b.do("put memory there", chromedp.Click("#live-try .live-result .live-error button"))
	b.until(settled + ` && !document.querySelector('#live-try .live-result .live-error')`)
}

// tryAgain: the address of what was tried shows the same in another tab, and so does the page of an instruction.
func tryAgain(t *testing.T, browser context.Context, base string) {
	b := open(t, browser, base, "play.html#isa=valhall:v9&text=FADD.f32+r0,+r1,+r2&state=r1=f32:0.1+r2=f32:0.2")
	sum := f32(float64(float32(0.1) + float32(0.2)))
	b.until(settled + " && " + fmt.Sprintf("%s.join() === %q", after, "r0 0–15 "+sum))
	p := open(t, browser, base, "attila/mul.html")
	p.until(`!!document.querySelector('section.live .live-run')`)
	if n := get[int](p, "performance.getEntriesByType('resource').filter(e => e.name.includes('wasm')).length"); n != 0 {
		t.Error("the engine is loaded before anybody asks for it")
	}
	p.do("run", chromedp.Click("section.live .live-run"))
	p.until(`document.querySelectorAll('section.live .live-result tbody tr').length > 0`)
	static := get[[]string](p, `[...document.querySelectorAll('section.live ~ .t td, section.live ~ * td')].map(e => e.textContent.trim()).filter(Boolean)`)
	shown := get[[]string](p, `[...document.querySelectorAll('section.live .live-value')].map(e => e.textContent)`)
	if len(shown) == 0 || !strings.Contains(strings.Join(static, " "), shown[0]) {
		t.Errorf("the page says %q, and running it gives %q", static, shown)
	}
	p.do("look at the bits", chromedp.Click("section.live summary"))
	p.until(`document.querySelectorAll('section.live .live-fields li').length > 5`)
	tryTable(t, browser, base)
}

// tryTable: pages with register bits in their tables take the inputs from there, and the run gives the bits of the
// table; the search leads to these pages.
func tryTable(t *testing.T, browser context.Context, base string) {
	p := open(t, browser, base, "attila/index.html")
	p.until(`!!document.querySelector('.search input')`)
	p.write(".search input", "rcp")
	p.until(`[...document.querySelectorAll('.found a')].some(a => a.href.endsWith('/tesla/rcp.html'))`)
	for _, c := range []struct {
		page   string
		fields []string
	}{
		{"tesla/rcp.html", []string{"0x12345678,0xdeadbeef,0xff00ff00,0x00000000,0xffffffff"}},
		{"tesla/fma.html", []string{"1.5,-2.0,0.1,-0.0,1e-40", "2.25,+Inf,-0.5,0.0,1.0", "0.5,-1.0,8.0,1.0,0x7ff8000000000001"}},
		// As u16 these are 65533 and so on.
		{"tesla/mul.html", []string{"7,0xfffffffd,0x000186a0,0xffffffff,0x80000000", "5,2,31,1,0xffffffff"}},
	} {
		p.do("open "+c.page, chromedp.Navigate(base+c.page))
		p.until(`!!document.querySelector('header .home') && !!document.querySelector('section.live .live-run')`)
		fields := get[[]string](p, `[...document.querySelectorAll('section.live .live-register input')].map(e => e.value)`)
		if !slices.Equal(fields, c.fields) {
			t.Errorf("%s: the fields hold %q, want %q", c.page, fields, c.fields)
		}
		ops := get[string](p, `[...document.querySelector('pre.ir').querySelectorAll('a')].map(e => e.getAttribute('href')).join(' ')`)
		for _, op := range []string{"get", "set"} { // so many instructions use get that the page has no static link to it
			if strings.Count(ops, "../ir/"+op+".html") != 1 {
				t.Errorf("%s: the meaning as IR has the links %s, which is not one to %s", c.page, ops, op)
			}
		}
		p.do("run", chromedp.Click("section.live .live-run"))
		p.until(`document.querySelectorAll('section.live .live-result tbody tr').length > 4`)
		shown := get[[]string](p, `[...document.querySelector('table.x').tBodies[0].rows].map(r => [...r.cells].at(-1)).map(c => c.querySelector('i') ? '0x' + c.querySelector('i').textContent : c.textContent)`)
		found := get[[]string](p, `[...document.querySelectorAll('section.live .live-raw .live-hex')].map(e => e.textContent)`)
		for i := range min(len(shown), len(found)) {
			if a, b := bits(shown[i]), bits(found[i]); a != b {
				t.Errorf("%s: the page has %s in lane %d, and running it gives %s", c.page, shown[i], i, found[i])
			}
		}
		if len(shown) != 5 || len(found) < 5 {
			t.Errorf("%s: %q, %q", c.page, shown, found)
		}
	}
}

// bits formats a number as pages do.
func bits(text string) string {
	v, err := strconv.ParseUint(strings.TrimSpace(text), 0, 64)
	if err != nil {
		return err.Error() + " in " + text
	}
	return fmt.Sprint(v)
}

// TestBrowserList: a text and a file are listed; labels link to their lines and mnemonics to their pages; errors of a
// text appear in place.
func TestBrowserList(t *testing.T) {
	both(t, func(t *testing.T, browser context.Context, base string) {
		b := open(t, browser, base, "play.html")
		b.until(`!!document.querySelector('#live-list textarea')`)
		b.choose("#live-list select", "attila:attila")
		b.write("#live-list textarea", "step: mul r0, i0, i1\nsetpgt p0, r0.x, 1.0\njmp p0, step\nmov o1, r0\nend\n")
		b.until(`document.querySelector('#live-list .live-label')?.textContent === 'step:'`)
		got := get[[]string](b, `[...document.querySelectorAll('#live-list pre a')].map(a => a.textContent + ' ' + a.getAttribute('href'))`)
		want := "mul attila/mul.html setpgt attila/setpgt.html jmp attila/jmp.html step #l-step mov attila/mov.html"
		if !strings.HasPrefix(strings.Join(got, " "), want) {
			t.Errorf("links are %q, want %q first", got, want)
		}
		b.write("#live-list textarea", "mul r0, i0, i1\nmull r0, i0, i1\n")
		b.until(`document.querySelector('#live-list .live-place')?.textContent === '2:1'`)
		object, err := filepath.Abs("../../examples/mandelbrot/mandelbrot.gfx803.hsaco")
		if err != nil {
			t.Fatal(err)
		}
		b.do("choose a file", chromedp.SetUploadFiles("#live-list input[type=file]", []string{object}))
		b.until(`document.querySelector('#live-list .live-status').textContent.includes('code object v5 for gfx803, listed as gcn:gfx8')`)
		if n := get[int](b, `[...document.querySelectorAll('#live-list .live-label')].filter(e => e.textContent === 'mandelbrot:').length`); n != 1 {
			t.Errorf("%d labels of the kernel", n)
		}
	})
}

// TestBrowserDraw: the Julia set in the page equals that of the repository, pixel by pixel; an endless program can be
// stopped, and the next one is drawn.
func TestBrowserDraw(t *testing.T) {
	both(t, func(t *testing.T, browser context.Context, base string) {
		b := open(t, browser, base, "play.html")
		b.until(`!!document.querySelector('#live-draw canvas')`)
		b.choose("#live-draw .live-line .live-field:nth-child(2) select", "96x64")
		program := get[string](b, "document.querySelector('#live-draw textarea').value")
		b.write("#live-draw textarea", "mul r9, i9, i9 <- \n")
		b.do("draw", chromedp.Click("#live-draw .live-run"))
		b.until(`!!document.querySelector('#live-draw .live-place')`)
		b.write("#live-draw textarea", "top: jmp true, top\nend\n")
		b.do("draw", chromedp.Click("#live-draw .live-run"))
		b.until(`!document.querySelector('#live-draw .live-line button:last-child').disabled`)
		b.do("stop", chromedp.Click("#live-draw .live-line button:last-child"))
		b.until(`document.querySelector('#live-draw .live-line button:last-child').disabled`)
		b.do("the program again", chromedp.SetValue("#live-draw textarea", program), chromedp.Click("#live-draw .live-run"))
		b.until(`document.querySelector('#live-draw .live-status').textContent.startsWith('Drew 96x64')`)
		got := get[[]int](b, `(c => [...c.getContext('2d').getImageData(0, 0, c.width, c.height).data])(document.querySelector('#live-draw canvas'))`)
		compare(t, got)
	})
}

// compare compares pixels with the picture of the example.
func compare(t *testing.T, got []int) {
	t.Helper()
	f, err := os.Open("../../examples/julia/julia-96x64.png")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	size := want.Bounds()
	if len(got) != 4*size.Dx()*size.Dy() {
		t.Fatalf("%d bytes, want those of %v", len(got), size)
	}
	for i := 0; i < len(got); i += 4 {
		x, y := i/4%size.Dx(), i/4/size.Dx()
		r, g, b, a := want.At(x, y).RGBA()
		for k, w := range []uint32{r, g, b, a} {
			if d := got[i+k] - int(w>>8); d < -1 || d > 1 {
				t.Fatalf("pixel %d,%d is %v, want %v", x, y, got[i:i+4], want.At(x, y))
			}
		}
	}
}

// TestBrowserLook: pages are no wider than a phone, text has enough contrast in light and dark themes, fields have
// names. With HEDDLE_SCREENSHOTS=FOLDER it saves screenshots there.
func TestBrowserLook(t *testing.T) {
	browser := openBrowser(t)
	server, _ := testSite(t)
	for _, page := range []string{"play.html", "attila/mad.html"} {
		b := open(t, browser, server, page)
		b.until(`!!document.querySelector('.live .live-run')`)
		b.do("run", chromedp.Click(".live .live-run"))
		b.until(`document.querySelectorAll('.live .live-result tbody tr').length > 0`)
		for _, width := range []int64{1280, 390} {
			for _, scheme := range []string{"light", "dark"} {
				b.do("size", chromedp.EmulateViewport(width, 900))
				b.command("scheme", func(ctx context.Context) error {
					return call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
				})
				what := fmt.Sprintf("%s at %d, %s", page, width, scheme)
				if w := get[int64](b, "document.documentElement.scrollWidth"); w > width {
					t.Errorf("%s is %d wide: %v", what, w, get[[]string](b, wide))
				}
				if low := get[[]string](b, contrast); len(low) > 0 {
					t.Errorf("%s: text that can hardly be told from what is behind it: %q", what, low)
				}
				if bare := get[[]string](b, nameless); len(bare) > 0 {
					t.Errorf("%s: fields without names: %q", what, bare)
				}
				b.picture(strings.NewReplacer("/", "-", ".html", "").Replace(page), width, scheme)
			}
		}
	}
}

// TestBrowserShow: takes the screenshot for README, of a page with a result, if HEDDLE_SCREENSHOTS=FOLDER requests it.
// The page is that of heddle docs in the folder HEDDLE_SITE.
func TestBrowserShow(t *testing.T) {
	dir, folder := os.Getenv("HEDDLE_SCREENSHOTS"), os.Getenv("HEDDLE_SITE")
	if dir == "" || folder == "" {
		t.Skip("nobody asks for it")
	}
	b := open(t, openBrowser(t), "file://"+folder+"/", "gcn/v_fma_f32.html")
	b.until(`!!document.querySelector('.live .live-run')`)
	b.do("run", chromedp.EmulateViewport(1280, 1120), chromedp.Click(".live .live-run"))
	b.until(`document.querySelectorAll('.live .live-result tbody tr').length > 0`)
	var data []byte
	b.command("picture", func(ctx context.Context) (err error) {
		data, err = chromedp.Run(ctx, chromedp.CaptureScreenshot())
		return err
	})
	if err := os.WriteFile(filepath.Join(dir, "site.png"), data, 0o666); err != nil {
		t.Error(err)
	}
}

// picture saves a screenshot of the page if requested.
func (b *tab) picture(page string, width int64, scheme string) {
	dir := os.Getenv("HEDDLE_SCREENSHOTS")
	if dir == "" {
		return
	}
	var data []byte
	b.command("picture", func(ctx context.Context) (err error) {
		data, err = chromedp.Run(ctx, chromedp.FullScreenshot(100))
		return err
	})
	if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%d-%s.png", page, width, scheme)), data, 0o666); err != nil {
		b.t.Error(err)
	}
}

const (
	// wide finds elements that extend beyond the page.
	wide = `[...document.querySelectorAll('main *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('.live-scroll, .t, pre')).slice(0, 5).map(e => e.outerHTML.slice(0, 120))`
	// nameless finds fields without a label or an attribute that names them.
	nameless = `[...document.querySelectorAll('.live input, .live select, .live textarea')].filter(e => !e.labels.length && !e.getAttribute('aria-label')).map(e => e.outerHTML)`
	// contrast finds texts in widgets whose contrast with the background is below 4.5 to 1, by WCAG 2.1.
	contrast = `(() => {
	const rgb = (s) => (s.match(/[\d.]+/g) || []).map(Number);
	const light = (c) => { const f = (v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; return 0.2126 * f(c[0]) + 0.7152 * f(c[1]) + 0.0722 * f(c[2]); };
	const behind = (e) => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c.length === 3 || c[3] > 0) return c; } return [255, 255, 255]; };
	return [...document.querySelectorAll('.live *')].filter(e => e.checkVisibility() && !e.disabled && !e.closest('option, optgroup, .live-old') && [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())).filter(e => {
		const a = light(rgb(getComputedStyle(e).color)), b = light(behind(e));
		return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5;
	}).map(e => e.className + ': ' + e.textContent.slice(0, 40));
})()`
)
