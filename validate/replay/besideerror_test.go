package replay_test

import (
	"context"
	"errors"
	"testing"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/replay"
)

// TestNoResultBesideAnError: a caller never gets runs without results beside an error.
func TestNoResultBesideAnError(t *testing.T) {
	jobs := make([]joblog.Job, 100)
	for i := range jobs {
		jobs[i] = joblog.Job{Submit: 60 * float64(i), Run: 100, Processors: 1 + i%4}
	}
	s := replay.Study{Log: chosen(t, jobs, 4), Policies: []policy.Policy{policy.EASYMalleable{}}, Shares: []float64{0.5}, Assumptions: replay.Usual()}
	ended, end := context.WithCancel(t.Context())
	end()
	for name, of := range map[string]func() (is bool, err error){
		"Run":        func() (bool, error) { runs, err := s.Run(ended, 1); return runs != nil, err },
		"Breakevens": func() (bool, error) { all, err := s.Breakevens(ended, 1); return all != nil, err },
		"Variations": func() (bool, error) { all, err := s.Variations(ended, 1, 0.5); return all != nil, err },
		"CarriedOut": func() (bool, error) {
			runs, err := s.CarriedOut(ended, 1, s.Runs()[0], make([]replay.Limits, 1))
			return runs != nil, err
		},
	} {
		if is, err := of(); is || !errors.Is(err, context.Canceled) {
			t.Errorf("%s after the end of its context: a result %v, error %v", name, is, err)
		}
	}
	jobs[0].Processors = 5 // more than the machine has
	log, err := replay.ChooseList(joblog.ListOf(jobs[:2]), replay.Choice{Nodes: 4, MostLost: 0.1})
	if log != nil || !errors.Is(err, replay.ErrLost) {
		t.Errorf("a log that lost most of its node-seconds: a log %v, error %v", log != nil, err)
	}
}
