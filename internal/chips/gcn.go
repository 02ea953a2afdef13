package chips

import "fmt"

// Sources of several figures.
const (
	clrx = "CLRX-mirror 92efa3e0, doc/GcnTimings.md"
	aco  = "Mesa ab9cd1cc, src/amd/compiler/aco_statistics.cpp"
	llvm = "LLVM 22, SISchedule.td"
	// engines × arrays × units of an array.
	linux = "Linux, drivers/gpu/drm/amd/amdgpu, max_shader_engines × max_sh_per_se × max_cu_per_sh of "
)

// gcnCommon are the figures of all chips.
func gcnCommon() []Figure {
	return figures([]Figure{
		{"wave.lanes", 64, Documented, "AMD Accelerated Parallel Processing OpenCL Programming Guide 2.7 (2013), 6.2"},
		{"wave.issue", 4, Measured, clrx + ": almost all instructions take 4 clocks"},
		{"simd.waves", 10, Measured, clrx + ", occupancy table"},
	},
		times(Measured, clrx+", VOP2, VOP1 and VOP3", 4, "valu.full"),
		times(Measured, clrx+", VOP1 and VOP3: 16; the same in ACO and LLVM", 16, "valu.quarter"),
		times(Measured, clrx+", VOP1: 4; ACO and LLVM schedule with 16", 4, "valu.convert"),
		times(Measured, clrx+", SOP1, SOP2, SOPK and SOPC", 4, "salu"),
		times(Measured, clrx+", SOP1 and SOPK: s_setreg and s_*_saveexec_b64", 8, "salu.state"),
		[]Figure{
			{"smem.issue", 4, Measured, clrx + ", SMRD: up to 4 words; more take 8 to 24"},
			{"smem.latency", 30, Compiler, aco + ": loads that are likely to hit; others 200. " + llvm + ": 5 of its cycles of 4 clocks"},
			{"vmem.load.issue", 8, Measured, clrx + ", MUBUF, one wave alone, one word; more take 16 to 18"},
			{"vmem.store.issue", 16, Measured, clrx + ", MUBUF, one wave alone"},
			{"vmem.atomic.issue", 16, Measured, clrx + ", MUBUF, one wave alone; compare and swap 32"},
			{"vmem.sample.issue", 16, Assumed, "no source has it: as stores"},
			{"vmem.latency", 320, Compiler, aco + ", and " + llvm + ": 80 of its cycles of 4 clocks"},
			{"flat.issue", 16, Assumed, "no source has it: as stores of vmem"},
			{"flat.latency", 320, Compiler, aco},
			{"lds.load.issue", 0, Measured, clrx + ", DS: 2, 4, 8 clocks of a compute unit for 1, 2, 4 words"},
			{"lds.load.word", 2, Measured, clrx + ", DS"},
			{"lds.store.issue", 2, Measured, clrx + ", DS: 4, 6, 10 clocks of a compute unit for 1, 2, 4 words"},
			{"lds.store.word", 2, Measured, clrx + ", DS"},
			{"lds.atomic.issue", 2, Measured, clrx + ", DS: 4 and 6 clocks of a compute unit for 1 and 2 words"},
			{"lds.atomic.word", 2, Measured, clrx + ", DS"},
			{"lds.load96.issue", 8, Measured, clrx + ", DS"},
			{"lds.store64.issue", 8, Measured, clrx + ", DS: ds_write_b64, not ds_write2_b32"},
			{"lds.store96.issue", 10, Measured, clrx + ", DS"},
			{"lds.exchange64.issue", 12, Measured, clrx + ", DS: ds_wrxchg2_rtn_b64 and ds_wrxchg2st64_rtn_b64"},
			{"lds.source64.issue", 8, Measured, clrx + ", DS: ds_*_src2 of 64 bits"},
			{"lds.other.issue", 4, Assumed, "no source has ds_permute, ds_bpermute, ds_append, ds_consume, sums of floats and the like: as stores of one word"},
			{"lds.shared", 4, Documented, "AMD Accelerated Parallel Processing OpenCL Programming Guide 2.7 (2013), 6.2: one for the four SIMDs of a compute unit"},
			{"lds.latency", 20, Compiler, aco + ", and " + llvm + ": 5 of its cycles of 4 clocks"},
			{"gds.issue", 4, Compiler, aco},
			{"gds.latency", 20, Compiler, aco},
			{"export.issue", 16, Compiler, aco},
			{"export.latency", 16, Compiler, aco + ", and " + llvm + ": 4 of its cycles of 4 clocks"},
			{"branch.issue", 4, Measured, clrx + ", SOPP"},
			{"branch.taken", 20, Measured, clrx + ", SOPP"},
			{"message.issue", 4, Assumed, "no source has it: as branches"},
			{"lines.issue", 1, Documented, "AMD GPUOpen, Understanding Memory Coalescing on GCN: one unit of a compute unit for all SIMDs, 16 words, which is a line of 64 bytes, a clock"},
		})
}

