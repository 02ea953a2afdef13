package main

import (
	"errors"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// numberFlags are the numeric flags, the range in their errors, values outside it, and some at its ends.
var numberFlags = map[string]struct{ says, outside, inside string }{
	"workers":      {"want a whole number from 0 to 4096", "-1 4097 99999999999999999999 1.5", "0 4096"},
	"jobs":         {"want a whole number from 0 to 4096", "-1 4097 99999999999999999999 1.5", "0 4096"},
	"max-failures": {"want a whole number from 0 to 9223372036854775807", "-1 9223372036854775808", "0 9223372036854775807"},
	"max-steps":    {"want a whole number from 1 to 18446744073709551615", "-1 0 18446744073709551616 1e3", "1 18446744073709551615"},
	"timeout":      {"want a time such as 150ms, 30s or 5m from 0s to 8760h0m0s", "-1s -1 2 8761h 99999999999999999999h", "0 0s 8760h"},
	"capture-most": {"want a whole number from 1 to 1000000", "-1 0 1000001", "1 1000000"},
	"hang":         {"want a time such as 150ms, 30s or 5m from 0s to 8760h0m0s", "-1s -1 2 8761h", "0 0s 8760h"},
	"delay":        {"want a time such as 150ms, 30s or 5m from 0s to 1h0m0s", "-1ms 61m 5", "0s 1h"},
	"hot":          {"want a whole number from 0 to 9223372036854775807", "-1 9223372036854775808", "0 7"},
	"target":       {"want a whole number from 0 to 9223372036854775807", "-1 9223372036854775808", "0 7"},
	"tolerance":    {"want a whole number from 0 to 255", "-1 256", "0 255"},
	"time":         {"want a number from -1.7976931348623157e+308 to 1.7976931348623157e+308", "nan inf -inf 1e999", "-1.5 0 1e300"},
	"abs":          {"want a number from 0 to 1.7976931348623157e+308", "-1 -0.5 nan inf", "0 1e-3"},
	"ulp":          {"want a whole number from 0 to 4294967295", "-1 4294967296 0.5", "0 4294967295"},
	"lds":          {"want a whole number from 0 to 65536", "-1 65537 1K", "0 65536 0x400"},
	"scratch":      {"want a whole number from 0 to 4294967295", "-1 4294967296", "0 64"},
	"waves":        {"want a whole number from 1 to 1000", "-1 0 1001 0.5", "1 1000"},
	"count":        {"want a whole number from 1 to 16384", "-1 0 16385", "1 16384"},
	"seed":         {"want a whole number from 0 to 18446744073709551615", "-1 18446744073709551616", "0 18446744073709551615"},
	"base":         {"want a whole number from 0 to 18446744073709551615", "-4 18446744073709551616", "0 0x1000"},
	"start":        {"want a whole number from 0 to 18446744073709551615", "-4 18446744073709551616", "0 0x1000"},
	"stop":         {"want a whole number from 0 to 18446744073709551615", "-4 18446744073709551616", "0 0x1000"},
	"grid":         {"want X, X,Y or X,Y,Z with whole numbers from 1 to 4294967295", "-1 0 4294967296 1,0 1,1,1,1", "1 4294967295,1,1"},
	"block":        {"want X, X,Y or X,Y,Z with whole numbers from 1 to 4294967295", "-1 0 4294967296 1,0 1,1,1,1", "1 8,8,8"},
	"max-input":    {"want a number of bytes from 1 to 9223372036854775807", "-1 0 9223372036854775808 8G8 9999999999G", "1 2G"},
}

// TestNumbers: each numeric flag of each command says which numbers it accepts; others are usage errors.
func TestNumbers(t *testing.T) {
	model, err := kong.New(&cli{}, kong.Name("heddle"), helpVars(), numbers)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, cmd := range model.Model.Children {
		for _, f := range append(append([]*kong.Flag{}, cmd.Flags...), model.Model.Flags...) {
			if !isNumber(f.Target.Type()) || len(cmd.Flags) == 0 && f.Name == "max-input" {
				continue
			}
			row, ok := numberFlags[f.Name]
			if !ok {
				t.Errorf("%s: --%s is a number without a row in numberFlags", cmd.Name, f.Name)
				continue
			}
			outside := append(strings.Fields(row.outside), "x", "")
			if seen[f.Name] {
				outside = outside[:1] // only one for the other commands
			}
			seen[f.Name] = true
			for _, value := range outside {
				refusesNumber(t, "--"+f.Name+": "+row.says, cmd.Name, "--"+f.Name+"="+value)
			}
			if f.Tag.Has("range") { // as two words
				refusesNumber(t, "--"+f.Name+": "+row.says, cmd.Name, "--"+f.Name, strings.Fields(row.outside)[0])
			}
			for _, value := range strings.Fields(row.inside) {
				parser, _ := kong.New(&cli{}, kong.Name("heddle"), helpVars(), numbers)
				if _, err := parser.Parse([]string{cmd.Name, "--" + f.Name + "=" + value}); err != nil && strings.Contains(err.Error(), "--"+f.Name+": ") {
					t.Errorf("%s --%s=%s: %v", cmd.Name, f.Name, value, err)
				}
			}
		}
	}
	for name := range numberFlags {
		if !seen[name] {
			t.Errorf("no command has a number --%s", name)
		}
	}
}

func isNumber(typ reflect.Type) bool {
	if typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	return typ.Kind() >= reflect.Int && typ.Kind() <= reflect.Float64 || typ == reflect.TypeFor[dims]()
}

func refusesNumber(t *testing.T, says string, args ...string) {
	t.Helper()
	out, err := exec.Command("heddle", args...).CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 2 || !strings.Contains(string(out), says) {
		t.Errorf("heddle %q: %v, want exit code 2 and %q:\n%s", args, err, says, out)
	}
}
