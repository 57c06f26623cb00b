package fit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/partwise/partwise/phasetype"
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
		"cf1":             fit(Sample{Values: few}, of(CF1, Auto)),
		"cf1 by EM":       fit(Sample{Values: few}, of(CF1, EM)),
		"hyper-erlang":    fit(Sample{Values: few, Resolution: 0.01}, of(HyperErlang, Auto)),
		"general":         fit(Sample{Values: few}, of(General, Auto)),
		"intervals":       fit(intervals, of(CF1, Auto)),
		"cross-validated": fit(Sample{Values: few}, Options{MaxPhases: 50, Criterion: CV}),
		"many values":     fit(Sample{Values: bursts}, of(CF1, Auto)),
		"arrivals": func(ctx context.Context) error {
			_, err := Arrivals(ctx, Sample{Values: bursts}, Options{MinPhases: 2, MaxPhases: 50})
			return err
		},
		"score": func(ctx context.Context) error {
			_, err := Score(ctx, Sample{Values: bursts}, phasetype.NewLaw(phasetype.Must(phasetype.Erlang(50, 1))))
			return err
		},
	}
}

// TestContextEnds: a call returns the error of its context within 100 ms of its end, whenever that is. On a busy
// machine a goroutine may wait as long for a processor, so the best of some trials counts.
func TestContextEnds(t *testing.T) {
	const limit, trials = 100 * time.Millisecond, 4
	for name, call := range slowCalls() {
		for _, after := range []time.Duration{0, 30 * time.Millisecond, 150 * time.Millisecond, 400 * time.Millisecond} {
			t.Run(fmt.Sprintf("%s/%v", name, after), func(t *testing.T) {
				best := time.Duration(math.MaxInt64)
				for k := 0; k < trials && best > limit; k++ {
					ctx, cancel := context.WithTimeout(t.Context(), after)
					err := call(ctx)
					end, _ := ctx.Deadline()
					cancel()
					if !errors.Is(err, context.DeadlineExceeded) || err.Error() != "fit: context deadline exceeded" {
						t.Fatalf("got %v, want the error of the context", err)
					}
					best = min(best, time.Since(end))
				}
				if best > limit {
					t.Errorf("returned %v after the end of its context", best)
				}
			})
		}
	}
}

// TestMemoryIsLimited: a fit that would take more than its options allow is refused, and runs fewer ascents at a time where
// there is room for fewer, with the same result.
func TestMemoryIsLimited(t *testing.T) {
	s := Sample{Values: recipe("lnorm12", 2000)}
	var refused *OptionError
	if _, err := PhaseType(t.Context(), s, Options{MaxPhases: 2, Memory: 1 << 16}); !errors.As(err, &refused) || refused.Option != "memory" {
		t.Errorf("2000 values in 64 KiB: %v", err)
	}
	if _, err := Arrivals(t.Context(), s, Options{MaxPhases: 2, Memory: bytesPerValue * 2000}); !errors.As(err, &refused) {
		t.Errorf("no room for an ascent: %v", err)
	}
	if _, err := PhaseType(t.Context(), s, Options{Memory: -1}); !errors.As(err, &refused) {
		t.Errorf("a negative limit: %v", err)
	}
	one, err := Arrivals(t.Context(), s, Options{MaxPhases: 2, Workers: 4, Memory: (bytesPerValue + bytesPerAscent) * 2000})
	if err != nil {
		t.Fatal(err)
	}
	all, err := Arrivals(t.Context(), s, Options{MaxPhases: 2, Workers: 4})
	if err != nil || all[0].LogLikelihood != one[0].LogLikelihood {
		t.Errorf("one at a time: %v, four: %v, %v", one[0].LogLikelihood, all[0].LogLikelihood, err)
	}
}
