#!/bin/sh
# Builds the code objects of this folder from vars.cl and inlined.cl, with the clang versions that are installed.
set -e
cd "$(dirname "$0")"
for v in 14 19 22; do
  for o in 0 2; do
    clang-$v -x cl -cl-std=CL1.2 -target amdgcn-amd-amdhsa -mcpu=gfx803 -nogpulib -g -O$o -fdebug-prefix-map="$PWD"=. -c vars.cl -o vars.o
    ld.lld-$v -shared vars.o -o vars.clang$v.O$o.hsaco
  done
done
clang-14 -x cl -cl-std=CL1.2 -target amdgcn-amd-amdhsa -mcpu=gfx803 -nogpulib -gdwarf-4 -O2 -fdebug-prefix-map="$PWD"=. -c vars.cl -o vars.o
ld.lld-14 -shared vars.o -o vars.clang14.dwarf4.hsaco
clang-22 -x cl -cl-std=CL1.2 -target amdgcn-amd-amdhsa -mcpu=gfx803 -nogpulib -g -O1 -fdebug-prefix-map="$PWD"=. -c inlined.cl -o inlined.o
ld.lld-22 -shared inlined.o -o inlined.clang22.O1.hsaco
rm vars.o inlined.o
