#!/bin/sh
# Builds the code object of this folder, with clang 22.
cd "$(dirname "$0")" && go run github.com/heddle-gpu/heddle/cmd/heddle build heat.cl -O1 --cflag=-fdebug-prefix-map="$PWD"=. -o heat.hsaco
