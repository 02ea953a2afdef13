#!/bin/sh
# Makes an object with compressed debug sections of ../quoted/k.cl, what ld.lld links of it, without merging texts, and the same with debug
# sections compressed again, with zstd.
set -e
cd "$(dirname "$0")"
rm -f ./*.gz
clang-22 -x cl -cl-std=CL1.2 -target amdgcn-amd-amdhsa -mcpu=gfx803 -nogpulib -O1 -g -gz=zlib -fdebug-compilation-dir=/src -c ../quoted/k.cl -o k.o
ld.lld-22 -O0 -shared k.o -o k.hsaco
ld.lld-22 -O0 --compress-debug-sections=zstd -shared k.o -o packed.hsaco
chmod a-x k.hsaco packed.hsaco
gzip -9n k.o k.hsaco packed.hsaco
