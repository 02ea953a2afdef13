#!/bin/sh
# Makes k.s.gz, the text of k.cl, and k.o.gz, which clang writes itself: llvm-mc does not read the name after .amdhsa_kernel, which clang leaves without
# quotes.
set -e
cd "$(dirname "$0")"
cc="clang-22 -x cl -cl-std=CL1.2 -target amdgcn-amd-amdhsa -mcpu=gfx803 -nogpulib -O1"
$cc -S k.cl -o k.s
$cc -c k.cl -o k.o
gzip -9nf k.s k.o
