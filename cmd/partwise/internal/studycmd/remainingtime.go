package studycmd

import (
	"cmp"
	"sync"
	"time"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/progress"
	"github.com/partwise/partwise/validate/study"
)

// foresight shows how far a study has come, and foretells how long it takes. Reading the log comes before the parts of the study, and
// writing the page after them.
type foresight struct {
	plan    *progress.Plan
	mu      sync.Mutex
	jobs    int                // of the log; 0: it is not read
	replays map[study.Part]int // that parts make, as far as they are known
	share   float64            // of the jobs, which the later parts replay: those in the weeks of a sample, or all
	current *progress.Part
}

// newForesight begins to show the progress of a study; watch, if not nil, is given what shows it.
func newForesight(inv *cli.Invocation, watch func(*progress.Plan)) (f *foresight, clear func()) {
	f = &foresight{replays: map[study.Part]int{}, share: 1}
	f.plan, clear = inv.Plan("studying", make([]float64, study.Parts()+2)...)
	if watch != nil {
		watch(f.plan)
	}
	f.begin(reading)
	return f, clear
}

// reading is the place of the reading of the log in the plan, before the first part of the study.
const reading = -1

// read tells of how many jobs the log has.
func (f *foresight) read(jobs int) { f.jobs = jobs }

// begin begins a part.
func (f *foresight) begin(p study.Part) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.plan.Expect(f.seconds()[p+1:]...)
	f.current = f.plan.Begin()
}

// took returns how many seconds a part took.
func (f *foresight) took(p study.Part) float64 { return f.plan.Took(int(p) + 1) }

// observer returns the observer of the study.
func (f *foresight) observer() study.Observer {
	began := time.Now()
	return study.Observer{
		Begun: func(p study.Part) { began = time.Now(); f.begin(p) },
		Planned: func(p study.Part, replays int) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.replays[p] = replays
		},
		Sampled: func(share float64) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.share = share
		},
		Advanced: func(p study.Part, fraction float64) {
			state := progress.Of(fraction, time.Since(began), "")
			state.Measured = p == study.FindingBreakevens
			f.current.Show(state)
		},
	}
}

// seconds returns how many seconds each part is expected to take, with the reading of the log and the writing of the page. The
// replays of EASY and malleable jobs, and those of other policies, foretell how long others take. The factors are those of five logs.
// The chain took 1 to 32 replays, break-evens 32 to 60. Advice took 121 to 162 replays of static splits, the explanation of the chain
// 30 to 46 for each split. Until the log is replayed, a replay takes more than most logs need, as a bar does not go back: five
// logs took 1.3 to 3.2 µs a job.
func (f *foresight) seconds() []float64 {
	each := func(p study.Part) float64 { return f.took(p) / float64(max(1, f.replays[p])) }
	replay := 0.3
	if f.jobs > 0 {
		replay = cmp.Or(each(study.ReplayingShares), 5e-6*float64(f.jobs))
	}
	split := cmp.Or(each(study.ReplayingRivals), replay/2)
	splits := 1.0 // that the chain is compared with, beside dynamic partitioning
	if n := f.replays[study.ExplainingChain]; n > 0 {
		splits = max(1, float64(n)/logsOfExplanation-1)
	}
	replays := func(p study.Part, usual int) float64 { return float64(cmp.Or(f.replays[p], usual)) }
	by := map[study.Part]float64{
		reading:                 0.1,
		study.ReplayingShares:   replays(study.ReplayingShares, 8) * replay,
		study.ReplayingRivals:   replays(study.ReplayingRivals, 7) * split,
		study.SolvingChain:      0.3 + 6*replay,
		study.FindingBreakevens: 60 * f.share * replay,
		study.FindingWorth:      30 * f.share * split,
		study.ReplayingNodes:    replays(study.ReplayingNodes, 0) * replay,
		study.ReplayingLoads:    replays(study.ReplayingLoads, 16) * f.share * replay,
		study.Varying:           20 * f.share * replay,
		study.Advising:          135 * f.share * split,
		study.ExplainingChain:   43 * f.share * splits * split,
	}
	all := make([]float64, study.Parts()+2)
	for p, seconds := range by {
		all[p+1] = seconds
	}
	all[len(all)-1] = 0.04 // the page
	return all
}

// logsOfExplanation is how many logs the explanation of the chain replays under each policy.
const logsOfExplanation = 26
