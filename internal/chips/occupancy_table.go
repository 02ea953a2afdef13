package chips

// Sources of figures, in the order of the fields of a core.
const (
	gcnSource = "LLVM AMDGPUBaseInfo.cpp (10 waves a SIMD, 4 SIMDs a compute unit, VGPRs by 4, SGPRs, 16 barriers), " +
		"Mesa aco_ir.cpp (units of LDS), AMD APP OpenCL Optimization Guide (64 KiB of LDS a compute unit)"
	teslaSource = "NVIDIA CUDA C Programming Guide 4.2, F.1 and 5.2.3, and CUDA Occupancy Calculator: " +
		"registers and shared memory of whole blocks, of an even number of warps"
	valhallSource = "Mesa (Valhall allocates 32 or 64 registers of a thread; with 32 a core holds twice as many threads): " +
		"how many that are is not published for each chip, nor what groups and their memory limit"
)

// cores are those of instruction sets and variants; the first prefix matches. A SIMD has 256 VGPRs of 64 lanes. SGPRs:
// getTotalNumSGPRs, getSGPRAllocGranule; with a trap handler a wave has 16 more, and chips with the SGPR initialisation
// bug (Tonga, Iceland) 96, which their code objects and registers say.
var cores = []core{
	{isa: "gcn:gfx6", unit: "waves a SIMD", units: 4, lanes: 64, waves: 10, groups: 40, slots: 16, largest: 1024,
		vector: pool{"VGPRs", 256 * 64, 4 * 64}, scalar: pool{"SGPRs", 512, 8}, memory: pool{"bytes of LDS", 64 << 10, 256}, group: 32 << 10, source: gcnSource + ", LLVM AMDGPU.td (FeatureAddressableLocalMemorySize32768: of gfx6 a group has half of them)"},
	{isa: "gcn:gfx7", unit: "waves a SIMD", units: 4, lanes: 64, waves: 10, groups: 40, slots: 16, largest: 1024,
		vector: pool{"VGPRs", 256 * 64, 4 * 64}, scalar: pool{"SGPRs", 512, 8}, memory: pool{"bytes of LDS", 64 << 10, 512}, source: gcnSource},
	{isa: "gcn:gfx8", unit: "waves a SIMD", units: 4, lanes: 64, waves: 10, groups: 40, slots: 16, largest: 1024,
		vector: pool{"VGPRs", 256 * 64, 4 * 64}, scalar: pool{"SGPRs", 800, 16}, memory: pool{"bytes of LDS", 64 << 10, 512}, source: gcnSource},

	// Compute capability 1.2 and 1.3: g200 and gt215 (envytools, nv50 chips); 1.0 and 1.1: the others.
	{isa: "tesla:g200", unit: "warps a multiprocessor", units: 1, lanes: 32, waves: 32, groups: 8, largest: 512, pair: 2,
		vector: pool{"registers", 16384, 512}, memory: pool{"bytes of shared memory", 16 << 10, 512}, source: teslaSource},
	{isa: "tesla:gt215", unit: "warps a multiprocessor", units: 1, lanes: 32, waves: 32, groups: 8, largest: 512, pair: 2,
		vector: pool{"registers", 16384, 512}, memory: pool{"bytes of shared memory", 16 << 10, 512}, source: teslaSource},
	{isa: "tesla:", unit: "warps a multiprocessor", units: 1, lanes: 32, waves: 24, groups: 8, largest: 512, pair: 2,
		vector: pool{"registers", 8192, 256}, memory: pool{"bytes of shared memory", 16 << 10, 512}, source: teslaSource},

	{isa: "valhall:", unit: "halves of the threads of a core", units: 1, lanes: 1, waves: 2, vector: pool{"registers", 64, 32}, source: valhallSource},
	{isa: "rogue:", source: "Imagination publishes tasks of up to 32 work-items, not how many a cluster holds"},
	{isa: "attila:", source: "threads are a parameter of the simulator's configuration"},
}
