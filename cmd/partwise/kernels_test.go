package main

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/cpu"

	"github.com/partwise/partwise/testdata/needs"
)

// kernelCalls are calls whose results depend on products of blocks, on random numbers or on neither. The first three are made in
// every run.
var kernelCalls = []string{
	"solve ips96/w1-sp2.yaml --policy dynamic --policy static:4 --percentiles --format json",
	"curve ips96/w1-sp2-2cv.yaml --load 0.3,0.6 --format json",
	"simulate ips96/w1-sp2.yaml --policy dynamic --precision 0.5 --fidelity machine --format json",
	"solve ips96/w3-now-2cv.yaml --policy dynamic --policy static:4 --format table",
	"solve examples/gpu-training.yaml --load 0.7 --format json",
	"sweep ips96/w1-sp2.yaml --over load=0.3,0.8 --format csv",
	"breakeven ips96/w1-sp2.yaml --over load --format json",
	"simulate ips96/w1-sp2.yaml --policy static:2 --precision 0.2 --format json",
	"validate ips96/w1-sp2.yaml --policy static:2 --precision 0.2 --format json",
	"replay joblogs/sacct.txt --nodes 32 --policy easy --policy dynamic --format json",
	"log joblogs/sacct.txt --nodes 32 --format json",
	"lab gang ips96/w1-sp2.yaml --slice 60s --format json",
}

// TestKernelsChangeLastDigitsOnly: without the kernels of processors with AVX2, all texts stay the same, and no number changes by
// more than 1e-9 of its value. Residuals and other estimates of errors come from roundings, so that only their magnitude stays
// the same.
func TestKernelsChangeLastDigitsOnly(t *testing.T) {
	t.Parallel()
	if !cpu.X86.HasAVX2 || !cpu.X86.HasFMA {
		t.Skip("needs a processor with AVX2 and FMA, whose kernels are turned off")
	}
	calls := kernelCalls[:3]
	if needs.IsLong() {
		calls = kernelCalls
	}
	for _, call := range calls {
		with, without := outputOf(t, call, ""), outputOf(t, call, "cpu.avx2=off")
		if problem := differInMore(with, without); problem != "" {
			t.Errorf("partwise %s: %s", call, problem)
		}
	}
}

// outputOf returns what a call writes to standard output and standard error, under a setting of GODEBUG. A file is one of testdata.
func outputOf(t *testing.T, call, debug string) string {
	t.Helper()
	words := strings.Fields(call)
	for i, w := range words {
		if strings.Contains(w, "/") {
			words[i] = filepath.Join("..", "..", "testdata", filepath.FromSlash(w))
		}
	}
	cmd := exec.CommandContext(t.Context(), "partwise", words...)
	cmd.Env = append(os.Environ(), "GODEBUG="+debug)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("partwise %s: %v: %s", call, err, out)
	}
	return measuredTime().ReplaceAllString(string(out), "measured")
}

var (
	measuredTime = pattern(`"(seconds|events_per_second)": [-+.\deE]+|[\d.]+ (s|seconds) on`)
	// estimatedError is what stands before an estimate of an error in JSON, and in CSV with a value in each row.
	estimatedError = pattern(`(error|residual|accuracy)\w*(": |,)$`)
	numberInText   = pattern(`\d+(\.\d+)?([eE][-+]?\d+)?`)
)

// differInMore compares two texts. It returns the first difference that is more than one of last digits, or "" if the texts have no
// such difference.
func differInMore(a, b string) string {
	if x, y := numberInText().ReplaceAllString(a, "#"), numberInText().ReplaceAllString(b, "#"); x != y {
		i := 0
		for i < min(len(x), len(y)) && x[i] == y[i] {
			i++
		}
		from := max(0, i-80)
		return "the texts differ: " + strconv.Quote(x[from:min(len(x), i+40)]) + " and " + strconv.Quote(y[from:min(len(y), i+40)])
	}
	left, right := numberInText().FindAllStringIndex(a, -1), numberInText().FindAllStringIndex(b, -1)
	const lastDigits, magnitude = 1e-9, .5
	for i, at := range left {
		x, y := a[at[0]:at[1]], b[right[i][0]:right[i][1]]
		bound := lastDigits
		if estimatedError().MatchString(a[max(0, at[0]-40):at[0]]) {
			bound = magnitude
		}
		if !agree(x, y, bound) {
			return "number " + strconv.Itoa(i) + " is " + x + ", without the kernels " + y
		}
	}
	return ""
}

// agree reports whether two texts are numbers whose difference is at most a share of the larger one.
func agree(a, b string, share float64) bool {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	return errX == nil && errY == nil && math.Abs(x-y) <= share*max(x, y)
}
