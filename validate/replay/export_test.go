package replay

import "github.com/partwise/partwise/models/policy"

// OfWeeks is the log of some of its weeks.
func OfWeeks(l *Log, numbers []int) (*Log, error) { return l.ofWeeks(numbers) }

// KnownLoads returns the offered load that policies know in each pool of a study, with the log at a load.
func KnownLoads(s *Study, load float64) (known []float64, err error) {
	offered, err := s.Log.At(load)
	for p := range s.Log.Pools.List {
		known = append(known, s.knownLoad(s.newRun(policy.EASY{}, load), s.poolPart(p), offered))
	}
	return known, err
}
