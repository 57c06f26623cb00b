package studycmd

import (
	"slices"
	"sync"
	"time"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/progress"
	"github.com/partwise/partwise/validate/study"
)

// foresight shows how far a study has come, and predicts how long it takes. Reading the log comes before the parts of
// the study, and writing the page after them.
type foresight struct {
	plan    *progress.Plan
	mu      sync.Mutex
	jobs    int                // number of jobs of the log; 0 before the log is read
	replays map[study.Part]int // number of replays of each part, as far as it is known
	share   float64            // share of the jobs that the later parts replay: the jobs in the weeks of a sample, or 1
	current *progress.Part
}

// newForesight begins to show the progress of a study. It calls watch, if watch is not nil, with the plan that shows the
// progress. clear removes what is shown.
func newForesight(inv *cli.Invocation, watch func(*progress.Plan)) (f *foresight, clear func()) {
	f = &foresight{replays: map[study.Part]int{}, share: 1}
	f.plan, clear = inv.Plan("studying", make([]float64, study.Parts()+2)...)
	if watch != nil {
		watch(f.plan)
	}
	f.begin(reading)
	return f, clear
}

// reading is the index of reading the log, before the first part of the study.
const reading = -1

// read sets the number of jobs of the log.
func (f *foresight) read(jobs int) { f.jobs = jobs }

// begin begins a part.
func (f *foresight) begin(p study.Part) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.plan.Expect(f.seconds()[p+1:]...)
	f.current = f.plan.Begin()
}

// took returns how many seconds a part took, or has taken so far; 0 before it begins.
func (f *foresight) took(p study.Part) float64 { return f.plan.Took(int(p) + 1) }

// observer returns an observer that reports the parts, replays and progress of a study to f.
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

// seconds returns how many seconds each step is expected to take: reading the log, the parts of the study, and writing the page.
func (f *foresight) seconds() []float64 {
	pace := study.Pace{Jobs: f.jobs, Share: f.share, Replays: f.replays, Took: f.took}
	return slices.Concat([]float64{0.1}, pace.Seconds(), []float64{0.04})
}
