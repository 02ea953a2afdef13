package main

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// numbers parses the flags that are numbers or times. The tag range of a flag is its range: MIN..MAX, where a missing
// MIN or MAX is that of its type.
var numbers = kong.OptionFunc(func(k *kong.Kong) error {
	for _, o := range []kong.Option{
		kong.KindMapper(reflect.Int, numberOf("whole number", math.MinInt, math.MaxInt, func(s string) (int, error) {
			n, err := strconv.ParseInt(s, 0, 0)
			return int(n), err
		})),
		kong.KindMapper(reflect.Uint32, numberOf("whole number", 0, math.MaxUint32, func(s string) (uint32, error) {
			n, err := strconv.ParseUint(s, 0, 32)
			return uint32(n), err
		})),
		kong.KindMapper(reflect.Uint64, numberOf("whole number", 0, math.MaxUint64, func(s string) (uint64, error) { return strconv.ParseUint(s, 0, 64) })),
		kong.KindMapper(reflect.Float64, numberOf("number", -math.MaxFloat64, math.MaxFloat64, func(s string) (float64, error) { return strconv.ParseFloat(s, 64) })),
		kong.TypeMapper(reflect.TypeFor[time.Duration](), numberOf("time such as 150ms, 30s or 5m", math.MinInt64, math.MaxInt64, time.ParseDuration)),
	} {
		if err := o.Apply(k); err != nil {
			return err
		}
	}
	return nil
})

// numberOf returns a parser of values of a type. low and high are the type's limits.
func numberOf[T cmp.Ordered](what string, low, high T, read func(text string) (T, error)) kong.MapperFunc {
	return func(ctx *kong.DecodeContext, target reflect.Value) error {
		var text string
		if err := ctx.Scan.PopValueInto(what, &text); err != nil {
			return err
		}
		low, high := low, high
		first, last, _ := strings.Cut(ctx.Value.Tag.Get("range"), "..")
		for _, end := range []struct {
			text string
			at   *T
		}{{first, &low}, {last, &high}} {
			if end.text != "" {
				var err error
				if *end.at, err = read(end.text); err != nil {
					panic(err) // the tag is wrong: TestNumbers checks all
				}
			}
		}
		v, err := read(text)
		if err != nil || !(low <= v && v <= high) { // NaN is rejected
			return fmt.Errorf("want a %s from %v to %v, found %q", what, low, high, text)
		}
		target.Set(reflect.ValueOf(v))
		return nil
	}
}

// negatives joins numeric flags with a following word that begins with a minus sign and a digit, which kong would parse
// as a flag.
func negatives(model *kong.Application, words []string) (list []string) {
	cmd := commandOf(model, words)
	if cmd == nil {
		return words
	}
	for i := 0; i < len(words); i++ {
		w := words[i]
		if w == "--" {
			return append(list, words[i:]...)
		}
		if i+1 < len(words) && len(w) > 1 && w[0] == '-' && isNegative(words[i+1]) {
			switch f, value := flagOf(cmd, model, w); {
			case f == nil || value || !f.Tag.Has("range"):
			case strings.HasPrefix(w, "--"):
				w += "=" + words[i+1]
				i++
			default:
				w += words[i+1]
				i++
			}
		}
		list = append(list, w)
	}
	return list
}

func isNegative(w string) bool {
	return len(w) > 1 && w[0] == '-' && (w[1] == '.' || '0' <= w[1] && w[1] <= '9')
}
