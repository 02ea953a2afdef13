package sets

import (
	"fmt"
	"strings"
)

// foreign are chips that people ask for and heddle does not know, by how their names begin, in lower case. The
// longest beginning that fits counts.
//
// Sources: gfx names are those of LLVM's AMDGPU processors (llvm.org/docs/AMDGPUUsage.html#processors), whose
// headings are the generations. sm and compute names are NVIDIA's compute capabilities
// (developer.nvidia.com/cuda-gpus; for 2 to 9 the CUDA C++ Programming Guide, "Compute Capability"), those of chips
// are envytools' (hwdocs/nvchipsets.txt) and the kernel's (drivers/gpu/nova-core/gpu.rs). Mali names are those of
// Mesa's panfrost with its architectures (docs.mesa3d.org/drivers/panfrost.html). Which later PowerVRs are of Rogue's
// line says the kernel's binding (Documentation/devicetree/bindings/gpu/img,powervr-rogue.yaml).
var foreign = []struct{ names, is, near string }{
	{"gfx90a gfx908 gfx940 gfx941 gfx942 gfx950 mi100 mi200 mi210 mi250 mi300", "CDNA, which comes from GCN 5", "gcn:gfx8"},
	{"gfx9 vega raven renoir gcn5 gcn1.4", "GCN 5", "gcn:gfx8"},
	{"gfx101 navi10 navi12 navi14 rdna1", "RDNA 1", "gcn:gfx8"},
	{"gfx10 navi2 rdna2", "RDNA 2", "gcn:gfx8"},
	{"gfx115", "RDNA 3.5", "gcn:gfx8"},
	{"gfx11 navi3 rdna3", "RDNA 3", "gcn:gfx8"},
	{"gfx125", "of the gfx12 family", "gcn:gfx8"},
	{"gfx12 navi4 rdna4", "RDNA 4", "gcn:gfx8"},
	{"r600 r700 rv6 rv7 evergreen cayman barts cypress", "TeraScale, which came before GCN", "gcn:gfx6"},
	{"sm_10 sm_11 sm_12 sm_13 compute_10 compute_11 compute_12 compute_13", "NVIDIA Tesla by its compute capability, which is no chip", "tesla:g80 for sm_10, tesla:g84 for sm_11, tesla:gt215 for sm_12, tesla:g200 for sm_13"},
	{"sm_2 compute_2 gf10 gf11 nvc nvd fermi", "NVIDIA Fermi", "tesla:gt215"},
	{"sm_3 compute_3 gk1 gk2 nve nvf kepler", "NVIDIA Kepler", "tesla:gt215"},
	{"sm_5 compute_5 gm1 gm2 maxwell", "NVIDIA Maxwell", "tesla:gt215"},
	{"sm_6 compute_6 gp10 pascal", "NVIDIA Pascal", "tesla:gt215"},
	{"sm_70 sm_72 compute_70 compute_72 gv10 gv11 volta", "NVIDIA Volta", "tesla:gt215"},
	{"sm_75 compute_75 tu1 turing", "NVIDIA Turing", "tesla:gt215"},
	{"sm_89 compute_89 ad10 ada", "NVIDIA Ada", "tesla:gt215"},
	{"sm_8 compute_8 ga10 ampere", "NVIDIA Ampere", "tesla:gt215"},
	{"sm_9 compute_9 gh10 hopper", "NVIDIA Hopper", "tesla:gt215"},
	{"sm_100 sm_101 sm_103 sm_110 sm_120 sm_121 compute_100 compute_101 compute_103 compute_110 compute_120 compute_121 gb1 gb2 blackwell", "NVIDIA Blackwell", "tesla:gt215"},
	{"mali-4 mali400 mali450 mali-400 mali-450 utgard lima", "Mali Utgard", "valhall:v9"},
	{"mali-t t60 t62 t72 t76 t82 t83 t86 t88 midgard", "Mali Midgard", "valhall:v9"},
	{"mali-g31 mali-g51 mali-g52 mali-g71 mali-g72 mali-g76 g31 g51 g52 g71 g72 g76 bifrost", "Mali Bifrost", "valhall:v9"},
	{"v15 valhall15 mali-g2 g2-ultra g2-premium g2-pro", "Mali of architecture 15, whose words are all laid out anew (docs/reference/valhall.md 15)", "valhall:v14"},
	{"sgx powervr-sgx mbx", "PowerVR SGX or MBX, which came before Rogue", "rogue"},
	{"bxs bxm axe ge7 ge8", "a PowerVR of Rogue's line, later than Series 6XT", "rogue"},
	{"bxe bxt axm axt powervr-b powervr-a volcanic dxt cxt", "a PowerVR later than Series 6XT", "rogue"},
	{"adreno a3xx a4xx a5xx a6xx a7xx a8xx", "Qualcomm Adreno", ""},
	{"agx applegpu apple-m m1 m2 m3", "Apple's GPU", ""},
	{"gen4 gen5 gen6 gen7 gen8 gen9 gen11 gen12 xe dg2 tgl skl bdw hsw ivb", "Intel's GPU", ""},
	{"videocore v3d vc4", "Broadcom VideoCore", ""},
}

// foreignTo says of a name that it is a chip's which is none of heddle's, or nothing.
func foreignTo(name string) string {
	low, best := strings.ToLower(name), 0
	text := ""
	for _, f := range foreign {
		for _, begin := range strings.Fields(f.names) {
			rest, ok := strings.CutPrefix(low, begin)
			if !ok || len(begin) <= best || len(begin) < 4 && len(rest) > 3 || wholeNumber(begin) && rest != "" && digit(rest[0]) {
				continue
			}
			best = len(begin)
			text = fmt.Sprintf("%s is %s: not one of heddle's generations", name, f.is)
			if f.near != "" {
				text += fmt.Sprintf("; the nearest is %s", f.near)
			}
		}
	}
	return text
}

// wholeNumber is whether what follows a name must be no digit: Mali-G310 is no Mali-G31.
func wholeNumber(begin string) bool {
	name := strings.TrimPrefix(begin, "mali-")
	return name[0] == 'g' && len(name) > 1 && digit(name[1])
}

func digit(c byte) bool { return c >= '0' && c <= '9' }
