package replayview

import (
	"fmt"
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/validate/advise"
	"github.com/partwise/partwise/validate/replay"
)

// Replay is a study of a log with what results say about it.
type Replay struct {
	*replay.Study
	Estimates string           // of run times, by their name
	ResizeAt  string           // where jobs can be resized, as flags write it; "": anywhere
	Objective advise.Objective // by which the best policy is named
	Nodes     bool             // the nodes were searched on which policies have the 95th percentile of EASY
	BySize    bool             // there is a table by the nodes that jobs ask for
	ByMonth   bool             // there is a table by month of submission

	apart     map[*replay.Run]*replay.Run // runs with the jobs whose times cannot be right
	apartJobs int                         // how many such jobs could be run
}

// Result lays the runs out.
func (r *Replay) Result(runs []*replay.Run, assumed []output.Assumption) *output.Result {
	object := output.Pairs("version", output.Version, output.TimeUnit, "s", "objective", r.Objective.Measure().Name,
		"deadline", output.Positive(r.Deadline), "start_window", output.NonZero(r.StartWindow.Rule().String()))
	out := &output.Result{Object: object, Assumed: assumed}
	out.List(r.table(runs))
	out.List(rowsOfCSV(runs))
	if slices.ContainsFunc(runs, (*replay.Run).Resizes) || r.Objective.Measure().Name == measure.NodeHoursHeld {
		out.List(r.nodeHoursTable(runs))
	}
	if r.Log.Pools != nil && len(runs) > 0 {
		out.List(r.poolTable(runs))
	}
	if r.BySize {
		out.List(r.sizeTable(runs))
	}
	if r.ByMonth {
		out.List(r.monthTable(runs))
	}
	for _, l := range r.groupTables(runs) {
		out.List(l)
	}
	if len(runs) > 0 && len(r.Loads) == 0 {
		out.Notes = r.notes(runs)
	}
	out.Notes = append(out.Notes, words.NonEmpty(lateEndSentence(runs))...)
	return out
}

// title says what was replayed.
func (r *Replay) title(runs []*replay.Run) string {
	title := fmt.Sprintf("%s: %s on %s, estimates %s", r.Log.Name, words.Count(runs[0].Jobs, "job"), MachineWords(r.Log), r.Estimates)
	if r.KillAtEstimate {
		title += ", which kill"
	}
	if rule := r.StartWindow.Rule().String(); rule != "" {
		title += ", starts within " + rule
	}
	return title
}

// label names a run among several of the same policy.
func (r *Replay) label(run *replay.Run) string {
	if len(r.Study.Nodes) > 1 {
		return fmt.Sprintf("%s on %d", r.labelOnNodes(run), run.Nodes)
	}
	return r.labelOnNodes(run)
}

// labelOnNodes does so among those on the same number of nodes.
func (r *Replay) labelOnNodes(run *replay.Run) string {
	name := run.Policy.String()
	if run.Resizes() && len(r.Shares) > 1 {
		name += " " + words.Tenths(run.Share)
	}
	if run.Resizes() && len(r.Costs) > 1 {
		name += " " + run.Cost.Name
	}
	return name
}
