package replay

import (
	"context"

	"github.com/partwise/partwise/models/policy"
)

// OfWeeks is the log of some of its weeks.
func OfWeeks(l *Log, numbers []int) (*Log, error) { return l.ofWeeks(numbers) }

// SampleOf is the sample of some weeks of a study's log, however few jobs they have.
func SampleOf(ctx context.Context, s *Study, weeks []int, whole []*Run) (*Sample, error) {
	log, err := s.Log.ofWeeks(weeks)
	if err != nil {
		return nil, err
	}
	sample := &Sample{Log: log, Weeks: len(weeks), whole: whole}
	_, _, err = sample.replayWeeks(ctx, 0, s, len(whole))
	return sample, err
}

// KnownLoads returns the offered load that policies know in each pool of a study, with the log at a load.
func KnownLoads(s *Study, load float64) (known []float64, err error) {
	offered, err := s.Log.At(load)
	for p := range s.Log.Pools.List {
		known = append(known, s.knownLoad(s.newRun(policy.EASY{}, load), s.poolPart(p), offered))
	}
	return known, err
}
