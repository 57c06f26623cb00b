package logstats

import (
	"slices"
	"testing"

	"github.com/partwise/partwise/models/workload/joblog"
)

// Sizes are powers of two with the numbers below them down to the power before; 4 nodes belong to 3–4, and 5 to 5–8. The
// values are counted by hand.
func TestSizeClasses(t *testing.T) {
	var jobs []joblog.Job
	for _, j := range [][2]int{{5, 30}, {1, 10}, {8, 20}, {3, 7}, {4, 5}, {6, 40}} {
		jobs = append(jobs, joblog.Job{Processors: j[0], RequestedProcessors: j[0], Run: float64(j[1])})
	}
	all := SizeClasses(joblog.ListOf(jobs))
	names := []string{}
	for i := range all {
		names = append(names, all[i].String())
	}
	if want := []string{"1", "3–4", "5–8"}; !slices.Equal(names, want) {
		t.Fatalf("sizes %q, want %q", names, want)
	}
	if c := &all[2]; !slices.Equal(c.runs.whole, []uint32{20, 30, 40}) || c.Jobs != 3 || c.Mean != 30 || c.Quantile(0.5) != 30 || c.Quantile(1) != 40 {
		t.Errorf("5–8 nodes: %+v", *c)
	}
	if joblog.SizesOf(0) != (joblog.Sizes{From: 1, To: 1}) || joblog.SizesOf(2) != (joblog.Sizes{From: 2, To: 2}) {
		t.Errorf("no node: %v, 2 nodes: %v", joblog.SizesOf(0), joblog.SizesOf(2))
	}
}
