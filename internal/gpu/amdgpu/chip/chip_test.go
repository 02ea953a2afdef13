package chip

import (
	"fmt"
	"strings"
	"testing"
)

// words are the tile modes and macro tile modes that the kernel writes to chips, as recorded from its source.
func words() map[string][2]string {
	return map[string][2]string{
		"tahiti": {
			"360292 360a92 361292 122a92 28a 21a92 31292 22112 4 288 361290 351290 301a90 289 321291 311291 301a91 302a91 28d 302aa1 302a9d 131291 121291 31291 21a91 22111 22111 22111 22111 22111 12911 0",
			"0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0",
		},
		"verde": {
			"3a0112 3a0912 3a1112 212912 10a 111912 121112 22112 4 108 3a1110 351110 341910 109 361111 351111 341911 342911 10d 342921 34291d 221111 211111 121111 111911 22111 22111 22111 22111 22111 12911 0",
			"0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0",
		},
		"bonaire": {
			"800150 800950 801150 801950 802950 800148 802954 2800 144 148 2000150 6000154 2800 400148 2400150 2400170 6400154 2800 40014c 40014c 40015c 400174 400164 2800 40015c 400160 400178 c00148 2c00150 6c00154 2800 0",
			"e8 e4 d0 d0 d0 90 40 0 ed e9 e8 e4 d0 90 40 0",
		},
		"hawaii": {
			"800450 800c50 801450 801c50 802c50 802c48 802c54 802954 444 448 2000450 6000454 6000158 400448 2400450 2400470 6400454 6400154 40044c 100044c 100045c 1000474 1000464 1000164 40045c 1000460 1000478 c00448 2c00450 6c00454 6c00154 0",
			"d8 d4 c0 c0 80 40 40 0 d8 d4 c0 80 d0 90 40 0",
		},
		"polaris10": {
			"800310 800b10 801310 801b10 802b10 802b08 802b14 802954 304 2000308 2000310 6000314 6000154 2400308 2400310 2400330 6400314 6400154 40030c 100030c 100031c 1000334 1000324 1000164 40031c 1000320 1000338 2c00308 2c00310 6c00314 6c00154 0",
			"e8 e8 e8 e8 d4 c0 c0 0 ec e8 d4 d0 80 40 40 0",
		},
		"polaris11": {
			"800150 800950 801150 801950 802950 802948 802954 802954 144 2000148 2000150 6000154 6000154 2400148 2400150 2400170 6400154 6400154 40014c 100014c 100015c 1000174 1000164 1000164 40015c 1000160 1000178 2c00148 2c00150 6c00154 6c00154 0",
			"e8 e8 e8 e4 d0 d0 d0 0 ed e9 e8 e4 d0 90 40 0",
		},
	}
}

func hex(v []uint32) string { return strings.Trim(fmt.Sprintf("%x", v), "[]") }

// The tables of tile modes give the kernel's words; tonga has those of polaris10.
func TestTileModes(t *testing.T) {
	want := words()
	want["tonga"] = want["polaris10"]
	for _, c := range All() {
		w, ok := want[c.Name]
		if !ok {
			t.Errorf("%s: no words", c.Name)
		}
		if got := hex(c.TileModes[:]); got != w[0] {
			t.Errorf("%s: tile modes: got\n%s\nwant\n%s", c.Name, got, w[0])
		}
		if got := hex(c.MacroTileModes[:]); got != w[1] {
			t.Errorf("%s: macro tile modes: got\n%s\nwant\n%s", c.Name, got, w[1])
		}
	}
}

