package pm4

import (
	"fmt"
	"testing"
)

// Addresses and fields as AMD's register documents have them.
func TestRegisters(t *testing.T) {
	for _, c := range []struct {
		gen    int
		addr   uint32
		name   string
		value  uint32
		format string
	}{
		{8, 0xb84c, "COMPUTE_PGM_RSRC2", 1 | 8<<1 | 1<<7 | 2<<11 | 3<<15, "SCRATCH_EN=1 USER_SGPR=8 TGID_X_EN=1 TIDIG_COMP_CNT=2 LDS_SIZE=3"},
		{6, 0xb848, "COMPUTE_PGM_RSRC1", 5 | 2<<6 | 0xc0<<12 | 1<<21 | 1<<23, "VGPRS=5 SGPRS=2 FLOAT_MODE=FP_16_64_DENORMS DX10_CLAMP=1 IEEE_MODE=1"},
		{7, 0xb81c, "COMPUTE_NUM_THREAD_X", 64 | 17<<16, "NUM_THREAD_FULL=0x40 NUM_THREAD_PARTIAL=0x11"},
		{7, 0xb834, "COMPUTE_PGM_HI", 0x12, "DATA=0x12"},
		{6, 0x8958, "VGT_PRIMITIVE_TYPE", 4, "PRIM_TYPE=DI_PT_TRILIST"},
		{7, 0x30908, "VGT_PRIMITIVE_TYPE", 17, "PRIM_TYPE=DI_PT_RECTLIST"},
		{8, 0x28c70 + 3*0x3c, "CB_COLOR3_INFO", 10<<2 | 1<<28, "FORMAT=COLOR_8_8_8_8 DCC_ENABLE=1"},
		{6, 0x28c70 + 3*0x3c, "CB_COLOR3_INFO", 1 << 28, "BITS=0x10000000"}, // no DCC
		{8, 0xb130 + 5*4, "SPI_SHADER_USER_DATA_VS_5", 0xdeadbeef, "0xdeadbeef"},
		{6, 0x9910 + 31*4, "GB_TILE_MODE31", 0, "0"},
		{8, 0x9990 + 15*4, "GB_MACROTILE_MODE15", 0xe8, "BANK_HEIGHT=ADDR_SURF_BANK_HEIGHT_4 MACRO_TILE_ASPECT=ADDR_SURF_MACRO_ASPECT_4 NUM_BANKS=ADDR_SURF_16_BANK"},
		{6, 0x28350, "PA_SC_RASTER_CONFIG", 0x2a << 24, "SE_MAP=RASTER_CONFIG_SE_MAP_2 SE_XSEL=RASTER_CONFIG_SE_XSEL_32_WIDE_TILE SE_YSEL=RASTER_CONFIG_SE_YSEL_32_WIDE_TILE"},
		{7, 0x28354, "PA_SC_RASTER_CONFIG_1", 0, "0"},
		{6, 0x85f0, "CP_COHER_CNTL", 1 << 29, "SH_ICACHE_ACTION_ENA=1"},
		{8, 0x301f0, "CP_COHER_CNTL", 1<<18 | 1<<22, "TC_WB_ACTION_ENA=1 TCL1_ACTION_ENA=1"},
	} {
		r, ok := Table(c.gen).At(c.addr)
		if !ok || r.Name != c.name {
			t.Errorf("gfx%d %#x: %q %t, want %s", c.gen, c.addr, r.Name, ok, c.name)
			continue
		}
		if got := r.Format(c.value); got != c.format {
			t.Errorf("gfx%d %s %#x: %q, want %q", c.gen, c.name, c.value, got, c.format)
		}
		if n, ok := Table(c.gen).ByName(c.name); !ok || n.Addr != c.addr {
			t.Errorf("gfx%d %s by name: %#x %t", c.gen, c.name, n.Addr, ok)
		}
	}
}

// Registers that a generation lacks, and generations that are not known.
func TestNoRegister(t *testing.T) {
	for _, c := range []struct {
		gen  int
		addr uint32
	}{{6, 0x30908}, {7, 0x8958}, {6, 0x28c94}, {8, 0x28002}, {8, 0}} {
		if r, ok := Table(c.gen).At(c.addr); ok {
			t.Errorf("gfx%d has %s at %#x", c.gen, r.Name, c.addr)
		}
	}
	if got := Table(6).Name(0x30908); got != "0x30908" {
		t.Errorf("no name: %q", got)
	}
	if _, ok := Table(6).ByName("CB_COLOR0_DCC_BASE"); ok {
		t.Error("gfx6 has DCC")
	}
	for _, gen := range []int{-1, 0, 5, 9, 10, 1 << 40} {
		if Table(gen) != nil {
			t.Errorf("generation %d has a table", gen)
		}
	}
}

