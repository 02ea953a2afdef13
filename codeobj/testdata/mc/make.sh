#!/bin/sh
# Makes NAME.o.gz of each NAME.s with llvm-mc 22, and NAME.hsaco.gz of that with ld.lld 22, texts in their order. cfi.s is not linked:
# ld.lld refuses its absolute addresses in a section that cannot be written, and merges entries of .eh_frame.
set -e
cd "$(dirname "$0")"
for f in *.s; do
	n=${f%.s}
	llvm-mc-22 -triple amdgcn-amd-amdhsa -mcpu=gfx803 -filetype=obj $f -o $n.o
	if [ $n != cfi ]; then
		ld.lld-22 -O0 -shared $n.o -o $n.hsaco
		chmod a-x $n.hsaco
		gzip -9nf $n.hsaco
	fi
	gzip -9nf $n.o
done
