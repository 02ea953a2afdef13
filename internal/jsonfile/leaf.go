package jsonfile

import (
	"encoding/hex"
	"math"
	"path/filepath"
	"strconv"
	"strings"
)

// wholeNumber reads a whole number from lo to hi.
func wholeNumber(v []byte, lo, hi int64) (int64, error) {
	n, err := strconv.ParseInt(string(v), 10, 64)
	if err != nil {
		return 0, Want("a whole number", v)
	}
	if n < lo || n > hi {
		return 0, Bad("%d is not in %d to %d", n, lo, hi)
	}
	return n, nil
}

// Float reads a number.
func Float(v []byte) (float64, error) {
	x, err := strconv.ParseFloat(string(v), 64)
	if err != nil || math.IsInf(x, 0) || len(v) == 0 || v[0] != '-' && (v[0] < '0' || v[0] > '9') {
		return 0, Want("a number", v)
	}
	return x, nil
}

// Word reads a number of up to 64 bits: a string of hexadecimal digits with or without 0x, or a JSON number, which is
// decimal.
func Word(v []byte) (uint64, error) {
	digits, base := v, 10
	if len(v) > 1 && v[0] == '"' {
		digits, base = v[1:len(v)-1], 16
		if len(digits) > 1 && digits[0] == '0' && digits[1] == 'x' {
			digits = digits[2:]
		}
	}
	x, err := strconv.ParseUint(string(digits), base, 64)
	if err != nil {
		return 0, Want("a hexadecimal word", v)
	}
	return x, nil
}

// wordOf is Word for words of some bits.
func wordOf(v []byte, bits int) (uint64, error) {
	x, err := Word(v)
	if err == nil && bits < 64 && x>>bits != 0 {
		err = Want("a word of "+strconv.Itoa(bits)+" bits", v)
	}
	return x, err
}

// hexBytes reads a string of pairs of hexadecimal digits.
func hexBytes(v []byte) ([]byte, error) {
	s, err := String(v)
	if err != nil {
		return nil, err
	}
	if !IsHex(s) {
		return nil, Want("pairs of 0-9a-f", v)
	}
	return hex.DecodeString(s)
}

// IsHex reports whether a text is pairs of hexadecimal digits in lower case.
func IsHex(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return len(s)%2 == 0
}

// code reads machine code; nil for "-".
func code(v []byte) ([]byte, error) {
	if string(v) == `"-"` {
		return nil, nil
	}
	b, err := hexBytes(v)
	if err == nil && len(b) == 0 {
		err = Bad(`empty, want bytes or "-"`)
	}
	return b, err
}

// fileName reads a file name that stays in the folder of the document.
func fileName(v []byte) (string, error) {
	s, err := String(v)
	if err != nil {
		return "", err
	}
	if !filepath.IsLocal(s) || strings.ContainsAny(s, "\\\x00") {
		return "", Bad("%q is not the name of a file in the same folder or below it", Clip(s))
	}
	return s, nil
}

// oneOf reads a string that must be one of those in the rules.
func (r *rules) oneOf(v []byte) (string, error) {
	s, err := String(v)
	if err != nil {
		return "", err
	}
	for _, name := range r.one {
		if s == name {
			return s, nil
		}
	}
	return "", Bad("%q is none of %s", Clip(s), strings.Join(r.one, ", "))
}

// plainBool reads true or false.
func plainBool(v []byte) (bool, error) {
	if t := string(v) == "true"; t || string(v) == "false" {
		return t, nil
	}
	return false, Want("true or false", v)
}

// anyBool reads "any".
func anyBool(v []byte) (bool, error) {
	if string(v) != `"any"` {
		return false, Want(`"any"`, v)
	}
	return true, nil
}

// flag reads 0 or 1.
func flag(v []byte) (bool, error) {
	n, err := wholeNumber(v, 0, 1)
	return n == 1, err
}

// numbered returns the number of a name: a prefix and the number.
func (r *rules) numbered(name string) (int64, error) {
	text, ok := strings.CutPrefix(name, r.prefix)
	n, err := strconv.ParseUint(text, 10, 16)
	if !ok || err != nil || int64(n) > r.last {
		return 0, Bad("want %s0 to %s%d", r.prefix, r.prefix, r.last)
	}
	return int64(n), nil
}

// Words reads words of 32 bits in one string, separated by spaces.
func Words(v []byte, to []uint32) error {
	s, err := String(v)
	if err != nil {
		return err
	}
	n := 0
	for word := range strings.FieldsSeq(s) {
		x, err := strconv.ParseUint(word, 16, 32)
		if err != nil {
			return Bad("found %s, want %d hexadecimal words in a string", Clip(string(v)), len(to))
		}
		if n < len(to) {
			to[n] = uint32(x)
		}
		n++
	}
	if n != len(to) {
		return Bad("%d words, want %d hexadecimal words in a string", n, len(to))
	}
	return nil
}
