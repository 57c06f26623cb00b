package replay_test

import (
	"errors"
	"testing"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/replay"
)

// TestResizesLongerThanAQuantum: jobs take turns only while several share the machine. If a quantum is shorter than a
// resize, a log whose jobs come one after the other is replayed all the same. Jobs that take turns never work.
func TestResizesLongerThanAQuantum(t *testing.T) {
	const run = 5000
	for _, p := range []policy.Policy{policy.Epochs{Rule: policy.EquiEpoch, Quantum: 600}, policy.Epochs{Rule: policy.Buddy}} {
		for gap, endless := range map[float64]bool{2 * run: false, run / 10: true} {
			list := make([]joblog.Job, 8)
			for i := range list {
				list[i] = joblog.Job{ID: i + 1, Submit: gap * float64(i), Run: run, Processors: 1}
			}
			s := replay.Study{Log: chosen(t, list, 4), Policies: []policy.Policy{p}, Assumptions: replay.Usual()}
			s.Cost = replay.Cost{Name: "700s", Seconds: 700}
			runs, err := s.Run(t.Context(), 1)
			var refused *replay.RunError
			switch {
			case endless && !(errors.As(err, &refused) && parallel.IsShortOf(err, parallel.Events)):
				t.Errorf("%s, a job every %g s: error %v, want that no job makes progress", p, gap, err)
			case !endless && (err != nil || runs[0].Jobs != len(list)):
				t.Errorf("%s, a job every %g s: error %v, want a run of all jobs", p, gap, err)
			}
		}
	}
}
