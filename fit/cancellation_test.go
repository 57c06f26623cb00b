package fit

import (
	"context"
	"errors"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/testdata/phtest"
)

// slowCalls are calls that take many seconds, each spent in another part of the package.
func slowCalls() map[string]func(ctx context.Context) error {
	few, many := recipe("loguni", 1000), recipe("lnorm12", 3_000_000)
	intervals := Sample{Values: few, Upper: make([]float64, len(few)), Truncated: make([]float64, len(few))}
	for i, x := range few {
		intervals.Upper[i], intervals.Truncated[i] = 1.5*x, x/2
	}
	bursts := make([]float64, len(many))
	for i := range bursts {
		bursts[i] = many[i*7919%len(many)]
	}
	const phases = 300 // of a random walk
	alpha, moves, exit := make([]float64, phases), mat.NewDense(phases, phases, nil), make([]float64, phases)
	for i := range phases - 1 {
		moves.Set(i, i+1, 1)
		moves.Set(i+1, i, 1)
	}
	alpha[0], exit[phases-1] = 1, 1
	walk := phasetype.Must(phasetype.FromRates(alpha, moves, exit))
	fit := func(s Sample, o Options) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := PhaseType(ctx, s, o)
			return err
		}
	}
	of := func(f Family, m Method) Options {
		return Options{Families: []Family{f}, Method: m, MinPhases: 50, MaxPhases: 50}
	}
	return map[string]func(ctx context.Context) error{
		"cf1":          fit(Sample{Values: few}, of(CF1, Auto)),
		"cf1 by EM":    fit(Sample{Values: few}, of(CF1, EM)),
		"hyper-erlang": fit(Sample{Values: few, Resolution: 0.01}, of(HyperErlang, Auto)),
		"general":      fit(Sample{Values: few}, of(General, Auto)),
		"intervals":    fit(intervals, of(CF1, Auto)),
		"many values":  fit(Sample{Values: bursts}, of(CF1, Auto)),
		"arrivals": func(ctx context.Context) error {
			_, err := Arrivals(ctx, Sample{Values: bursts}, Options{MinPhases: 2, MaxPhases: 50})
			return err
		},
		"score": func(ctx context.Context) error {
			_, err := Score(ctx, Sample{Values: bursts}, phasetype.NewLaw(phasetype.Must(phasetype.Erlang(50, 1))))
			return err
		},
		"score of 300 phases": func(ctx context.Context) error {
			_, err := Score(ctx, Sample{Values: []float64{1e5, 2e5}}, walk)
			return err
		},
	}
}

// TestContextEnds: a call returns the error of its context soon after its end, whenever that is.
func TestContextEnds(t *testing.T) {
	needs.Concurrency(t)
	after := []time.Duration{0, 30 * time.Millisecond}
	if needs.IsLong() {
		after = append(after, 150*time.Millisecond, 400*time.Millisecond)
	}
	for name, call := range slowCalls() {
		t.Run(name, func(t *testing.T) {
			phtest.Prompt(t, name, func(ctx context.Context) error {
				err := call(ctx)
				if err != nil && err.Error() != "fit: context deadline exceeded" {
					t.Errorf("%v, want the error of the context", err)
				}
				return err
			}, after...)
		})
	}
}

// TestMemoryIsLimited: a fit that would take more than its options allow is refused, and runs fewer ascents at a time where
// there is room for fewer, with the same result.
func TestMemoryIsLimited(t *testing.T) {
	needs.Concurrency(t)
	s := Sample{Values: recipe("lnorm12", 500)}
	poisson := phasetype.Must(phasetype.Exponential(1))
	_, _, refitted := Refit(t.Context(), s, poisson, Options{Memory: 1 << 14})
	second := func(_ any, err error) error { return err }
	for what, err := range map[string]error{
		"500 values in 16 KiB":  second(PhaseType(t.Context(), s, Options{MaxPhases: 2, Memory: 1 << 14})),
		"no room for an ascent": second(Arrivals(t.Context(), s, Options{MaxPhases: 2, Memory: bytesPerValue * 500})),
		"a picture in 16 KiB":   second(Compare(t.Context(), s, poisson, 1<<14)),
		"a refit in 16 KiB":     refitted,
	} {
		var refused *parallel.LimitError
		if !errors.As(err, &refused) || refused.Resource != parallel.Memory || refused.Takes <= refused.Limit {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := PhaseType(t.Context(), s, Options{Memory: -1}); !errors.As(err, new(*OptionError)) {
		t.Errorf("a negative limit: %v", err)
	}
	forOne := int64(500 * (bytesPerValue + bytesPerAscent(2)))
	one, err := Arrivals(t.Context(), s, Options{MaxPhases: 2, Workers: 4, Memory: forOne})
	if err != nil {
		t.Fatal(err)
	}
	all, err := Arrivals(t.Context(), s, Options{MaxPhases: 2, Workers: 4})
	if err != nil || all[0].LogLikelihood != one[0].LogLikelihood {
		t.Errorf("one at a time: %v, four: %v, %v", one[0].LogLikelihood, all[0].LogLikelihood, err)
	}
}
