package main

import (
	"hash/fnv"
	"math"
	"slices"
	"strings"
)

// A row is a kernel in OpenCL C, compiled for gfx803. Its file is one of cases/kernels/gcn, or of the folder kernels
// here.
type row struct {
	// name is FILE, or FILE/KERNEL, and ends in .O0 if the code is compiled without optimisation. Native code is always
	// compiled with it.
	name string
	// grid and block are work-items; a number in braces, here and in args, is multiplied for several workers.
	grid, block string
	args        string // one word each; see argument
	native      agreement
}

// An agreement says how what native code leaves agrees with what the engines leave.
type agreement uint8

const (
	exact agreement = iota // bit for bit
	near                   // floats to about three digits: the language leaves functions or denormals to the implementation
	none                   // it does not run: instructions of this GPU, or a type that PoCL does not have
)

// rows are the kernels, in the order of reports; group says which of them may be looked at to make engines faster.
var rows = [...]row{
	{"mandelbrot", "512x384", "16x4", "zero:786432 f32:-2 f32:-1.2 f32:0.005859375 f32:0.00625 i32:512 u32:{256}", exact},
	{"nbody", "2048", "64", "f32:rand:1:{16384}:-1:1 zero:32768 i32:{4096}", near},
	{"matmul_tiled", "256x{256}", "16x16", "f32:rand:2:{65536}:-1:1 f32:rand:3:65536:-1:1 zero:{262144} i32:256", exact},
	{"sha256", "65536", "64", "u32:rand:4:1048576 zero:2097152 u32:65536", exact},
	{"chacha20", "131072", "64", "u32:rand:5:12 zero:8388608 u32:1", exact},
	{"crc32", "{8192}", "64", "u8:rand:6:{4169728} zero:{32768} made:crc u32:509", exact},
	{"spmv_csr", "65536", "64", "made:starts u32:rand:7:1015808:0:65536 f32:rand:8:1015808:-1:1 f32:rand:9:65536:-1:1 zero:262144 u32:65536", exact},
	{"fft64", "524288", "64", "f32:rand:10:1048576:-1:1 made:turns", exact},
	{"blackscholes", "524288", "64", "f32:rand:11:524288:5:30 f32:rand:12:524288:1:100 f32:rand:13:524288:0.25:10 zero:2097152 zero:2097152 f32:0.02 f32:0.3", near},
	{"stencil_f64", "1024x1024", "16x8", "f64:rand:14:1048576:-3:3 zero:8388608 i32:1024", exact},
	{"histogram", "4096", "128", "u8:rand:15:8388608 zero:1024 u32:8388608", exact},
	{"transpose", "2048x2048", "16x16", "u32:rand:16:4194304 zero:16777216 i32:2048 i32:2048", exact},
	{"conv2d", "512x384", "16x8", "f32:rand:17:196608 zero:786432 f32:rand:18:49:-1:1 i32:512 i32:384 i32:3", exact},

	// The rest of the full sets.
	{"aes128", "16384", "64", "u8:rand:20:262144 zero:262144 u8:rand:21:176 u8:rand:22:256", exact},
	{"asynccopy", "262144", "64", "u32:rand:23:524288 zero:1048576 local:512", exact},
	{"atomics", "16384", "64", "zero:64 i32:rand:24:16384 zero:65536", exact},
	{"bitonic", "131072", "64", "u32:rand:25:131072 u32:131072 each:u32:65536,32768,16384,8192,4096,2048,1024,512,256,128,64,32,16,8,4,2,1", exact},
	{"blackscholes_exact/blackscholes", "65536", "64", "f32:rand:26:65536:5:30 f32:rand:27:65536:1:100 f32:rand:28:65536:0.25:10 zero:262144 zero:262144 f32:0.02 f32:0.3", near},
	{"collatz_queue", "1024", "64", "u32:rand:29:16384:1:100000 zero:65536 zero:4 u32:16384", exact},
	{"converts", "65536", "64", "f32:rand:30:65536:-100:100 i32:rand:31:65536:0:30000 zero:4194304 i32:65536", exact},
	{"divergent", "8192", "64", "u32:rand:32:8192 zero:32768 u32:24", exact},
	{"dpp_gfx8", "131072", "64", "u32:rand:33:131072 zero:8388608 i32:131072", none},
	{"fdiv_exact", "131072", "64", "f32:rand:34:131072:-99:99 f32:rand:35:131072:1:99 zero:4194304 i32:131072", exact},
	{"floyd", "256x256", "16x16", "u32:rand:36:65536:1:1000 u32:256 each:u32:iota:32", exact},
	{"globalconst", "524288", "64", "i32:rand:37:524288 zero:2097152 zero:2097152", exact},
	{"half_arith", "131072", "64", "f16:rand:38:131072:-9:9 f16:rand:39:131072:-9:9 zero:3145728 i32:131072", none},
	{"ids3d", "64x64x64", "4x4x4", "zero:3145728 u32:262144", exact},
	{"kmeans", "32768", "64", "f32:rand:40:262144 f32:rand:41:128 zero:131072 i32:32768 i32:16 i32:8", exact},
	{"life", "512x384", "16x4", "u8:rand:42:196608:0:2 zero:196608 i32:512 i32:384", exact},
	{"montecarlo", "16384", "64", "zero:65536 u32:12345 u32:200", exact},
	{"reduce_lds", "16384", "256", "u32:rand:43:1048576 zero:256 u32:1048576", exact},
	{"satops", "131072", "64", "i32:rand:44:131072 i32:rand:45:131072 zero:8388608 i32:131072", exact},
	{"saxpy", "2097152", "64", "f32:rand:46:2097152 f32:rand:47:2097152 f32:0.3 i32:2097152", exact},
	{"scan_lds", "131072", "128", "i32:rand:48:262144 zero:1048576 zero:4096", exact},
	{"scratch_array", "8192", "64", "u32:rand:49:8192 zero:32768", exact},
	{"sdwa_gfx8", "524288", "64", "u8:rand:50:2097152 u16:rand:51:1048576 zero:2097152 zero:2097152", exact},
	{"sobel", "512x384", "16x4", "u8:rand:52:786432 zero:786432 i32:512 i32:384", exact},
	{"subword", "524288", "64", "i8:rand:53:1572864 u16:rand:54:524288 zero:524288 zero:1048576 zero:1572864", exact},
	{"trig_f32", "32768", "64", "f32:rand:55:32768:-9:9 zero:1048576 i32:32768", near},
	{"vop3_bytes", "131072", "64", "u32:rand:56:131072 u32:rand:57:131072 u32:rand:58:131072 zero:7864320 i32:131072", none},
	{"vop3_float", "131072", "64", "f32:rand:59:131072 f32:rand:60:131072 f32:rand:61:131072 zero:6291456 i32:131072", none},
	{"wave_swizzle", "524288", "64", "u32:rand:62:524288 zero:8388608 i32:524288", none},

	// One kind of code each.
	{"indexed/ring", "16384", "64", "u32:rand:70:262144 zero:65536 u32:128", exact},
	{"indexed/insertion", "4096", "64", "u32:rand:71:98304 zero:393216", exact},
	{"indexed/count", "8192", "64", "u32:rand:72:262144 zero:32768 u32:32", exact},
	{"indexed/machine", "4096", "64", "u8:rand:73:258 zero:16384 u32:200", exact},
	{"bytes/base64", "65536", "64", "u8:rand:74:3145728 zero:4194304 u8:rand:75:64", exact},
	{"bytes/search", "16384", "64", "u8:rand:76:16644:0:6 u8:1,2,3,4 zero:65536", exact},
	{"bytes/sound", "32768", "64", "i16:rand:77:32832 zero:65536 i32:64", exact},
	{"strides/rows", "16384", "64", "f32:rand:78:2097152 zero:65536 u32:128", exact},
	{"strides/particles", "65536", "64", "f32:rand:79:458752 f32:0.01 u32:8", exact},
	{"strides/chase", "32768", "64", "u32:rand:80:65536 zero:131072 u32:64 u32:65535", exact},
	{"f64/lorenz", "8192", "64", "f64:rand:81:8192 zero:65536 u32:200", exact},
	{"f64/reduce", "8192", "64", "f64:rand:82:8192:-900:900 zero:65536 u32:64", exact},
	{"f64/roots", "8192", "64", "f64:rand:83:8192:1:900 zero:65536 u32:24", exact},
	{"f16/blend", "65536", "64", "f16:rand:84:2097152 f16:rand:85:262144 u32:8", exact},
	{"f16/poly", "65536", "64", "f16:rand:86:65536 zero:131072 u32:64", none},
	{"diverge/divisor", "8192", "64", "u32:rand:87:8192:0:1000000 zero:32768", exact},
	{"diverge/binary_gcd", "16384", "64", "u32:rand:88:32768 zero:65536", exact},
	{"diverge/walk", "32768", "64", "u32:iota:65536:0:65536 u32:65536 zero:131072", exact},
	{"calls/recursion", "1024", "64", "zero:4096 u32:4 u32:5", exact},
	{"calls/nested", "16384", "64", "u32:rand:89:16384 zero:65536 u32:64", exact},
	{"lds/sort", "65536", "256", "u32:rand:90:65536", exact},
	{"lds/heat", "256x256", "16x16", "f32:rand:91:65536 u32:16", exact},
	{"lds/buckets", "16384", "128", "u32:rand:92:524288 zero:131072 u32:32", exact},
	{"shared/extremes", "32768", "64", "i32:rand:93:262144 zero:68 u32:8", exact},
	{"shared/table", "16384", "64", "u32:rand:94:131072 zero:16384 zero:4100 u32:4095 u32:8", exact},
	{"launches/relax", "256", "64", "u32:rand:95:65536:0:2048 u32:rand:96:65536:2048:4096 u32:rand:97:65536:0:99 u32:rand:98:4096:0:9999 each:u32:iota:256:0:256", exact},
	{"launches/halve", "1024", "64", "u32:rand:99:4096 each:u32:1024,512,256,128,64,32,16,8,4,2,1,1024,512,256,128,64,32,16,8,4,2,1", exact},
	{"images/blur", "256x128", "16x4", "image:320x132:u8:rand:100:168960 zero:524288", near},
	{"images/zoom", "512x384", "16x4", "image:320x200:u8:rand:101:256000 sampler: zero:3145728 f32:0.0007 f32:0.0003", near},

	// Without optimisation.
	{"saxpy.O0", "131072", "64", "f32:rand:46:131072 f32:rand:47:131072 f32:0.3 i32:131072", exact},
	{"divergent.O0", "1024", "64", "u32:rand:32:1024 zero:4096 u32:24", exact},
	{"fft64.O0", "16384", "64", "f32:rand:10:32768:-1:1 made:turns", exact},
	{"matmul_tiled.O0", "128x64", "16x16", "f32:rand:2:8192:-1:1 f32:rand:3:16384:-1:1 zero:32768 i32:128", exact},
	{"indexed/insertion.O0", "1024", "64", "u32:rand:71:24576 zero:98304", exact},
	{"indexed/machine.O0", "1024", "64", "u8:rand:73:258 zero:4096 u32:100", exact},
	{"f64/roots.O0", "4096", "64", "f64:rand:83:4096:1:900 zero:32768 u32:24", exact},
	{"diverge/divisor.O0", "2048", "64", "u32:rand:87:2048:0:1000000 zero:8192", exact},
	{"diverge/binary_gcd.O0", "4096", "64", "u32:rand:88:8192 zero:16384", exact},
	{"diverge/walk.O0", "8192", "64", "u32:iota:65536:0:65536 u32:65536 zero:32768", exact},
	{"calls/recursion.O0", "256", "64", "zero:1024 u32:4 u32:5", exact},
	{"calls/nested.O0", "4096", "64", "u32:rand:89:4096 zero:16384 u32:64", exact},
	{"lds/sort.O0", "8192", "256", "u32:rand:90:8192", exact},
	{"lds/heat.O0", "64x64", "16x16", "f32:rand:91:4096 u32:16", exact},
	{"lds/buckets.O0", "2048", "128", "u32:rand:92:65536 zero:16384 u32:32", exact},
	{"shared/extremes.O0", "4096", "64", "i32:rand:93:32768 zero:68 u32:8", exact},

	// One instruction at a time, beside code by hand.
	{"micro/alu", "16384", "64", "u32:rand:110:16384 zero:65536", exact},
	{"micro/f32", "16384", "64", "f32:rand:111:16384 zero:65536", exact},
	{"micro/f64", "16384", "64", "f64:rand:112:16384 zero:131072", exact},
	{"micro/u64", "16384", "64", "u64:rand:113:16384 zero:131072", exact},
	{"micro/load", "65536", "64", "u32:rand:114:17408 zero:262144", exact},
	{"micro/load_stride", "65536", "64", "u32:rand:115:4352 zero:262144", exact},
	{"micro/load_bytes", "65536", "64", "u8:rand:116:17408 zero:262144", exact},
	{"micro/load_random", "32768", "64", "u32:rand:117:16384 zero:131072", exact},
	{"micro/store", "32768", "64", "u32:rand:118:32768 zero:33554432", exact},
	{"micro/lds", "16384", "64", "u32:rand:119:16384 zero:65536", exact},
	{"micro/diverge", "32768", "64", "u32:rand:120:32768 zero:131072", exact},
}

