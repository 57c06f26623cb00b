package models_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/phasetype"
)

// sweep returns the points of a study of testdata.
func sweep(t testing.TB, path string) *decide.Sweep {
	w, err := loadSweep(path)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func loadSweep(path string) (*decide.Sweep, error) {
	study, err := modelfile.LoadStudy(path)
	if err != nil {
		return nil, err
	}
	w := &decide.Sweep{Loads: study.Loads}
	for _, s := range study.Series {
		series := decide.Series{Name: s.Name, System: s.Model.System, StopsAssumed: true}
		if study.Reference != nil {
			series.Capacity = study.Reference.System.Capacity()
		}
		w.Series = append(w.Series, series)
	}
	return w, nil
}

// BenchmarkCurve solves one workload of IPS96: 2 machines × 3 variants × 49 loads × DEP and SP(1, 2, 4, 8).
func BenchmarkCurve(b *testing.B) {
	for _, w := range []string{"w1", "w2", "w3"} {
		b.Run(fmt.Sprintf("%s/points=294", w), func(b *testing.B) {
			s := sweep(b, "../testdata/ips96/"+w+".yaml")
			for b.Loop() {
				points, err := s.Solve(context.Background())
				if err != nil {
					b.Fatal(err)
				}
				for _, p := range points {
					if p.Err != nil {
						b.Fatal(p.Err)
					}
				}
			}
		})
	}
}

// BenchmarkReadings solves the points of a workload of IPS96 at which it is asked what holds if only the resized jobs stop.
func BenchmarkReadings(b *testing.B) {
	for _, w := range []string{"w1", "w2", "w3"} {
		b.Run(w, func(b *testing.B) {
			s := sweep(b, "../testdata/ips96/"+w+".yaml")
			points := must(s.Solve(b.Context()))
			for b.Loop() {
				read := 0
				for _, r := range must(s.Readings(b.Context(), points)) {
					read += len(r.Points)
				}
				b.ReportMetric(float64(read), "points")
			}
		})
	}
}

// BenchmarkFigures solves all that the nine figures of IPS96 show, 882 points and the 66 at which it is asked who stops, with as
// many workers as there are processors.
func BenchmarkFigures(b *testing.B) {
	var sweeps []*decide.Sweep
	for _, w := range []string{"w1", "w2", "w3"} {
		sweeps = append(sweeps, sweep(b, "../testdata/ips96/"+w+".yaml"))
	}
	b.Run("points=882+66", func(b *testing.B) {
		for b.Loop() {
			for _, s := range sweeps {
				points := must(s.Solve(b.Context()))
				must(s.Readings(b.Context(), points))
			}
		}
	})
}

// BenchmarkDynamic solves DEP with two-phase service, arrivals and overheads.
func BenchmarkDynamic(b *testing.B) {
	for _, n := range []int{8, 64, 256} {
		b.Run(fmt.Sprintf("N=%d", n), func(b *testing.B) { solveDynamic(b, n, must(phasetype.BalancedHyperexponential(1, 3))) })
	}
}

// BenchmarkDynamicLarge is BenchmarkDynamic for machines whose chains have 1.3 and 5.3 million states up to level N and
// take .9 and 3.8 GiB, with service that is a mixture of exponentials and service in stages. Measured on two cores of an AMD EPYC
// that other programs used, too: 5 and 54 s of CPU time.
func BenchmarkDynamicLarge(b *testing.B) {
	for _, n := range []int{512, 1024} {
		for name, demand := range map[string]phasetype.Dist{
			"hyperexponential": must(phasetype.BalancedHyperexponential(1, 3)),
			"coxian":           must(phasetype.Coxian([]float64{3, 0.5}, []float64{0.4})),
		} {
			b.Run(fmt.Sprintf("%s/N=%d", name, n), func(b *testing.B) { solveDynamic(b, n, demand) })
		}
	}
}

func solveDynamic(b *testing.B, n int, demand phasetype.Dist) {
	arrivals := must(phasetype.Renewal(must(phasetype.BalancedHyperexponential(1, 3))))
	s := machine(n, arrivals, demand, func(x float64) float64 { return x / (1 + 0.02*(x-1)) })
	overhead := must(phasetype.Erlang(2, 0.01))
	for range n {
		s.Shrink = append(s.Shrink, overhead)
		s.Expand = append(s.Expand, overhead)
	}
	s.Expand = s.Expand[:n-1]
	s = must(s.WithLoad(0.7))
	for b.Loop() {
		m, err := (&models.DEP{System: s}).Solve(b.Context(), markov.Settings{Memory: markov.NewMemory(8 << 30)})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(m.Diagnostics.Residual, "residual")
	}
}

// BenchmarkSmoothed solves smoothing on the machine of testdata/examples/malleable.yaml, cut into N partitions: two-phase
// service and arrivals, exponential overheads and minimum time. Measured for 16 and 32 partitions: 0.2 and 2.6 s of CPU time; the
// block solver took 53 s for 16.
func BenchmarkSmoothed(b *testing.B) {
	m, err := modelfile.Load("../testdata/examples/malleable.yaml")
	if err != nil {
		b.Fatal(err)
	}
	for _, n := range []int{4, 8, 16, 32} {
		b.Run(fmt.Sprintf("N=%d", n), func(b *testing.B) {
			s := machine(n, m.System.Arrivals, m.System.Demand, func(x float64) float64 { return m.System.Speedup.At(x * 64 / float64(n)) })
			for i := range n {
				s.Shrink = append(s.Shrink, m.System.Shrink[min(i, 15)])
				s.Expand = append(s.Expand, m.System.Expand[min(i, 14)])
			}
			s.Expand = s.Expand[:n-1]
			s = must(s.WithLoad(0.6))
			for b.Loop() {
				got, err := (&models.Smoothed{System: s, Minimum: must(phasetype.Exponential(1. / 300))}).Solve(b.Context(), markov.Settings{})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(got.Diagnostics.Residual, "residual")
			}
		})
	}
}

// large is a machine of n partitions with two-phase service and bursty arrivals, and two-phase overheads.
func large(b *testing.B, nodes, minNodes int) *models.System {
	b.Helper()
	n := nodes / minNodes
	demand := must(phasetype.BalancedHyperexponential(1, 3))
	arrivals := must(phasetype.Renewal(must(phasetype.BalancedHyperexponential(1, 4))))
	s := machine(n, arrivals, demand, func(x float64) float64 {
		x *= float64(minNodes)
		return x / (1 + 0.02*(x-1))
	})
	s.Nodes, s.MinNodes = nodes, minNodes
	overhead := must(phasetype.Erlang(2, 0.01))
	for range n {
		s.Shrink, s.Expand = append(s.Shrink, overhead), append(s.Expand, overhead)
	}
	s.Expand = s.Expand[:n-1]
	return s
}

// BenchmarkLargeCurve solves 49 loads of a machine of 64 partitions, DEP and SP(K) for all seven K.
func BenchmarkLargeCurve(b *testing.B) {
	for _, size := range [][2]int{{64, 1}, {1024, 16}} {
		b.Run(fmt.Sprintf("P=%d,M=%d/points=49", size[0], size[1]), func(b *testing.B) {
			w := &decide.Sweep{Series: []decide.Series{{Name: "large", System: large(b, size[0], size[1])}}}
			for i := range 49 {
				w.Loads = append(w.Loads, 0.02*float64(i+1))
			}
			for b.Loop() {
				points, err := w.Solve(context.Background())
				if err != nil {
					b.Fatal(err)
				}
				for _, p := range points {
					if p.Err != nil {
						b.Fatal(p.Err)
					}
				}
			}
		})
	}
}

// BenchmarkThreePhases solves DEP on 16 partitions with three-phase service, two-phase arrivals and two-phase
// overheads.
func BenchmarkThreePhases(b *testing.B) {
	services := map[string]phasetype.Dist{
		"hyperexponential": must(phasetype.Hyperexponential([]float64{0.6, 0.3, 0.1}, []float64{4, 1, 0.15})),
		"erlang":           must(phasetype.Erlang(3, 1)),
		"coxian":           must(phasetype.Coxian([]float64{3, 1, 0.5}, []float64{0.4, 0.3})),
	}
	for _, name := range []string{"hyperexponential", "erlang", "coxian"} {
		b.Run(name+"/N=16", func(b *testing.B) {
			s := machine(16, must(phasetype.Renewal(must(phasetype.BalancedHyperexponential(1, 4)))), services[name],
				func(x float64) float64 { return x / (1 + 0.02*(x-1)) })
			overhead := must(phasetype.Erlang(2, 0.01))
			for range 16 {
				s.Shrink, s.Expand = append(s.Shrink, overhead), append(s.Expand, overhead)
			}
			s.Expand = s.Expand[:15]
			s = must(s.WithLoad(0.7))
			for b.Loop() {
				m, err := (&models.DEP{System: s}).Solve(b.Context(), markov.Settings{})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(m.Diagnostics.Residual, "residual")
			}
		})
	}
}

// BenchmarkBreakeven answers each question about a machine of IPS96.
func BenchmarkBreakeven(b *testing.B) {
	s := sweep(b, "../testdata/ips96/w2.yaml").Series[0].System
	for _, axis := range decide.Axes() {
		b.Run(axis.Name, func(b *testing.B) {
			for b.Loop() {
				if _, err := (&decide.Breakeven{System: s, Axis: axis}).Solve(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkResponseTime follows a job through the machine of testdata/examples/gpu-training.yaml, by the transform.
func BenchmarkResponseTime(b *testing.B) {
	m, err := modelfile.Load("../testdata/examples/gpu-training.yaml")
	if err != nil {
		b.Fatal(err)
	}
	for _, load := range []float64{0.9, 0.99} {
		b.Run(fmt.Sprintf("N=16/load=%g", load), func(b *testing.B) {
			s := must(m.System.WithLoad(load))
			for b.Loop() {
				r, err := (&models.DEP{System: s}).ResponseTime(b.Context(), "", nil)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(r.Off(), "bound")
			}
		})
	}
}

// BenchmarkResponseTimeOfBursts follows a job through the machine of the template bursty, whose levels have 986 states.
func BenchmarkResponseTimeOfBursts(b *testing.B) {
	m, err := modelfile.Load("../cmd/partwise/internal/modelcmd/examples/bursty.yaml")
	if err != nil {
		b.Fatal(err)
	}
	b.Run("N=8/phases=986", func(b *testing.B) {
		for b.Loop() {
			r, err := (&models.DEP{System: m.System}).ResponseTime(b.Context(), "", nil)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(r.Off(), "bound")
		}
	})
}

// BenchmarkResponseTimesOfClasses finds the percentiles of all jobs and of two classes on a machine of four nodes, by following a job
// of each class.
func BenchmarkResponseTimesOfClasses(b *testing.B) {
	s := must(must(models.NewSystemOfClasses(4, 1, poisson(1), smallAndLarge())).WithLoad(0.7))
	b.Run("N=4/classes=2", func(b *testing.B) {
		for b.Loop() {
			m := must(must(s.Chain(policy.Dynamic{})).Solve(b.Context(), markov.Settings{}))
			for _, class := range []string{"", "small", "large"} {
				if _, _, _, err := m.Quantiles(b.Context(), class, []float64{0.5, 0.99}); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}
