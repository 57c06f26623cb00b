package days

import (
	"fmt"

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
)

// Like returns Downey's workload with lifetimes as those of a log: uniform-log in one stage or in two, fitted to the
// total allocated times, run time × nodes, which is what a log has of them. For jobs whose speedup is not linear it is
// more than the run time on one node, so that lifetimes are too long rather than too short; relative to the load that
// does not matter. Jobs without run time or nodes are left out.
func Like(jobs []joblog.Job, stages, nodes int, load float64) (Workload, FittedUniformLog, error) {
	w := Downey(nodes, load)
	works, _, err := workload.Work.Take(joblog.ListOf(jobs).All(), nil)
	if err != nil {
		return w, FittedUniformLog{}, err
	}
	var f FittedUniformLog
	switch stages {
	case 1:
		f, err = FitUniformLog(works)
	case 2:
		f, err = FitTwoStages(works)
	default:
		err = fmt.Errorf("days: lifetimes have one stage or two, not %d", stages)
	}
	if err != nil {
		return w, f, err
	}
	w.Lifetimes = f.StagedUniformLog
	return w, f, w.Check(0)
}
