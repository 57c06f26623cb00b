package modelfile

import (
	"context"
	"errors"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/partwise/partwise/fit"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
)

// ErrNothingFitted says that a reader has fitted no distribution.
var ErrNothingFitted = errors.New("no distribution of the model is fitted to measurements that can be drawn again; write " +
	"{fit: {file: ...}} in place of {file: ...}")

// resampling is a drawing of the measurements that distributions were fitted to first.
type resampling struct {
	first  map[fitKey]fitted
	logs   map[string][]joblog.Job
	seed   uint64
	number uint64
}

// Resampler returns a function that makes readers like r, whose distributions are fitted to measurements drawn again, from
// what r has fitted: single ones of a table, with replacement, and weeks of a job log, the same ones for all that is fitted
// to the log. A row of a table whose weight is a number of observations is as many measurements. The i-th reader of a
// seed draws always the same. The error is [ErrNothingFitted], or that a log cannot be read.
//
// Reference: B. Efron, R. J. Tibshirani, An Introduction to the Bootstrap, Chapman & Hall (1993), chapters 6 and 8.
func (r *distributionReader) Resampler(seed uint64) (func(i int) *distributionReader, error) {
	if r == nil || len(r.fits) == 0 {
		return nil, ErrNothingFitted
	}
	var paths []string // in one order, so that of several logs that cannot be read the same one is named every time
	for key := range r.fits {
		if key.columns.Log != "" {
			paths = append(paths, key.path)
		}
	}
	slices.Sort(paths)
	logs := make(map[string][]joblog.Job)
	for _, path := range slices.Compact(paths) {
		jobs, err := jobsOf(path)
		if err != nil {
			return nil, err
		}
		logs[path] = jobs
	}
	return func(i int) *distributionReader {
		again := newDistributionReader()
		again.again = &resampling{r.fits, logs, seed, uint64(i)}
		return again
	}, nil
}

// jobsOf returns the jobs of a log in Standard Workload Format.
func jobsOf(path string) ([]joblog.Job, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	l, err := joblog.Read(f, path, joblog.Options{Format: joblog.SWF})
	if err != nil {
		return nil, err
	}
	return l.Jobs, nil
}

// stream returns the random numbers for a file.
func (s *resampling) stream(path string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(path))
	return rand.New(rand.NewPCG(s.seed^h.Sum64(), s.number))
}

// refit fits what was fitted for a key to measurements drawn again.
func (s *resampling) refit(key fitKey) (fitted, error) {
	first := s.first[key]
	first.warnings = nil
	values, err := s.draw(key, first.values)
	if err == nil {
		// Reading a file takes no context: its fits are of a few phases, and take a fraction of a second.
		first.Dist, err = fit.Again(context.Background(), values, first.Candidate)
	}
	return first, err
}

// draw draws the measurements of a key again.
func (s *resampling) draw(key fitKey, from fit.Sample) (fit.Sample, error) {
	random := s.stream(key.path)
	if key.columns.Log != "" {
		weeks := workload.ResampleWeeks(s.logs[key.path], random.IntN)
		columns, err := key.reading()
		if err != nil {
			return from, err
		}
		from.Values, _, err = columns.Log.Take(columns.Sizes.Of(oneByOne(weeks)), columns.Speedup)
		return from, err
	}
	if countRepeats(from.Weights) {
		from.Weights = drawCounts(from.Weights, random)
		return from, nil
	}
	picked := make([]int, len(from.Values))
	for i := range picked {
		picked[i] = random.IntN(len(picked))
	}
	from.Values, from.Weights, from.Censored = atAll(from.Values, picked), atAll(from.Weights, picked), atAll(from.Censored, picked)
	return from, nil
}

// oneByOne gives the jobs of a slice, which is read only once: a [joblog.List] would pack them first.
func oneByOne(jobs []joblog.Job) joblog.Jobs {
	return func(yield func(*joblog.Job, error) bool) {
		for i := range jobs {
			if !yield(&jobs[i], nil) {
				return
			}
		}
	}
}

// countRepeats reports whether weights say how often each value was observed, as in [fit.Scores]: all are whole numbers, and some
// value was not observed exactly once. Fractional weights say how much each row of a table matters, and the rows are the
// observations.
func countRepeats(weights []float64) bool {
	isFractional := func(w float64) bool { return w != math.Trunc(w) }
	isNotOne := func(w float64) bool { return w != 1 }
	return !slices.ContainsFunc(weights, isFractional) && slices.ContainsFunc(weights, isNotOne)
}

// drawCounts returns how often each value is drawn if as many observations are drawn, with replacement, as the weights
// count together. The numbers have a multinomial distribution, and are drawn one after the other: each is binomial given
// those before it.
func drawCounts(weights []float64, random *rand.Rand) []float64 {
	left := floats.Sum(weights) // weight of the values from i on
	draws := left
	drawn := make([]float64, len(weights))
	for i, w := range weights {
		switch {
		case draws == 0 || w == 0:
		case w >= left:
			drawn[i] = draws
		default:
			drawn[i] = distuv.Binomial{N: draws, P: w / left, Src: random}.Rand()
		}
		draws -= drawn[i]
		left -= w
	}
	return drawn
}

// atAll returns the values at the indices, nil if there are no values.
func atAll[T any](values []T, indices []int) []T {
	if values == nil {
		return nil
	}
	picked := make([]T, len(indices))
	for i, at := range indices {
		picked[i] = values[at]
	}
	return picked
}
