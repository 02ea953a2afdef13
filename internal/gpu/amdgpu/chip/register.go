package chip

import (
	"strconv"
	"strings"
)

// A readable range of registers is one that processes may read through the kernel's INFO call.
type readable struct {
	first, last uint32 // numbers in dwords
	gens        string
	value       func(c *Chip, i uint32) uint32
}

// zero is what status registers have of a device that waits for work, and masks of disabled units where all work.
func zero(*Chip, uint32) uint32 { return 0 }

// readables are the registers that the kernel lets a process read (si.c, cik.c, vi.c: allowed_read_registers), less
// GB_BACKEND_MAP, whose value is not known. Status registers change from one moment to the next on a real device; here
// they say that it is idle.
func readables() []readable {
	return []readable{
		{0x263e, 0x263e, "678", func(c *Chip, _ uint32) uint32 { return c.AddrConfig }},
		{0x9d8, 0x9d8, "678", func(c *Chip, _ uint32) uint32 { return c.RAMConfig }},
		{0x2644, 0x2663, "678", func(c *Chip, i uint32) uint32 { return c.TileModes[i] }},
		{0x2664, 0x2673, "78", func(c *Chip, i uint32) uint32 { return c.MacroTileModes[i] }},
		{0xa0d4, 0xa0d4, "678", func(c *Chip, _ uint32) uint32 { return c.RasterConfig }},
		{0xa0d5, 0xa0d5, "78", func(c *Chip, _ uint32) uint32 { return c.RasterConfig1 }},
		{0x263d, 0x263d, "678", zero}, // CC_RB_BACKEND_DISABLE
		{0x26df, 0x26df, "678", zero}, // GC_USER_RB_BACKEND_DISABLE
		{0x2002, 0x2002, "678", zero}, // GRBM_STATUS2
		{0x2004, 0x2006, "678", zero}, // GRBM_STATUS, GRBM_STATUS_SE0, GRBM_STATUS_SE1
		{0x200e, 0x200f, "78", zero},  // GRBM_STATUS_SE2, GRBM_STATUS_SE3
		{0x394, 0x394, "678", zero},   // SRBM_STATUS
		{0x3b1, 0x3b1, "6", zero},     // SRBM_STATUS2
		{0x393, 0x393, "78", zero},    // SRBM_STATUS2
		{0x395, 0x395, "8", zero},     // SRBM_STATUS3
		{0x340d, 0x340d, "678", zero}, // status of the first DMA engine
		{0x360d, 0x360d, "678", zero}, // status of the second DMA engine
		{0x219c, 0x219e, "678", zero}, // CP_STALLED_STAT3, CP_STALLED_STAT1, CP_STALLED_STAT2
		{0x21a0, 0x21a0, "678", zero}, // CP_STAT
		{0x2084, 0x2089, "78", zero},  // CP_CPC_STATUS and following, CP_CPF_STATUS and following
	}
}

// Register returns the value of a register as the INFO call reads it: off is its number in dwords, and instance has the
// shader engine in bits 0 to 7 and the array in bits 8 to 15, 0xff for all of them. The result is false for registers
// and units that the kernel refuses.
func (c *Chip) Register(off, instance uint32) (uint32, bool) {
	engine, array := instance&0xff, instance>>8&0xff
	if engine != 0xff && int(engine) >= c.Engines || array != 0xff && int(array) >= c.Arrays {
		return 0, false
	}
	for _, r := range readables() {
		if r.first <= off && off <= r.last && strings.Contains(r.gens, strconv.Itoa(c.Gen)) {
			return r.value(c, off-r.first), true
		}
	}
	return 0, false
}
