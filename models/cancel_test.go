package models_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/testdata/phtest"
)

func TestMain(m *testing.M) { needs.Main(m) }

// Ten jobs with five phases of demand under arrivals of three phases take most of a minute to solve.
func TestPoliciesStopWithTheirContext(t *testing.T) {
	needs.Concurrency(t)
	if testing.Short() {
		t.Skip("times, not concurrency")
	}
	switching := mat.NewDense(3, 3, []float64{-0.2, 0.1, 0.1, 0.1, -0.2, 0.1, 0.1, 0.1, -0.2})
	s := machine(10, must(phasetype.MMPP(switching, []float64{0.4, 0.8, 1.2})), must(phasetype.Erlang(5, 10)), linear)
	for name, model := range map[string]models.Model{
		"dynamic": &models.DEP{System: s},
		"static":  &models.SP{System: s, Partitions: 10},
		"smoothing": &models.Smoothed{
			System: machine(16, poisson(8), must(phasetype.Erlang(3, 1)), linear), Minimum: must(phasetype.Exponential(1)),
		},
	} {
		phtest.Prompt(t, name, func(ctx context.Context) error {
			_, err := model.Solve(ctx, markov.Settings{})
			return err
		}, 0, 100*time.Millisecond)
	}
	phtest.Prompt(t, "decision", func(ctx context.Context) error {
		_, err := decide.Solve(ctx, s, policy.Candidates(s.Machine()), markov.Settings{}, 0)
		return err
	}, 0, 100*time.Millisecond)
	followed := machine(6, poisson(5.2), must(phasetype.Erlang(3, 1)), linear)
	phtest.Prompt(t, "response time", func(ctx context.Context) error {
		_, err := (&models.DEP{System: followed}).ResponseTime(ctx, "", nil)
		return err
	}, 0, 100*time.Millisecond)
}

// An unstable system is a warning of its measures, an error of what needs a stable one, and the same error everywhere.
func TestUnstableIsOneError(t *testing.T) {
	s := machine(2, poisson(3), must(phasetype.Exponential(1)), linear)
	for _, model := range []models.Model{&models.DEP{System: s}, &models.SP{System: s, Partitions: 2},
		&models.Smoothed{System: s, Minimum: must(phasetype.Exponential(1))}} {
		m, err := model.Solve(t.Context(), markov.Settings{})
		if err != nil || len(m.Diagnostics.Warnings) != 1 || !errors.Is(m.Diagnostics.Warnings[0], markov.ErrUnstable) {
			t.Errorf("%T: error %v, warnings %v", model, err, m.Diagnostics.Warnings)
		}
	}
	if _, err := (&models.DEP{System: s}).ResponseTime(t.Context(), "", nil); !errors.Is(err, markov.ErrUnstable) {
		t.Errorf("response time: %v", err)
	}
	if _, err := decide.Sensitivity(t.Context(), s, markov.Settings{}, 1); !errors.Is(err, markov.ErrUnstable) {
		t.Errorf("sensitivity: %v", err)
	}
}
