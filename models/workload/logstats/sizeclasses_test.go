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

// TestQuantilesOfRunTimes: the median of two run times is their mean, and quantiles of three lie between them, as those of waits do.
func TestQuantilesOfRunTimes(t *testing.T) {
	for _, c := range []struct {
		runs    []float64
		p, want float64
	}{
		{[]float64{3600, 7200}, .5, 5400},
		{[]float64{3600, 7200, 10800}, .9, 10080},
		{[]float64{3600.5, 7200, 10800}, 1, 10800},
		{[]float64{5}, .9, 5},
	} {
		var class SizeClass
		for _, x := range c.runs {
			class.runs.add(x)
		}
		class.runs.sort()
		if got := class.Quantile(c.p); got != c.want {
			t.Errorf("quantile %g of %v: %g, want %g", c.p, c.runs, got, c.want)
		}
	}
}
