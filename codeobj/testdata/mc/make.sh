#!/bin/sh
# Makes NAME.o.gz of each NAME.s with llvm-mc, and NAME.hsaco.gz of that with ld.lld 22, texts in their order: of v2.s with version 14, the
# last that writes code objects of version 2; of mesa*.s for amdgcn-mesa-mesa3d. cfi.s is not linked: ld.lld refuses its absolute addresses
# in a section that cannot be written, and merges entries of .eh_frame. v2.s and mesa.s are texts of clang 14 and 22 for k.cl:
#   clang-14 -x cl -cl-std=CL2.0 -target amdgcn-amd-amdhsa -mcpu=gfx803 -nogpulib -mcode-object-version=2 -O2 -S k.cl -o v2.s
#   clang-22 -x cl -cl-std=CL2.0 -target amdgcn-mesa-mesa3d -mcpu=gfx803 -nogpulib -O2 -S k.cl -o mesa.s
set -e
cd "$(dirname "$0")"
for f in *.s; do
	n=${f%.s}
	case $n in
	v2) mc="llvm-mc-14 -triple amdgcn-amd-amdhsa --amdhsa-code-object-version=2" ;;
	mesa*) mc="llvm-mc-22 -triple amdgcn-mesa-mesa3d" ;;
	*) mc="llvm-mc-22 -triple amdgcn-amd-amdhsa" ;;
	esac
	$mc -mcpu=gfx803 -filetype=obj $f -o $n.o
	if [ $n != cfi ]; then
		ld.lld-22 -O0 -shared $n.o -o $n.hsaco
		chmod a-x $n.hsaco
		gzip -9nf $n.hsaco
	fi
	gzip -9nf $n.o
done
