package object

import "strings"

// machNames is EF_AMDGPU_MACH, the low byte of e_flags. Numbers without a name are reserved. Source: LLVM, "User Guide
// for AMDGPU Backend", ELF header e_flags.
var machNames = [256]string{
	0x20: "gfx600", 0x21: "gfx601", 0x3a: "gfx602",
	0x22: "gfx700", 0x23: "gfx701", 0x24: "gfx702", 0x25: "gfx703", 0x26: "gfx704", 0x3b: "gfx705",
	0x28: "gfx801", 0x29: "gfx802", 0x2a: "gfx803", 0x3c: "gfx805", 0x2b: "gfx810",

	0x2c: "gfx900", 0x2d: "gfx902", 0x2e: "gfx904", 0x2f: "gfx906", 0x30: "gfx908", 0x31: "gfx909", 0x32: "gfx90c",
	0x3f: "gfx90a", 0x40: "gfx940", 0x4b: "gfx941", 0x4c: "gfx942", 0x4f: "gfx950",
	0x51: "gfx9-generic", 0x5f: "gfx9-4-generic",
	0x33: "gfx1010", 0x34: "gfx1011", 0x35: "gfx1012", 0x42: "gfx1013", 0x52: "gfx10-1-generic",
	0x36: "gfx1030", 0x37: "gfx1031", 0x38: "gfx1032", 0x39: "gfx1033", 0x3e: "gfx1034", 0x3d: "gfx1035", 0x45: "gfx1036",
	0x53: "gfx10-3-generic",
	0x41: "gfx1100", 0x46: "gfx1101", 0x47: "gfx1102", 0x44: "gfx1103",
	0x43: "gfx1150", 0x4a: "gfx1151", 0x55: "gfx1152", 0x58: "gfx1153", 0x54: "gfx11-generic",
	0x48: "gfx1200", 0x4e: "gfx1201", 0x59: "gfx12-generic",
}

// Variant returns the gcn variant that runs a target: gfx6 for gfx600 to gfx602, and so on. It is empty for targets of
// other generations, which can be read but not run.
func Variant(target string) string {
	if len(target) == 6 {
		for _, v := range []string{"gfx6", "gfx7", "gfx8"} {
			if strings.HasPrefix(target, v) {
				return v
			}
		}
	}
	return ""
}

// Processor returns the default target of code for a gcn variant; it is empty if the variant does not exist.
func Processor(variant string) string {
	return map[string]string{"gfx6": "gfx600", "gfx7": "gfx700", "gfx8": "gfx803"}[variant]
}

// targetOf returns the target of e_flags.
func targetOf(flags uint32) (string, error) {
	if name := machNames[byte(flags)]; name != "" {
		return name, nil
	}
	return "", failAt("unsupported", 48, "unsupported target: machine %#x of e_flags %#x", flags&0xff, flags)
}

// versionOf returns the code object version of EI_ABIVERSION.
func versionOf(abi byte) (int, error) {
	switch {
	case abi > 4:
		return 0, failAt("unsupported", 8, "code object of ABI version %d is not known; 0 to 4 (code object versions 2 to 6) are", abi)
	}
	return int(abi) + 2, nil
}

// checkTarget compares the target in the metadata at offset at, if there is one, with that of the header. The triple is
// followed by the processor and features: gfx803:xnack-.
func (o *CodeObject) checkTarget(at uint64) error {
	full := o.Metadata.Target
	if full == "" {
		return nil
	}
	_, name, ok := strings.Cut(full, "--")
	name, _, _ = strings.Cut(name, ":")
	if !ok || name != o.Target {
		return failAt("metadata", at, "amdhsa.target is %q, the ELF header says %s", full, o.Target)
	}
	return nil
}

// flagsOf returns the e_flags of a target.
func flagsOf(target string) (uint32, bool) {
	for i, name := range machNames {
		if name == target && name != "" {
			return uint32(i), true
		}
	}
	return 0, false
}

// TargetFlags returns the e_flags of a processor, without features; 0 if it is unknown.
func TargetFlags(name string) uint32 {
	flags, _ := flagsOf(name)
	return flags
}

// IsTarget reports whether LLVM knows a processor of that name: gfx803.
func IsTarget(name string) bool {
	_, ok := flagsOf(name)
	return ok
}
