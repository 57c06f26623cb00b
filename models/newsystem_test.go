package models_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
)

// TestNewSystem: service times are demands divided by speedups; what is wrong is an error that names the field.
func TestNewSystem(t *testing.T) {
	arrivals, demand := poisson(1), must(phasetype.Exponential(0.5))
	s, err := models.NewSystem(4, 2, arrivals, demand, workload.Amdahl{Serial: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	// S(4) = 1/(1/2 + 1/8), S(2) = 1/(1/2 + 1/4).
	if len(s.Service) != 2 || math.Abs(s.Service[0].Mean()-2*0.625) > 1e-15 || math.Abs(s.Service[1].Mean()-2*0.75) > 1e-15 {
		t.Errorf("service times %v", s.Service)
	}
	for field, make := range map[string]func() (*models.System, error){
		"MinNodes": func() (*models.System, error) { return models.NewSystem(4, 3, arrivals, demand, workload.Amdahl{}) },
		"Demand": func() (*models.System, error) {
			return models.NewSystem(4, 1, arrivals, phasetype.Dist{}, workload.Amdahl{})
		},
		"Speedup": func() (*models.System, error) { return models.NewSystem(4, 1, arrivals, demand, nil) },
		"Nodes":   func() (*models.System, error) { return models.NewSystem(1<<30, 1, arrivals, demand, workload.Amdahl{}) },
		"Arrivals": func() (*models.System, error) {
			return models.NewSystem(4, 1, phasetype.MAP{}, demand, workload.Amdahl{})
		},
	} {
		s, err := make()
		var wrong *models.SystemError
		if s != nil || !errors.As(err, &wrong) || wrong.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	if _, err := s.WithLoad(-1); fmt.Sprint(err) != "models: load -1 is not positive" {
		t.Error(err)
	}
}

// TestSpeedupsOfSystems: a speedup is 1 on one node, and one of the table has parameters that the table accepts. It may fall with the
// number of nodes, and need not be known on one node.
func TestSpeedupsOfSystems(t *testing.T) {
	for _, c := range []struct {
		speedup workload.Speedup
		want    string
	}{
		{workload.Linear{}, ""}, {workload.Power{Exponent: 0}, ""}, {must(workload.ParseSpeedup("dowdy:20")), ""},
		{must(workload.ParseSpeedup("table:2=1.9,4=1.8")), ""}, {speedup(func(n float64) float64 { return 1 / n }), ""},
		{workload.Amdahl{Serial: -0.3}, "amdahl:-0.3 is wrong: serial: -0.3 is not a fraction between 0 and 1"},
		{workload.Amdahl{Serial: 1.5}, "amdahl:1.5 is wrong: serial: 1.5 is not a fraction between 0 and 1"},
		{workload.Power{Exponent: 2}, "power:2 is wrong: exponent: 2 is not between 0 and 1"},
		{speedup(func(n float64) float64 { return 2 * n }), "is 2 on one node; it is 1 by definition"},
		{speedup(func(float64) float64 { return math.NaN() }), "is NaN on one node; it is 1 by definition"},
	} {
		_, err := models.NewSystem(4, 2, poisson(1), must(phasetype.Exponential(0.5)), c.speedup)
		if c.want == "" && err != nil || c.want != "" && !strings.Contains(fmt.Sprint(err), "Speedup "+c.want) {
			t.Errorf("%T: %v, want %q", c.speedup, err, c.want)
		}
	}
}

// speedup is a function as a speedup.
type speedup func(n float64) float64

func (f speedup) At(n float64) float64 { return f(n) }
