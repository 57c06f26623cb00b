package replay

import "github.com/partwise/partwise/models/policy"

// OfWeeks is the log of some of its weeks.
func OfWeeks(l *Log, numbers []int) (*Log, error) { return l.ofWeeks(numbers) }

// TypicalWeeks returns the numbers of n typical weeks, given the ascending mean response times of all weeks, numbered from
// 0.
func TypicalWeeks(n int, response []float64) []int {
	var weeks []weekOfLog
	for i, r := range response {
		weeks = append(weeks, weekOfLog{i, r})
	}
	return typicalWeeks(n, weeks)
}

// SampleOf is the sample of some weeks of a log, however few jobs they have.
func SampleOf(l *Log, weeks []int) (*Sample, error) {
	log, err := l.ofWeeks(weeks)
	return &Sample{Log: log, Weeks: len(weeks)}, err
}

// KnownLoads returns the offered load that policies know in each pool of a study, with the log at a load.
func KnownLoads(s *Study, load float64) (known []float64, err error) {
	offered, err := s.Log.At(load)
	for p := range s.Log.Pools.List {
		known = append(known, s.knownLoad(s.newRun(policy.EASY{}, load), s.poolPart(p), offered))
	}
	return known, err
}
