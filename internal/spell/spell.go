// Package spell finds the word that was meant by a misspelt one, and formats counts of things.
package spell

import (
	"fmt"
	"strconv"
)

// Nearest returns the word of the list closest to w, or "" if all are too far.
func Nearest(w string, list []string) string { return within(w, list, min(3, len(w)/3+1)) }

// Slip returns the word of the list of which w is probably a misspelling: one letter in four differs, at least one. It
// is for words that may be right although the list does not have them.
func Slip(w string, list []string) string { return within(w, list, max(1, len(w)/4)) }

// within returns the word closest to w, at most so many letters away.
func within(w string, list []string, most int) string {
	best, bestD := "", most
	for _, x := range list {
		if d := distance(w, x, bestD); d < bestD || d == bestD && best == "" {
			best, bestD = x, d
		}
	}
	return best
}

// distance returns the number of letters to insert, remove, replace or exchange with their neighbour between a and b,
// or a number above limit.
func distance(a, b string, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit || len(b) > 63 {
		return limit + 1
	}
	var rows [3][64]int // for the two previous letters of a, and the current one
	for j := range len(b) + 1 {
		rows[0][j] = j
	}
	for i := range len(a) {
		before, last, row := &rows[(i+2)%3], &rows[i%3], &rows[(i+1)%3]
		row[0] = i + 1
		least := row[0]
		for j := range len(b) {
			d := last[j]
			if a[i] != b[j] {
				d = min(d, last[j+1], row[j]) + 1
			}
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				d = min(d, before[j-1]+1)
			}
			row[j+1] = d
			least = min(least, d)
		}
		if least > limit+1 { // an exchange may still give one less than the minimum of a row
			return limit + 1
		}
	}
	return rows[len(a)%3][len(b)]
}

// Count formats a count of things: 1 byte, 2 bytes.
func Count[N int | uint16 | int32 | int64 | uint | uint32 | uint64](n N, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Grouped formats a number with blanks between thousands.
func Grouped(n uint64) string {
	s := strconv.FormatUint(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return s
}
