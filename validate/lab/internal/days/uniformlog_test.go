package days_test

import (
	"errors"
	"math"
	"os"
	"testing"

	"pgregory.net/rapid"

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/testdata/needs"
	_ "github.com/partwise/partwise/testdata/phtest"
	"github.com/partwise/partwise/validate/lab/internal/days"
)

func TestMain(m *testing.M) { needs.Main(m) }

// TestUniformLogOfThePaper: lifetimes between e² and e¹² seconds have a median of 18 and a mean of 271 minutes (section
// 3.1); the line of the SDSC Paragon, −0.14 + 0.073·ln t, ends at e^(0.14/0.073) and e^(1.14/0.073).
func TestUniformLogOfThePaper(t *testing.T) {
	u := days.NewUniformLog(math.Exp(2), math.Exp(12))
	if got := u.Quantile(0.5) / 60; math.Round(got) != 18 {
		t.Errorf("median %v min", got)
	}
	if got := u.Mean() / 60; math.Round(got) != 271 {
		t.Errorf("mean %v min", got)
	}
	if cv := math.Sqrt(u.Staged().SCV()); cv < 2 || cv > 4 { // section 7: observed between 2 and 4
		t.Errorf("coefficient of variation %v", cv)
	}
	sdsc := days.NewUniformLog(math.Exp(0.14/0.073), math.Exp(1.14/0.073))
	if s := sdsc.Staged().Stages()[0]; math.Abs(s.Beta0+0.14) > 1e-12 || math.Abs(s.Beta1-0.073) > 1e-12 {
		t.Errorf("beta %v, %v", s.Beta0, s.Beta1)
	}
}

// stages draws a distribution of one to three stages.
func stages(t *rapid.T) days.StagedUniformLog {
	n := rapid.IntRange(1, 3).Draw(t, "stages")
	ends := []float64{rapid.Float64Range(0.1, 100).Draw(t, "min")}
	var weights []float64
	for i := range n {
		ends = append(ends, ends[i]*rapid.Float64Range(1.1, 1000).Draw(t, "width"))
		weights = append(weights, rapid.Float64Range(0.1, 5).Draw(t, "weight"))
	}
	u, err := days.NewUniformLogStages(ends, weights)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// TestUniformLogLaws: the quantile is the inverse of the distribution function, the lines of the stages are on it, and
// the moments are those of the quantile function, ∫ Quantile(p)ᵏ dp.
func TestUniformLogLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := stages(t)
		p := rapid.Float64Range(0, 1).Draw(t, "p")
		x := u.Quantile(p)
		if all := u.Stages(); len(all) == 1 { // of one stage it is the distribution of the workload, but for roundings
			one := days.NewUniformLog(all[0].Min, all[0].Max)
			for _, c := range [][2]float64{{one.Quantile(p), x}, {one.Mean(), u.Moment(1)}} {
				if math.Abs(c[0]/c[1]-1) > 1e-12 {
					t.Fatalf("one stage: %v, want %v", c[0], c[1])
				}
			}
		}
		if got := u.CDF(x); math.Abs(got-p) > 1e-12 {
			t.Fatalf("CDF(Quantile(%v)) = %v", p, got)
		}
		for _, s := range u.Stages() {
			if s.Min <= x && x <= s.Max && math.Abs(s.Beta0+s.Beta1*math.Log(x)-p) > 1e-9 {
				t.Fatalf("stage %+v has %v at %v, want %v", s, s.Beta0+s.Beta1*math.Log(x), x, p)
			}
		}
		for k := 1; k <= 2; k++ {
			// The midpoint rule, stage by stage; its relative error is (k·width/n)²/24 < 1e-5 for the widest stage.
			const n = 2000
			var want float64
			from := 0.0
			for _, s := range u.Stages() {
				for i := range n {
					want += s.Weight / n * math.Pow(u.Quantile(from+s.Weight*(float64(i)+0.5)/n), float64(k))
				}
				from += s.Weight
			}
			if got := u.Moment(k); math.Abs(got-want) > 1e-5*want {
				t.Fatalf("moment %d: %v, the quantile function has %v", k, got, want)
			}
		}
	})
}

