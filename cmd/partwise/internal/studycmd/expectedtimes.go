package studycmd

import (
	"slices"
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

// seconds returns how many seconds each part is expected to take, with the reading of the log and the writing of the page.
func (f *foresight) seconds() []float64 {
	pace := study.Pace{Jobs: f.jobs, Share: f.share, Replays: f.replays, Took: f.took}
	return slices.Concat([]float64{0.1}, pace.Seconds(), []float64{0.04})
}