// The tables are sorted, without doubles, and fields have distinct names; their sizes are those of the source.
func TestRegisterTable(t *testing.T) {
	for gen, least := range map[int]int{6: 1100, 7: 1400, 8: 1400} {
		last, n := uint32(0), 0
		for r := range Table(gen).All() {
			n++
			if r.Addr <= last || r.Addr%4 != 0 {
				t.Errorf("gfx%d: %s at %#x, after %#x", gen, r.Name, r.Addr, last)
			}
			last = r.Addr
			if by, ok := Table(gen).ByName(r.Name); !ok || by.Addr != r.Addr {
				t.Errorf("gfx%d: two registers are %s", gen, r.Name)
			}
			seen := map[string]bool{}
			for _, f := range r.Fields {
				if seen[f.Name] {
					t.Errorf("gfx%d %s: two fields are %s", gen, r.Name, f.Name)
				}
				seen[f.Name] = true
				if got := f.Get(f.Put(0x5a5a5a5a, 0xffffffff)); got != 1<<(f.Hi-f.Lo+1)-1 && f.Hi-f.Lo < 31 {
					t.Errorf("gfx%d %s.%s: %#x", gen, r.Name, f.Name, got)
				}
			}
		}
		if n < least {
			t.Errorf("gfx%d has %d registers", gen, n)
		}
	}
}

func TestField(t *testing.T) {
	r, _ := Table(8).ByName("COMPUTE_PGM_RSRC2")
	f, ok := r.Field("LDS_SIZE")
	if !ok || f.Lo != 15 || f.Hi != 23 {
		t.Fatalf("LDS_SIZE: %+v %t", f, ok)
	}
	if got := f.Put(0xffffffff, 5); got != 0xffffffff&^(0x1ff<<15)|5<<15 {
		t.Errorf("put: %#x", got)
	}
	if _, ok := r.Field("LDS"); ok {
		t.Error("there is a field LDS")
	}
}

func TestEvents(t *testing.T) {
	for _, c := range []struct {
		gen   int
		event uint32
		want  string
	}{
		{6, 7, "CS_PARTIAL_FLUSH"}, {7, 16, "PS_PARTIAL_FLUSH"}, {8, 44, "FLUSH_AND_INV_DB_META"},
		{8, 46, "FLUSH_AND_INV_CB_META"}, {6, 20, "CACHE_FLUSH_AND_INV_TS_EVENT"}, {8, 40, "BOTTOM_OF_PIPE_TS"}, {8, 63, ""}, {9, 7, ""},
	} {
		if got := Event(c.gen, c.event); got != c.want {
			t.Errorf("gfx%d event %d: %q, want %q", c.gen, c.event, got, c.want)
		}
	}
}

// Mistakes in a table are found when it is read.
func TestBadTables(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"reg", "bad:1: 1 columns"},
		{"# text\n\nreg\tA\t9\t0x8000", "bad:3: generation '9'"},
		{"enum\tE\t6\tA=x", `bad:1: strconv.ParseUint: parsing "x": invalid syntax`},
		{"reg\tA\t6\t0x8000\tF:5-2", "bad:1: bits 5-2"},
		{"reg\tA\t6\t0x8000\tF:5-32", "bad:1: bits 5-32"},
		{"reg\tA\t6\t0x8000\tF:5=E", "bad:1: no enum E"},
		{"reg\tA{0-2}\t6\t0x8000", `bad:1: strconv.ParseUint: parsing "": invalid syntax`},
	} {
		got := func() (got string) {
			defer func() { got = fmt.Sprint(recover()) }()
			var of [len(generations)]*Registers
			for g := range of {
				of[g] = &Registers{}
			}
			read("bad", c.text, func(r *reader, cols []string) error {
				return r.register(&of, cols[1], cols[2], cols[3], append(cols, "")[4])
			})
			return ""
		}()
		if got != "pm4: "+c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}
