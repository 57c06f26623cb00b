package points

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"runtime"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/solution"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/sweep"
	"github.com/partwise/partwise/models/words"
)

// Execute solves the points of studies that are not known yet and writes the result, or as much of it as there is.
func (r *Run) Execute(inv *cli.Invocation, view *View, studies []*Study) error {
	if r.script != nil {
		return r.writeScript(inv)
	}
	found, err := newResults(layout{inv.Command, studies}, view, r.shard)
	if err != nil {
		return err
	}
	text, err := json.Marshal(found.layout)
	if err != nil {
		return err
	}
	plan := sweep.Plan{Configuration: r.config, Layout: text, Points: len(found.All()), Shard: r.shard}
	final := r.shard.File(inv.Output)
	if complete, err := r.isComplete(final, plan); complete || err != nil {
		if complete {
			inv.Notef("%s is complete", final)
		}
		return err
	}
	j, err := r.open(inv, plan, final)
	if err != nil {
		return err
	}
	defer j.Close()
	defer reserveHeadroom()()
	if err := r.solve(inv, found, j); err != nil {
		j.Abandon()
		return err
	}
	switch {
	case found.Missing > 0:
		return errors.Join(found.Incomplete(inv), output.WritingError(final+journalEnding, j.Close()))
	case r.shard.Count > 0:
		if err := j.Rename(final); err != nil {
			return output.WritingError(final, err)
		}
		inv.Notef("wrote %s: %s", final, words.Count(found.Total, "point"))
		return nil
	}
	return r.finish(inv, found, j)
}

// isComplete reports whether --resume finds the file of a shard with all its points.
func (r *Run) isComplete(final string, plan sweep.Plan) (bool, error) {
	if r.shard.Count == 0 || !r.resume {
		return false, nil
	}
	complete, err := sweep.IsComplete(final, plan)
	return complete, journalError(err, final)
}

// finish writes the result of all points, and removes the journal, which is no longer needed.
func (r *Run) finish(inv *cli.Invocation, found *Results, j *sweep.Journal) error {
	if found.reads() {
		for _, s := range found.layout.Studies {
			texts, err := solution.Readings(inv.Context, s.Sweep, s.Points)
			if err != nil {
				return err
			}
			found.readings = append(found.readings, texts...)
		}
	}
	if err := found.Write(inv, r.Drawing); err != nil {
		return err
	}
	if err := j.Remove(); err != nil {
		return output.WritingError(inv.Output+journalEnding, err)
	}
	return found.Conclude(inv)
}

// headroom is memory that is never touched, and so takes none, but counts as in use: garbage is collected once there is
// as much of it. Solves of some milliseconds leave a few blocks each, which would be collected more than a hundred times
// in a study. With several times as much, new blocks would rarely be in the processor's cache.
const headroom = 8 << 20

// reserveHeadroom returns a function that gives the headroom back.
func reserveHeadroom() (free func()) {
	spare := make([]byte, headroom)
	return func() { runtime.KeepAlive(spare) }
}

// open opens the journal of the run, and returns nil if the run keeps no journal.
func (r *Run) open(inv *cli.Invocation, plan sweep.Plan, final string) (*sweep.Journal, error) {
	if !hasJournal(inv) {
		return nil, nil
	}
	file := final + journalEnding
	if err := Fits(inv, file); err != nil {
		return nil, err
	}
	j, err := sweep.OpenJournal(file, plan, r.resume)
	return j, journalError(err, file)
}

// journalError returns the error of a journal with what can be done about it.
func journalError(err error, file string) error {
	var exists *sweep.ExistsError
	var changed *sweep.ChangedError
	var damage *sweep.DamageError
	switch {
	case errors.As(err, &exists):
		return fault.Usagef("--resume goes on with it; remove it to begin anew", "%w", err)
	case errors.As(err, &changed):
		return fault.Hint(fault.ExitInput, "undo the changes, or remove "+file+" to begin anew", err)
	case errors.As(err, &damage):
		return fault.Hint(fault.ExitInput, "remove it to begin anew", err)
	}
	return output.WritingError(file, err)
}

// solve solves the points that the journal does not hold yet. When it is interrupted, the results hold what is done.
func (r *Run) solve(inv *cli.Invocation, found *Results, j *sweep.Journal) error {
	if j != nil {
		found.journal = j.File
		if err := found.Restore(inv.Table, j.Records, true); err != nil {
			return fault.Failf(fault.ExitInput, "%s: %w", j.File, err)
		}
		switch known := found.Total - found.Missing; {
		case known > 0:
			inv.Notef("%s holds %d of %d points", j.File, known, found.Total)
		case r.resume:
			inv.Notef("nothing to resume: no journal %s with points", j.File)
		}
	}
	step, clear := inv.Progress(found.Missing, "solving")
	defer clear()
	count := 0
	// Points of shards are solved for both readings, because merge does not know the systems.
	how := sweep.Solving{Settings: r.settings, Workers: inv.Workers, Both: found.reads() && r.shard.Count > 0, Journal: j,
		Each: func(p *decide.Point) {
			if p.Err != nil {
				inv.Errorf("%v", p.Err)
			}
			count++
			step(count)
		}}
	how.Settings.Memory = inv.Memory
	err := found.Solve(inv.Context, how)
	switch {
	case errors.Is(err, context.Canceled):
		found.interrupted = true
		return nil
	case err != nil && sweep.Fatal(err):
		return input.MethodError(r.settings.Method, err)
	case errors.As(err, new(*os.PathError)):
		return output.WritingError(found.journal, err)
	}
	return err
}