// doubles are the figures of 64 bits of chips whose sums take so many times as long as those of 32 bits.
func doubles(factor float64, how string) []Figure {
	of := func(what string) string { return fmt.Sprintf("%s, DPFACTOR %g (%s): %s", clrx, factor, how, what) }
	fma, why := 16.0, of("v_fma_f32")
	if factor < 8 {
		fma = 4
	}
	return figures(times(Measured, of("sums, comparisons, conversions"), 4*factor, "valu.add64"), times(Measured, of("products, reciprocals"), 8*factor, "valu.mul64", "valu.trans64"),
		times(Measured, of("shifts and comparisons; ACO and LLVM: 8"), 4*factor, "valu.wide"), times(Measured, why, fma, "valu.fma"))
}

// gcnChips are the chips; the first of a variant is its default.
func gcnChips() (list []*Chip) {
	slow := doubles(8, "all but Tahiti and Hawaii")
	carrizo := figures(doubles(8, "all but Tahiti and Hawaii; of gfx801 LLVM's AMDGPU.td has HalfRate64Ops, which is DPFACTOR 1"), times(Compiler, "Mesa, src/amd/compiler/aco_ir.cpp: has_fast_fma32 of Tahiti, Hawaii and Carrizo", 4, "valu.fma"))
	banks := []Figure{{"lds.load.word", 4, Derived, "from 2 with 32 banks: 16 banks, by Mesa (has_lds_bank_count_16 of Kabini and Stoney) and LLVM (FeatureLDSBankCount16 of gfx703, which is also Mullins, and gfx810)"},
		{"lds.store.word", 4, Derived, "as lds.load.word"}, {"lds.atomic.word", 4, Derived, "as lds.load.word"},
		{"lds.load96.issue", 16, Derived, "twice that with 32 banks"}}
	const twice = "from that with 32 banks: all but 2 clocks take twice as long"
	for _, x := range []Figure{{Name: "store64", Value: 14}, {Name: "store96", Value: 18}, {Name: "exchange64", Value: 22}, {Name: "source64", Value: 14}} {
		banks = append(banks, Figure{"lds." + x.Name + ".issue", x.Value, Derived, twice})
	}
	const gfx6, gfx7, gfx8 = linux + "gfx_v6_0.c", linux + "gfx_v7_0.c", linux + "gfx_v8_0.c"
	for _, c := range []struct {
		name, isa string
		also      []string
		cores     float64
		from      string
		more      []Figure
	}{
		{"tahiti", "gcn:gfx6", []string{"gfx600"}, 32, gfx6, doubles(2, "Tahiti")},
		{"pitcairn", "gcn:gfx6", nil, 20, gfx6, slow}, {"verde", "gcn:gfx6", []string{"gfx601"}, 10, gfx6, slow}, {"oland", "gcn:gfx6", nil, 6, gfx6, slow}, {"hainan", "gcn:gfx6", []string{"gfx602"}, 5, gfx6, slow},
		{"bonaire", "gcn:gfx7", []string{"gfx704"}, 14, gfx7, slow}, {"kaveri", "gcn:gfx7", []string{"gfx700"}, 8, gfx7, slow},
		{"hawaii", "gcn:gfx7", []string{"gfx702"}, 44, gfx7, doubles(4, "Hawaii of Radeon R9 290")}, {"firepro-hawaii", "gcn:gfx7", []string{"gfx701"}, 44, gfx7, doubles(1, "Hawaii, professional")},
		{"kabini", "gcn:gfx7", []string{"gfx703"}, 2, gfx7, figures(slow, banks)}, {"mullins", "gcn:gfx7", nil, 2, gfx7, figures(slow, banks)},
		{"fiji", "gcn:gfx8", []string{"gfx803"}, 64, gfx8, slow}, {"tonga", "gcn:gfx8", []string{"gfx802", "iceland"}, 32, gfx8 + ": Tonga; Iceland has 6", slow},
		{"polaris10", "gcn:gfx8", nil, 36, "AMD, Radeon RX 480: 36 compute units", slow}, {"polaris11", "gcn:gfx8", nil, 16, "AMD, Radeon RX 460 and Pro 460: 14 and 16 compute units", slow},
		{"carrizo", "gcn:gfx8", []string{"gfx801"}, 8, gfx8, carrizo}, {"stoney", "gcn:gfx8", []string{"gfx810"}, 3, gfx8, figures(slow, banks)},
	} {
		list = append(list, &Chip{Name: c.name, ISA: c.isa, Also: c.also, Figures: figures(gcnCommon(), c.more, []Figure{{"chip.cores", c.cores, Documented, c.from}})})
	}
	return list
}
