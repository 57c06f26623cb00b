package replay

import "github.com/partwise/partwise/models/policy"

// OfWeeks is the log of some of its weeks.
func OfWeeks(l *Log, numbers []int) (*Log, error) { return l.ofWeeks(numbers) }

// LoadsTold are the offered loads that a policy is told in each pool of a study, with the log at a load.
func LoadsTold(s *Study, load float64) (told []float64, err error) {
	offered, err := s.Log.At(load)
	for p := range s.Log.Pools.List {
		told = append(told, s.loadToldOf(s.newRun(policy.EASY{}, load), s.poolPart(p), offered))
	}
	return told, err
}
