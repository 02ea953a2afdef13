package clang

import (
	"os"
	"slices"
	"strings"
)

// namedFiles returns the files that clang reads besides the source and its includes: those named by flags, and its
// configuration. ok is false if they are not known, as with a response file, a plug-in, a profile, a precompiled
// header, or a flag that is not in the tables below.
func (c *compiler) namedFiles() (files []string, ok bool) {
	if os.Getenv("CCC_OVERRIDE_OPTIONS") != "" { // clang takes flags from there
		return nil, false
	}
	for line := range strings.Lines(c.version) {
		if path, is := strings.CutPrefix(strings.TrimSpace(line), "Configuration file: "); is {
			files = append(files, path)
		}
	}
	flags := slices.DeleteFunc(slices.Clone(c.o.Flags), func(f string) bool { return f == "-Xclang" })
	for i := 0; i < len(flags); i++ {
		f := flags[i]
		if slices.Contains(takesFile[:], f) && i+1 < len(flags) {
			i++
			files = append(files, flags[i])
		} else if f == "-include" && i+1 < len(flags) && isPrecompiled(flags[i+1]) {
			return nil, false
		} else if slices.Contains(takesWord[:], f) {
			i++
		} else if f == "-mllvm" && i+1 < len(flags) {
			if i++; !isSetting(flags[i]) {
				return nil, false
			}
		} else if !readsNothing(f) {
			return nil, false
		}
	}
	return files, true
}

// isPrecompiled reports whether clang uses a precompiled form of a header instead.
func isPrecompiled(header string) bool {
	return slices.ContainsFunc([]string{".pch", ".gch"}, func(ending string) bool {
		_, err := os.Stat(header + ending)
		return err == nil
	})
}

// takesFile are flags whose next word is a file that clang does not list among the dependencies.
var takesFile = [...]string{"-mlink-builtin-bitcode", "-mlink-bitcode-file"}

// takesWord are flags whose next word is no file, or one that clang lists, or a folder of such files.
var takesWord = [...]string{"-D", "-U", "-I", "-include", "-imacros", "-isystem", "-iquote", "-idirafter", "-target-feature"}

// startsWith are prefixes of flags that read no other files. For -f, -m and -W, see readsNothing.
var startsWith = [...]string{"-D", "-U", "-I", "-O", "-g", "-std=", "-cl-", "-isystem", "-iquote", "-idirafter", "-pedantic", "-disable-"}

// readsNothing reports whether a flag alone makes clang read no file outside its list of dependencies.
func readsNothing(f string) bool {
	switch {
	case f == "-w", f == "-nostdinc", slices.ContainsFunc(startsWith[:], func(s string) bool { return strings.HasPrefix(f, s) }):
		return true
	case strings.HasPrefix(f, "-W"):
		return !strings.Contains(f, ",") // -Wp, -Wa, -Wl, pass any other flag on
	case strings.HasPrefix(f, "-f"):
		for _, reads := range []string{"-fprofile", "-fauto-profile", "-fmodule", "-fplugin", "-fpass-plugin", "-fimplicit-module", "-fprebuilt"} {
			if strings.HasPrefix(f, reads) {
				return false
			}
		}
		return isSetting(f)
	case strings.HasPrefix(f, "-m"):
		return f != "-mllvm" && isSetting(f)
	}
	return false
}

// isSetting reports whether the value of a flag is a plain word, and not the name of an existing file.
func isSetting(f string) bool {
	_, value, ok := strings.Cut(f, "=")
	if !ok {
		return strings.HasPrefix(f, "-")
	}
	if strings.ContainsAny(value, `/\.`) {
		return false
	}
	_, err := os.Stat(value)
	return value == "" || err != nil
}
