package models_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/spec"
	"github.com/partwise/partwise/phasetype"
)

// sweep returns the points of a study of testdata.
func sweep(t testing.TB, path string) *models.Sweep {
	w, err := loadSweep(path)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func loadSweep(path string) (*models.Sweep, error) {
	study, err := spec.LoadStudy(path)
	if err != nil {
		return nil, err
	}
	w := &models.Sweep{Loads: study.Loads}
	for _, s := range study.Series {
		series := models.Series{Name: s.Name, System: s.Model.System}
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

// BenchmarkDynamic solves DEP with two-phase service, arrivals and overheads.
func BenchmarkDynamic(b *testing.B) {
	for _, n := range []int{8, 64, 256} {
		b.Run(fmt.Sprintf("N=%d", n), func(b *testing.B) {
			h2 := must(phasetype.BalancedHyperexponential(1, 3))
			s := machine(n, must(phasetype.Renewal(h2)), h2, func(x float64) float64 { return x / (1 + 0.02*(x-1)) })
			overhead := must(phasetype.Erlang(2, 0.01))
			for range n {
				s.Shrink = append(s.Shrink, overhead)
				s.Expand = append(s.Expand, overhead)
			}
			s.Expand = s.Expand[:n-1]
			s = must(s.WithLoad(0.7))
			for b.Loop() {
				m, err := (&models.DEP{System: s}).Solve(markov.Settings{})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(m.Diagnostics.Residual, "residual")
			}
		})
	}
}