func TestUniformLogRefuses(t *testing.T) {
	for name, c := range map[string]struct{ ends, weights []float64 }{
		"too few ends": {[]float64{1, 2}, []float64{1, 1}},
		"falling":      {[]float64{2, 1}, []float64{1}},
		"empty stage":  {[]float64{1, 1, 3}, []float64{1, 1}},
	} {
		_, err := days.NewUniformLogStages(c.ends, c.weights)
		var e *workload.ParameterError
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
	}
	point := days.NewUniformLog(3, 3)
	if math.Abs(point.Quantile(0.3)-3) > 1e-15 || math.Abs(point.Mean()-3) > 1e-15 ||
		point.Staged().CDF(2.9) != 0 || point.Staged().CDF(3.1) != 1 {
		t.Errorf("a point: %v", point)
	}
}

// quantiles returns n values that are distributed as evenly as n values can.
func quantiles(u days.StagedUniformLog, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = u.Quantile((float64(i) + 0.5) / float64(n))
	}
	return v
}

// TestUniformLogFits finds the lines again on which values lie exactly, whatever else is in the data.
func TestUniformLogFits(t *testing.T) {
	ctc, err := days.NewUniformLogStages([]float64{math.Exp(2), math.Exp(11.1), math.Exp(14.5)}, []float64{0.65, 0.35})
	if err != nil {
		t.Fatal(err)
	}
	fit, err := days.FitTwoStages(append(quantiles(ctc, 5000), 0, -1, math.Inf(1)))
	if err != nil {
		t.Fatal(err)
	}
	compareStages(t, fit.Stages(), ctc.Stages(), 1e-3) // the joint is at one of 5000 values
	if fit.Values != 5000 || fit.Dropped != 3 || fit.RMS > 1e-3 {
		t.Errorf("%d values, %d dropped, rms %v", fit.Values, fit.Dropped, fit.RMS)
	}
	one := days.NewUniformLog(math.Exp(2), math.Exp(12))
	if fit, err = days.FitUniformLog(quantiles(one.Staged(), 1000)); err != nil {
		t.Fatal(err)
	}
	compareStages(t, fit.Stages(), one.Staged().Stages(), 1e-9)
	for _, bad := range [][]float64{nil, {1}, {2, 2, 2}, {0, -3, math.Inf(1)}} {
		if _, err := days.FitUniformLog(bad); err == nil {
			t.Errorf("%v is fitted", bad)
		}
		if _, err := days.FitTwoStages(bad); err == nil {
			t.Errorf("%v is fitted in two stages", bad)
		}
	}
}

func compareStages(t *testing.T, got, want []days.UniformLogStage, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d stages, want %d", len(got), len(want))
	}
	for i, g := range got {
		w := want[i]
		for _, c := range [][2]float64{{math.Log(g.Min), math.Log(w.Min)}, {math.Log(g.Max), math.Log(w.Max)},
			{g.Weight, w.Weight}, {g.Beta0, w.Beta0}, {g.Beta1, w.Beta1}} {
			if math.Abs(c[0]-c[1]) > tolerance*math.Max(1, math.Abs(c[1])) {
				t.Errorf("stage %d: %+v, want %+v", i, g, w)
				break
			}
		}
	}
}

// TestUniformLogOfCTC fits the total allocated times of a log of the machine for which the paper found two stages: they
// describe it better than one, and as well as its figure 3 shows. Its stages end at e^2.0, e^11.1 and e^14.5
// seconds; in this log, of other months and without the jobs that were cleaned away, the shortest jobs are longer.
func TestUniformLogOfCTC(t *testing.T) {
	file := needs.JobLog(t, "CTC-SP2-cln.reconstructed.swf.gz")
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	log, err := joblog.Read(f, file, joblog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	works, _, err := workload.Work.Take(joblog.ListOf(log.Jobs).All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	one, err := days.FitUniformLog(works)
	if err != nil {
		t.Fatal(err)
	}
	two, err := days.FitTwoStages(works)
	if err != nil {
		t.Fatal(err)
	}
	s := two.Stages()
	if two.RMS > 0.8*one.RMS || two.RMS > 0.035 {
		t.Errorf("rms distance %v of two stages, %v of one", two.RMS, one.RMS)
	}
	if end := math.Log(s[1].Max); math.Abs(end-14.5) > 0.5 {
		t.Errorf("the longest jobs take e^%.2f node-seconds, in the paper e^14.5", end)
	}
	if s[1].Beta1 > s[0].Beta1/2 {
		t.Errorf("slopes %v and %v: the second stage is not the flatter one", s[0].Beta1, s[1].Beta1)
	}
}
