package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/partwise/partwise/testdata/needs"
)

// estimated is an estimate in JSON, whose interval is missing where the jobs are too few.
type estimated struct{ Mean, Low, High *float64 }

// studyAnswer is what this test reads of a study.
type studyAnswer struct {
	Forecast []struct {
		Share float64   `json:"malleable_share"`
		Ratio estimated `json:"ratio_to_easy"`
	}
	Breakeven []struct {
		Share float64   `json:"malleable_share"`
		Cost  estimated `json:"resize_cost"`
	}
	Decision struct {
		Pays string  `json:"resizing_pays"`
		From float64 `json:"from_share"`
	}
}

// scanned is what this test reads of a replay.
type scanned struct {
	Results []struct {
		Share float64   `json:"malleable_share"`
		Mean  float64   `json:"mean_response_time"`
		Ratio estimated `json:"ratio_to_easy"`
	}
}

// scan replays a log under EASY and with malleable jobs, and returns the ratio of the mean response times and its interval by
// share, of each cost.
func scan(t *testing.T, log []string, share string, costs ...float64) (ratios []float64, shares []float64, intervals []estimated) {
	t.Helper()
	seconds := make([]string, len(costs))
	for i, c := range costs {
		seconds[i] = fmt.Sprintf("%.17gs", c)
	}
	var of scanned
	answering(t, &of, append([]string{"replay", "--policy", "easy", "--policy", "easy-malleable", "--malleable", share,
		"--resize-cost", strings.Join(seconds, ",")}, log...)...)
	for _, r := range of.Results[1:] {
		ratios, shares, intervals = append(ratios, of.Results[0].Mean/r.Mean), append(shares, r.Share), append(intervals, r.Ratio)
	}
	return ratios, shares, intervals
}

// TestStudyAgainstAScan: ratios and the verdict of studies are those of replays, and resizing ceases to pay where a scan of
// costs says so. The logs are five of the Parallel Workloads Archive, where they are, and three that are made up.
func TestStudyAgainstAScan(t *testing.T) {
	needs.Study(t, "studies eight logs and scans costs by replays")
	dir := t.TempDir()
	logs := [][]string{madeSacct(t, dir), bursts(t, dir), {filepath.Join(dir, "small.txt"), "--nodes", "4"}}
	writeSacct(t, logs[2][0], madeJobs(3000))
	madeUp := len(logs)
	for _, name := range []string{"KTH-SP2-1996-2.merged", "NASA-iPSC-1993-3.1-cln", "CTC-SP2-cln.reconstructed",
		"SDSC-SP2-1998-4.reconstructed", "LANL-CM5-1994-4.1-cln"} {
		logs = append(logs, []string{name + ".swf.gz"})
	}
	logs[7] = append(logs[7], "--min-nodes", "32")
	for i, log := range logs {
		t.Run(filepath.Base(log[0]), func(t *testing.T) {
			if i >= madeUp {
				log[0] = needs.JobLog(t, log[0])
			}
			var s studyAnswer
			answering(t, &s, append([]string{"study", "--output", filepath.Join(dir, fmt.Sprintf("%d.html", i))}, log...)...)
			s.compare(t, log)
		})
	}
}

