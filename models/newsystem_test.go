package models_test

import (
	"errors"
	"math"
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
}
