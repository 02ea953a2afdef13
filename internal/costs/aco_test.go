package costs_test

import (
	"bytes"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestACO: with the figures of Mesa's ACO the sums over a shader's blocks, of which it counts those of a loop eight
// times, are near what ACO said when it compiled the shader: the latency, in which it also waits for the last store,
// and the inverse throughput, of groups of 32 that half fill a wave, bound by scalar arithmetic and memory together.
func TestACO(t *testing.T) {
	dump, err := os.ReadFile("../radv/testdata/scratch.gfx8.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, code, found := bytes.Cut(dump, []byte("\ndisasm:\n"))
	if code, _, _ = bytes.Cut(code, []byte("\n\n")); !found {
		t.Fatalf("no code")
	}
	said := map[string]float64{}
	for _, m := range regexp.MustCompile(`(?m)^(Latency|Inverse Throughput): (\d+)$`).FindAllSubmatch(dump, -1) {
		said[string(m[1])], _ = strconv.ParseFloat(string(m[2]), 64)
	}
	latency, scalar := 320.0, 0.0 // the store at the end
	for _, b := range report(t, "gcn:gfx8", "", string(regexp.MustCompile(`;.*`).ReplaceAll(code, nil))+"\n", 1, "vmem.load.issue=4", "vmem.store.issue=4", "branch.taken=4").Blocks {
		if len(b.Of) > 0 {
			continue
		}
		times := map[bool]float64{true: 8, false: 1}[b.Name == "BB1" || b.Name == "BB4"]
		latency += times * *b.Alone
		for _, u := range b.Units {
			if strings.HasPrefix(u.Name, "s") {
				scalar += times * u.Clocks
			}
		}
	}
	if off := latency/said["Latency"] - 1; math.Abs(off) > 0.07 {
		t.Errorf("latency %g, ACO %g", latency, said["Latency"])
	}
	if off := 2*scalar/said["Inverse Throughput"] - 1; math.Abs(off) > 0.03 {
		t.Errorf("inverse throughput %g, ACO %g", 2*scalar, said["Inverse Throughput"])
	}
	t.Logf("latency %g, ACO %g; inverse throughput %g, ACO %g", latency, said["Latency"], 2*scalar, said["Inverse Throughput"])
}