// Figures with which unmodified drivers were seen to work.
func TestFigures(t *testing.T) {
	for _, w := range []Chip{
		{Name: "polaris10", Gen: 8, Device: 0x67df, Revision: 0xc7, Family: 130, ExternalRev: 0x50, Engines: 4, Arrays: 1, CUs: 9, RBs: 2, TCCs: 8,
			AddrConfig: 0x22011003, RAMConfig: 0x31, RasterConfig: 0x16000012, RasterConfig1: 0x2a},
		{Name: "bonaire", Gen: 7, Device: 0x6640, Family: 120, ExternalRev: 0x14, Engines: 2, Arrays: 1, CUs: 7, RBs: 2, TCCs: 4,
			AddrConfig: 0x12010001, RAMConfig: 0x21, RasterConfig: 0x16000012},
		{Name: "tahiti", Gen: 6, Device: 0x6798, Family: 110, ExternalRev: 5, Engines: 2, Arrays: 2, CUs: 8, RBs: 4, TCCs: 12,
			AddrConfig: 0x12011003, RAMConfig: 0x31, RasterConfig: 0x2a001260},
		{Name: "hawaii", Gen: 7, Device: 0x67b0, Family: 120, ExternalRev: 0x28, Engines: 4, Arrays: 1, CUs: 11, RBs: 4, TCCs: 16,
			AddrConfig: 0x12011003, RAMConfig: 0x31, RasterConfig: 2 | 2<<2 | 1<<4 | 2<<8 | 1<<10 | 1<<12 | 2<<24 | 2<<26 | 3<<28, RasterConfig1: 2 | 3<<2 | 2<<4},
	} {
		c, err := Lookup(w.Name)
		if err != nil {
			t.Fatal(err)
		}
		got := Chip{Name: c.Name, Gen: c.Gen, Device: c.Device, Revision: c.Revision, Family: c.Family, ExternalRev: c.ExternalRev, Engines: c.Engines,
			Arrays: c.Arrays, CUs: c.CUs, RBs: c.RBs, TCCs: c.TCCs, AddrConfig: c.AddrConfig, RAMConfig: c.RAMConfig, RasterConfig: c.RasterConfig, RasterConfig1: c.RasterConfig1}
		if fmt.Sprint(got) != fmt.Sprint(w) {
			t.Errorf("got %+v\nwant %+v", got, w)
		}
	}
}

// Drivers know chips by family and ranges of external revisions (Mesa's amdgpu_asic_addr.h).
func TestRevisions(t *testing.T) {
	for name, r := range map[string][3]uint32{
		"tahiti": {110, 0x05, 0x14}, "verde": {110, 0x29, 0x3c}, "bonaire": {120, 0x14, 0x28}, "hawaii": {120, 0x28, 0x3c},
		"tonga": {130, 0x14, 0x28}, "polaris10": {130, 0x50, 0x5a}, "polaris11": {130, 0x5a, 0x64},
	} {
		c, err := Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if c.Family != r[0] || c.ExternalRev < r[1] || c.ExternalRev >= r[2] {
			t.Errorf("%s: family %d, external revision %#x", name, c.Family, c.ExternalRev)
		}
	}
}

// Numbers of units agree with each other and with GB_ADDR_CONFIG, and every chip has all figures.
func TestPlausible(t *testing.T) {
	cus := map[string]int{"tahiti": 32, "verde": 10, "bonaire": 14, "hawaii": 44, "tonga": 32, "polaris10": 36, "polaris11": 16}
	for _, c := range All() {
		if c.TotalCUs() != cus[c.Name] {
			t.Errorf("%s: %d compute units", c.Name, c.TotalCUs())
		}
		if c.Gen == 6 && 1<<(c.AddrConfig>>12&3) != c.Engines {
			t.Errorf("%s: %d engines, GB_ADDR_CONFIG %#x", c.Name, c.Engines, c.AddrConfig)
		}
		if c.VRAM == 0 || c.VRAMBits == 0 || c.VRAMType == 0 || c.ShaderClock == 0 || c.MemoryClock == 0 || c.GSThreads == 0 || c.RasterConfig == 0 {
			t.Errorf("%s: a figure is missing: %+v", c.Name, *c)
		}
		if len(c.Guesses) == 0 || c.Guesses[0] != "ram_config" {
			t.Errorf("%s: guesses %q", c.Name, c.Guesses)
		}
	}
	c, _ := Lookup("tahiti")
	if c.CUMask() != 0xff || c.RBMask() != 0xff {
		t.Errorf("tahiti: masks %#x, %#x", c.CUMask(), c.RBMask())
	}
}

