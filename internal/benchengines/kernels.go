package main

import (
	"math"
	"path/filepath"
)

// corpus returns a kernel of cases/kernels, with larger data.
func corpus(root, name string, grid, block [3]uint32, args ...clArg) *clKernel {
	folder := filepath.Join(root, "cases", "kernels", "gcn", name)
	return &clKernel{name: name, source: filepath.Join(folder, name+".cl"), code: filepath.Join(folder, name+".gfx803.hsaco"), grid: grid, block: block, args: args}
}

// own returns a kernel of this folder.
func own(root, name string, grid, block [3]uint32, args ...clArg) *clKernel {
	folder := filepath.Join(root, "internal", "benchengines", "kernels")
	return &clKernel{name: name, source: filepath.Join(folder, name+".cl"), code: filepath.Join(folder, name+".gfx803.hsaco"),
		include: filepath.Join(folder, "bench.h"), grid: grid, block: block, args: args}
}

// clKernels are the kernels in OpenCL C. Some that are limited by computation, and show the gain from several workers,
// do times as much work; the others ignore times.
var clKernels = [...]func(root string, times int) *clKernel{
	func(root string, times int) *clKernel {
		w, h := 512, 384*times
		return corpus(root, "mandelbrot", [3]uint32{uint32(w), uint32(h), 1}, [3]uint32{16, 4, 1},
			zeros(4*w*h), f32arg(-2), f32arg(-1.2), f32arg(3.0/512), f32arg(2.4/float32(h)), i32(int32(w)), u32(256))
	},
	func(root string, times int) *clKernel {
		bodies, n := max(2048*times, 4096), 4096 // each is attracted by n
		return own(root, "nbody", [3]uint32{uint32(2048 * times), 1, 1}, [3]uint32{64, 1, 1}, buffer(fractions(4*bodies, 1, -1, 1)), zeros(16*2048*times), i32(int32(n)))
	},
	func(root string, times int) *clKernel {
		n, rows := 256, 256*times
		return corpus(root, "matmul_tiled", [3]uint32{uint32(n), uint32(rows), 1}, [3]uint32{16, 16, 1},
			buffer(fractions(n*rows, 2, -1, 1)), buffer(fractions(n*n, 3, -1, 1)), zeros(4*n*rows), i32(int32(n)))
	},
	func(root string, _ int) *clKernel {
		const n = 65536
		return own(root, "sha256", [3]uint32{n, 1, 1}, [3]uint32{64, 1, 1}, buffer(random(16*n, 4)), zeros(32*n), u32(n))
	},
	func(root string, _ int) *clKernel {
		const n = 131072
		return corpus(root, "chacha20", [3]uint32{n, 1, 1}, [3]uint32{64, 1, 1}, buffer(random(12, 5)), zeros(64*n), u32(1))
	},
	func(root string, times int) *clKernel {
		n, length := 8192*times, 509
		table := make([]uint32, 256)
		for i := range table {
			table[i] = uint32(i)
			for range 8 {
				table[i] = table[i]>>1 ^ 0xedb88320&-(table[i]&1)
			}
		}
		return corpus(root, "crc32", [3]uint32{uint32(n), 1, 1}, [3]uint32{64, 1, 1}, buffer(random((n*length+3)/4, 6)), zeros(4*n), buffer(table), u32(uint32(length)))
	},
	func(root string, _ int) *clKernel {
		const rows, columns = 65536, 65536
		starts := sums(rows, 7, 32)
		at := random(int(starts[rows]), 8)
		for i := range at {
			at[i] = at[i] >> 4 % columns
		}
		return corpus(root, "spmv_csr", [3]uint32{rows, 1, 1}, [3]uint32{64, 1, 1}, buffer(starts), buffer(at), buffer(fractions(len(at), 9, -1, 1)),
			buffer(fractions(columns, 10, -1, 1)), zeros(4*rows), u32(rows))
	},
	func(root string, _ int) *clKernel {
		const groups = 8192
		turns := make([]float32, 64)
		for i := range 32 {
			sin, cos := math.Sincos(-2 * math.Pi * float64(i) / 64)
			turns[2*i], turns[2*i+1] = float32(cos), float32(sin)
		}
		return corpus(root, "fft64", [3]uint32{64 * groups, 1, 1}, [3]uint32{64, 1, 1}, buffer(fractions(128*groups, 11, -1, 1)), buffer(turns))
	},
	func(root string, _ int) *clKernel {
		const n = 1 << 19
		return own(root, "blackscholes", [3]uint32{n, 1, 1}, [3]uint32{64, 1, 1}, buffer(fractions(n, 12, 5, 30)), buffer(fractions(n, 13, 1, 100)),
			buffer(fractions(n, 14, 0.25, 10)), zeros(4*n), zeros(4*n), f32arg(0.02), f32arg(0.3))
	},
	func(root string, _ int) *clKernel {
		const n = 1024
		a := make([]float64, n*n)
		for i, x := range fractions(n*n, 15, -1, 1) {
			a[i] = float64(x) * math.Pi
		}
		return corpus(root, "stencil_f64", [3]uint32{n, n, 1}, [3]uint32{16, 8, 1}, buffer(a), zeros(8*n*n), i32(n))
	},
	func(root string, _ int) *clKernel {
		const bytes = 8 << 20
		return corpus(root, "histogram", [3]uint32{4096, 1, 1}, [3]uint32{128, 1, 1}, buffer(random(bytes/4, 16)), zeros(1024), u32(bytes))
	},
	func(root string, _ int) *clKernel {
		const w, h = 2048, 2048
		return corpus(root, "transpose", [3]uint32{w, h, 1}, [3]uint32{16, 16, 1}, buffer(random(w*h, 17)), zeros(4*w*h), i32(w), i32(h))
	},
	func(root string, _ int) *clKernel {
		const w, h, reach = 512, 384, 3
		return corpus(root, "conv2d", [3]uint32{w, h, 1}, [3]uint32{16, 8, 1}, buffer(fractions(w*h, 18, 0, 1)), zeros(4*w*h),
			buffer(fractions((2*reach+1)*(2*reach+1), 19, -1, 1)), i32(w), i32(h), i32(reach))
	},
}