// tunedFor are the kernels that engines were tuned on before there were others.
var tunedFor = []string{"mandelbrot", "nbody", "matmul_tiled", "sha256", "chacha20", "crc32", "spmv_csr", "fft64", "blackscholes", "stencil_f64", "histogram", "transpose", "conv2d"}

// The groups of workloads.
const (
	tuned       = "tuned on"
	heldOut     = "held out"
	unoptimised = "-O0"
	micro       = "micro"
	programsAre = "programs"
	scenesAre   = "scenes"
)

// group returns the group of a kernel. Who makes engines faster profiles only kernels that they are tuned on; what
// machine code lacks is counted in all (TestShare). A kernel is held out if the 32-bit FNV-1a hash of its name is odd,
// and it is not of tunedFor.
func group(name string) string {
	h := fnv.New32a()
	h.Write([]byte(name))
	switch {
	case strings.HasSuffix(name, noOptimisation):
		return unoptimised
	case strings.HasPrefix(name, micro+"/"):
		return micro
	case h.Sum32()&1 == 0 || slices.Contains(tunedFor, name):
		return tuned
	}
	return heldOut
}

// made are contents that are no list and not random.
var made = map[string]func() []byte{
	"crc": func() []byte { // CRC-32 of each byte
		table := make([]uint32, 256)
		for i := range table {
			table[i] = uint32(i)
			for range 8 {
				table[i] = table[i]>>1 ^ 0xedb88320&-(table[i]&1)
			}
		}
		return littleEndian(table)
	},
	"starts": func() []byte { // where the 65536 rows of a sparse matrix start: from 0 to 31 columns each
		starts := []uint32{0}
		for i, seed := uint32(0), uint32(7); i < 65536; i++ {
			seed = seed*1664525 + 1013904223
			starts = append(starts, starts[i]+seed>>27)
		}
		return littleEndian(starts)
	},
	"turns": func() []byte { // factors of a Fourier transform of 64 numbers
		turns := make([]float32, 64)
		for i := range 32 {
			sin, cos := math.Sincos(-2 * math.Pi * float64(i) / 64)
			turns[2*i], turns[2*i+1] = float32(cos), float32(sin)
		}
		return littleEndian(turns)
	},
}