func TestRegister(t *testing.T) {
	for _, r := range []struct {
		chip          string
		off, instance uint32
		want          uint32
		ok            bool
	}{
		{"polaris10", 0x263e, 0xffffffff, 0x22011003, true},
		{"polaris10", 0x263d, 0xff00, 0, true},
		{"polaris10", 0xa0d4, 0xff03, 0x16000012, true},
		{"polaris10", 0xa0d4, 0xff04, 0, false}, // four engines
		{"polaris10", 0xa0d5, 0xff00, 0x2a, true},
		{"polaris10", 0x2644 + 14, 0xffffffff, 0x2000310 | 1<<22, true},
		{"polaris10", 0x2664 + 4, 0xffffffff, 0xd4, true},
		{"polaris10", 0x2674, 0xffffffff, 0, false},
		{"tahiti", 0x2664, 0xffffffff, 0, false}, // no macro tile modes
		{"tahiti", 0xa0d5, 0xff00, 0, false},
		{"tahiti", 0x9d8, 0xffffffff, 0x31, true},
		{"tahiti", 0xa0d4, 0x0200, 0, false}, // two arrays
		{"tahiti", 0xa0d4, 0x0101, 0x2a001260, true},
		{"bonaire", 0x2004, 0xffffffff, 0, true},
		{"bonaire", 0x2003, 0xffffffff, 0, false},
		{"bonaire", 0xffffffff, 0xffffffff, 0, false},
	} {
		c, err := Lookup(r.chip)
		if err != nil {
			t.Fatal(err)
		}
		if v, ok := c.Register(r.off, r.instance); v != r.want || ok != r.ok {
			t.Errorf("%s %#x of %#x: %#x %t, want %#x %t", r.chip, r.off, r.instance, v, ok, r.want, r.ok)
		}
	}
}

func TestLookup(t *testing.T) {
	all := "chips: tahiti, verde, bonaire, hawaii, tonga, polaris10, polaris11"
	for _, c := range []struct{ name, want string }{
		{"polaris12", `unknown chip "polaris12" (did you mean polaris10? ` + all + ")"},
		{"Tahiti", `unknown chip "Tahiti" (did you mean tahiti? ` + all + ")"},
		{"", `unknown chip "" (` + all + ")"},
	} {
		if _, err := Lookup(c.name); err == nil || err.Error() != c.want {
			t.Errorf("%q: %v, want %s", c.name, err, c.want)
		}
	}
	if all := All(); len(all) != 7 || all[0].Name != "tahiti" {
		t.Errorf("%d chips", len(all))
	}
}

// Mistakes in the table are found when it is read.
func TestBadTables(t *testing.T) {
	name := "figure\tname\ttahiti\t\nfigure\tgeneration\t6\t\n"
	for _, c := range []struct{ text, want string }{
		{"figure\tname", "1: 2 columns"},
		{name + "figure\tdevice\t1 2\t", "3: 2 values for 1 chips"},
		{name + "figure\tcolour\t1\t", `3: figure "colour"`},
		{name + "figure\tdevice\tx\t", `3: strconv.ParseUint: parsing "x": invalid syntax`},
		{name + "tile\ttahiti\t32\tDEPTH", `3: index "32"`},
		{name + "tile\ttahiti\t0\tDEEP", `3: GB_TILE_MODE0: no field has the value "DEEP"`},
		{name + "macro\ttahiti\t0\tBANK_WIDTH_1", `3: gfx6 has no GB_MACROTILE_MODE0`},
		{name + "raster\ttahiti\tSE_MAP=x\t", `3: PA_SC_RASTER_CONFIG: "SE_MAP=x"`},
		{name + "tiles\ttahiti\t0\t", `3: row "tiles"`},
	} {
		got := func() (got string) {
			defer func() { got = fmt.Sprint(recover()) }()
			read(c.text)
			return ""
		}()
		if got != "chip: chips.txt:"+c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}
