#!/bin/sh
# Makes the texts of dot.cl with debug information, and what LLVM makes of them, with clang, llvm-mc and ld.lld of three versions:
# NAME.s.gz the text, NAME.o.gz what llvm-mc makes of it, NAME.hsaco.gz what ld.lld makes of that without merging texts.
set -e
cd "$(dirname "$0")"
rm -f ./*.gz
make() { # NAME CLANG TARGET OPTIONS
	name=$1 v=$2 target=$3
	shift 3
	clang-$v -x cl -cl-std=CL2.0 -target amdgcn-amd-amdhsa -mcpu=$target -nogpulib -fdebug-compilation-dir=/src "$@" -S dot.cl -o $name.s
	llvm-mc-$v -triple amdgcn-amd-amdhsa -mcpu=$target -fdebug-compilation-dir=/nowhere -filetype=obj $name.s -o $name.o
	ld.lld-$v -O0 -shared $name.o -o $name.hsaco
	chmod a-x $name.hsaco
	gzip -9n $name.s $name.o $name.hsaco
}
make 14.gfx700.O0 14 gfx700 -O0 -g
make 14.gfx803.O2.v4 14 gfx803 -O2 -g -mcode-object-version=4
make 14.gfx803.O2.dwarf4 14 gfx803 -O2 -gdwarf-4
make 19.gfx600.O1.lines 19 gfx600 -O1 -gline-tables-only
make 19.gfx803.O2.v6 19 gfx803 -O2 -g -mcode-object-version=6
make 19.gfx803.O3.dwarf4 19 gfx803 -O3 -gdwarf-4 -mcode-object-version=4
make 22.gfx600.O2 22 gfx600 -O2 -g
make 22.gfx700.O3.v5 22 gfx700 -O3 -g -mcode-object-version=5
make 22.gfx803.O0.v4 22 gfx803 -O0 -g -mcode-object-version=4
make 22.gfx803.O1.lines 22 gfx803 -O1 -gline-tables-only
make 22.gfx803.O2 22 gfx803 -O2 -g
make 22.gfx803.O2.source 22 gfx803 -O2 -g -gembed-source
make 22.gfx803.O2.profile 22 gfx803 -O2 -g -fdebug-info-for-profiling
make 22.gfx803.O2.split 22 gfx803 -O2 -g -gsplit-dwarf=single
