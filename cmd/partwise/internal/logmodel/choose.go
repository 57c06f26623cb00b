package logmodel

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/des"
)

// Candidates are the structures that are tried where none is asked for: a cycle alone, and those which, of one to six
// classes with one to four phases, had the least errors on halves of the logs of KTH and SDSC, and of CTC and LANL. Batches
// come in a Poisson process: the bursts that phases describe are largely batches. People submit several similar jobs within
// minutes; half an hour has most of them.
func Candidates() []Structure { return slices.Clone(candidates) }

var candidates = []Structure{
	{Phases: 1},
	{Shares: []float64{0.02, 0.1, 0.4}, Phases: 3},
	{Shares: []float64{0.02, 0.1, 0.3, 0.6, 0.85}, Phases: 2},
	{Phases: 1, Batch: 0.5},
	{Shares: []float64{0.02, 0.1, 0.4}, Phases: 1, Batch: 0.5},
}

// Replay returns what jobs do to machines: numbers such as mean response times under several policies, all positive.
type Replay func(ctx context.Context, jobs []workload.Job) ([]float64, error)

// Choice is a structure with how well it predicted the half of a log that it was not fitted to.
type Choice struct {
	Structure Structure
	// Error is the root mean square of the logarithms of what was predicted over what came, over both halves and all
	// numbers of the replay: .2 is about 20 %.
	Error float64
}

// Choose fits each of the candidates to each half of a log, draws logs from it that bring work at the rate of the other
// half, and compares the mean of what these do to the machines with what the other half does. It returns the candidates
// by their errors, the best first. The result does not depend on the number of workers.
//
// Reference: M. Stone, Cross-validatory choice and assessment of statistical predictions, Journal of the Royal
// Statistical Society B 36 (1974) 111–147.
func Choose(ctx context.Context, jobs []workload.Job, hour float64, candidates []Structure, draws int, replay Replay,
	seed uint64, workers int) ([]Choice, error) {
	if len(candidates) == 0 || draws < 1 || len(jobs) == 0 || replay == nil {
		return nil, errors.New("logmodel: no candidates to choose from, or no jobs, draws or replay to judge them by")
	}
	middle := (jobs[0].Submit + jobs[len(jobs)-1].Submit) / 2
	cut, _ := slices.BinarySearchFunc(jobs, middle, func(j workload.Job, at float64) int {
		if j.Submit < at {
			return -1
		}
		return 1
	})
	halves := [2][]workload.Job{jobs[:cut], jobs[cut:]}
	var came [2][]float64
	for h := range halves {
		var err error
		if came[h], err = replay(ctx, halves[h]); err != nil {
			return nil, err
		}
	}
	errs := make([][2]float64, len(candidates))
	err := parallel.Each(ctx, 2*len(candidates), workers, func(i int) error {
		k, h := i/2, i%2
		m, err := Fit(ctx, halves[h], hour, candidates[k], 1)
		if err != nil {
			return fmt.Errorf("%w (%s, half %d)", err, candidates[k], h+1)
		}
		predicted, err := m.Expect(ctx, WorkRate(halves[1-h]), draws, replay, des.Seed(seed).At(uint64(h)), 1)
		if err != nil {
			return err
		}
		for q, v := range predicted {
			l := math.Log(v / came[1-h][q])
			errs[k][h] += l * l / float64(2*len(predicted))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	choices := make([]Choice, len(candidates))
	for k, s := range candidates {
		choices[k] = Choice{s, math.Sqrt(errs[k][0] + errs[k][1])}
	}
	slices.SortStableFunc(choices, func(a, b Choice) int {
		if a.Error < b.Error {
			return -1
		}
		return 1
	})
	return choices, nil
}

// Expect returns the mean of what so many logs drawn from the model, which bring work at the given rate, do to machines.
func (m *Model) Expect(ctx context.Context, rate float64, draws int, replay Replay, key des.Key, workers int) (
	[]float64, error) {
	if m == nil || draws < 1 || replay == nil {
		return nil, errors.New("logmodel: no model, no draws or no replay")
	}
	all := make([][]float64, draws)
	err := parallel.Each(ctx, draws, workers, func(i int) (err error) {
		jobs := m.Draw(key.At(uint64(i)))
		Stretch(jobs, rate)
		all[i], err = replay(ctx, jobs)
		return err
	})
	if err != nil {
		return nil, err
	}
	mean := make([]float64, len(all[0]))
	for _, x := range all {
		for q, v := range x {
			mean[q] += v / float64(draws)
		}
	}
	return mean, nil
}
