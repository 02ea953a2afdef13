#!/bin/sh
# Builds the code objects of this folder, with clang 22.
cd "$(dirname "$0")" && for of in strided square padded; do
	(cd $of && go run github.com/heddle-gpu/heddle/cmd/heddle build turn.cl --cflag=-fdebug-prefix-map="$PWD"=. -o turn.hsaco)
done
