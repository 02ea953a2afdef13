package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A sizeFlag is a number of bytes: 4096, 64K, 256M, 2G.
type sizeFlag int64

func (b *sizeFlag) UnmarshalText(text []byte) error {
	digits, shift := string(text), 0
	if n := len(digits); n > 0 {
		if i := strings.IndexByte("KMG", digits[n-1]); i >= 0 {
			digits, shift = digits[:n-1], 10*(i+1)
		}
	}
	v, err := strconv.ParseUint(digits, 10, 63)
	if err != nil || v == 0 || v > math.MaxInt64>>shift {
		return fmt.Errorf("want a number of bytes from 1 to %d, such as 65536, 64K, 256M, 2G, found %q", int64(math.MaxInt64), text)
	}
	*b = sizeFlag(v << shift)
	return nil
}

// within runs work that cannot be cancelled, such as reading a file, and waits for it until the context of the command
// ends. Late work continues in the background until the process ends, and its result is dropped.
func within[T any](a *app, what string, work func() (T, error)) (T, error) {
	type result struct {
		v   T
		err error
	}
	done := make(chan result, 1)
	var none T
	if err := a.ctx.Err(); err != nil {
		return none, fmt.Errorf("%s: %w", what, err)
	}
	go func() {
		v, err := work()
		done <- result{v, err}
	}()
	select {
	case r := <-done:
		return r.v, r.err
	case <-a.ctx.Done():
		return none, fmt.Errorf("%s: %w", what, a.ctx.Err())
	}
}