func (s *studyAnswer) compare(t *testing.T, log []string) {
	ratios, shares, intervals := scan(t, log, "20%,50%,100%", 60)
	pays, from := "not_clear", 0.0
	for i := len(ratios) - 1; i >= 0; i-- {
		// The same replay: its digits are the same.
		if want := *s.Forecast[i].Ratio.Mean; s.Forecast[i].Share != shares[i] || math.Abs(ratios[i]/want-1) > 1e-9 {
			t.Errorf("%g malleable: ratio %.12g, a scan says %.12g", shares[i], want, ratios[i])
		}
		low, high := intervals[i].Low, intervals[i].High
		if low == nil || *low <= 1 {
			if high != nil && *high < 1 && i == len(ratios)-1 {
				pays = "no"
			}
			break
		}
		pays, from = "yes", shares[i]
	}
	if s.Decision.Pays != pays || s.Decision.From != from {
		t.Errorf("decision %+v, a scan says %s from %g", s.Decision, pays, from)
	}
	for _, b := range s.Breakeven {
		share := fmt.Sprintf("%g%%", 100*b.Share)
		switch {
		case b.Cost.Mean == nil: // at no cost of at most a day
			if at, _, _ := scan(t, log, share, 86400); at[0] <= 1 {
				t.Errorf("%s malleable: no break-even, and %g at a day", share, at[0])
			}
		case *b.Cost.Mean == 0:
			if at, _, _ := scan(t, log, share, 0); at[0] > 1 {
				t.Errorf("%s malleable: break-even at no cost, where the ratio is %g", share, at[0])
			}
		default:
			// The costs that the library documents, an octave to either side of the break-even.
			e := *b.Cost.Mean
			var costs []float64
			for i := range 6 {
				costs = append(costs, 2.5*float64(i))
			}
			for i := range 97 {
				costs = append(costs, 15*math.Exp2(float64(i)/6))
			}
			costs = slices.DeleteFunc(costs, func(c float64) bool { return c < e/2.2 || c > e*2.2 })
			at, _, _ := scan(t, log, share, costs...)
			root := crossing(costs, at)
			t.Logf("%s malleable: break-even %.0f, %.0f to %.0f; a scan says %.0f (%+.1f %%)", share, e, *b.Cost.Low, *b.Cost.High,
				root, 100*(root/e-1))
			if !(math.Abs(root/e-1) < 0.02) {
				t.Errorf("%s malleable: a scan's break-even is %g, not %g; ratios %.4f", share, root, e, at)
			}
		}
	}
	t.Logf("%s: %s from %g; ratios %.3f", filepath.Base(log[0]), pays, from, ratios)
}

// crossing returns the cost at which the ratio falls to 1: where the non-increasing sequence nearest to the ratios does, by
// pooling those that rise (least squares), between two costs by interpolation.
func crossing(costs, ratios []float64) float64 {
	type pool struct{ sum, n, at float64 }
	var pools []pool
	for i, r := range ratios {
		pools = append(pools, pool{r, 1, costs[i]})
		for k := len(pools) - 1; k > 0 && pools[k].sum/pools[k].n > pools[k-1].sum/pools[k-1].n; k-- {
			a, b := pools[k-1], pools[k]
			n := a.n + b.n
			pools = append(pools[:k-1], pool{a.sum + b.sum, n, (a.at*a.n + b.at*b.n) / n})
		}
	}
	for k := 1; k < len(pools); k++ {
		high, low := pools[k-1].sum/pools[k-1].n, pools[k].sum/pools[k].n
		if high > 1 && low <= 1 {
			return pools[k-1].at + (pools[k].at-pools[k-1].at)*(high-1)/(high-low)
		}
	}
	return math.NaN()
}

// madeSacct writes the log of docs/from-sacct.md, and returns how it is read.
func madeSacct(t *testing.T, dir string) []string {
	t.Helper()
	text, err := exec.CommandContext(t.Context(), "go", "run", "../../testdata/joblogs/sacct20000.go").Output()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "sacct20000.txt")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{path, "--nodes", "64", "--time-zone", "Europe/Berlin"}
}

// bursts writes ten days of jobs of one node on a machine of 42, which come in bursts of similar ones.
func bursts(t *testing.T, dir string) []string {
	t.Helper()
	random := rand.New(rand.NewPCG(42, 10))
	var all []loggedJob
	for at := 0; at < 10*86400; at += int(4000 * random.ExpFloat64()) {
		run := 300 + int(7000*random.ExpFloat64())
		for range 1 + random.IntN(40) {
			all = append(all, loggedJob{at + random.IntN(60), run + random.IntN(run), 1, 4 * run})
		}
	}
	path := filepath.Join(dir, "bursts.txt")
	writeSacct(t, path, all)
	return []string{path, "--nodes", "42"}
}
