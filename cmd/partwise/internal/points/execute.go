package points

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/models/words"
	"os"
	"runtime"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/journal"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/solution"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
)

// headroom is memory that is never touched, and so takes none, but counts as in use: garbage is collected once there is
// as much of it. Solves of some milliseconds leave a few blocks each, which would be collected more than a hundred times
// in a study. With several times as much, new blocks would rarely be in the processor's cache.
const headroom = 8 << 20

// Execute solves the points of studies that are not known yet and writes the result, or as much of it as there is.
func (r *Run) Execute(inv *cli.Invocation, view *View, studies []*Study) error {
	if r.script != nil {
		return r.writeScript(inv)
	}
	found := newResults(layout{inv.Command, studies}, view, r.shard)
	text, err := json.Marshal(found.layout)
	if err != nil {
		return err
	}
	plan := journal.Plan{Configuration: r.config, Layout: text, Points: len(found.all()), Shard: r.shard}
	final := r.shard.File(inv.Output)
	if r.shard.Count > 0 && r.resume {
		switch complete, err := journal.IsComplete(final, plan); {
		case err != nil:
			return journalError(err, final)
		case complete:
			inv.Notef("%s is complete", final)
			return nil
		}
	}
	j, err := r.open(inv, plan, final)
	if err != nil {
		return err
	}
	defer j.Close()
	spare := make([]byte, headroom)
	defer runtime.KeepAlive(spare)
	switch err := r.solve(inv, found, j); {
	case err != nil:
		j.Abandon()
		return err
	case found.Missing > 0:
		return errors.Join(found.Incomplete(inv), output.WritingError(final+journalEnding, j.Close()))
	case r.shard.Count > 0:
		if err := j.Rename(final); err != nil {
			return output.WritingError(final, err)
		}
		inv.Notef("wrote %s: %s", final, words.Count(found.total, "point"))
		return nil
	}
	if found.reads() {
		for _, s := range studies {
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
		return output.WritingError(final+journalEnding, err)
	}
	if r.resume { // of the run that is now at its end
		_ = os.Remove(inv.Output + output.PartialEnding)
	}
	return found.Conclude(inv)
}

// open opens the journal of the run, and returns nil if the run keeps no journal.
func (r *Run) open(inv *cli.Invocation, plan journal.Plan, final string) (*journal.Journal, error) {
	if !hasJournal(inv) {
		return nil, nil
	}
	file := final + journalEnding
	if err := Fits(inv, file); err != nil {
		return nil, err
	}
	j, err := journal.Open(file, plan, r.resume)
	return j, journalError(err, file)
}

// journalError returns the error of a journal with what can be done about it.
func journalError(err error, file string) error {
	var exists *journal.ExistsError
	var changed *journal.ChangedError
	var damage *journal.DamageError
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

// solve solves studies one after the other, each with all workers. When it is interrupted, the
// results hold what is done.
func (r *Run) solve(inv *cli.Invocation, found *Results, j *journal.Journal) error {
	if j != nil {
		found.journal = j.File
		if err := found.restore(inv.Table, j.Records, true); err != nil {
			return &fault.Error{Code: fault.ExitInput, Err: fmt.Errorf("%s: %w", j.File, err)}
		}
		if known := found.total - found.Missing; known > 0 {
			inv.Notef("%s holds %d of %d points", j.File, known, found.total)
		}
	}
	step, clear := inv.Progress(found.Missing, "solving")
	defer clear()
	count := 0
	for _, s := range found.Studies {
		w := s.Sweep
		w.Workers, w.Settings, w.Todo = inv.Workers, r.settings, found.todo(s)
		w.Settings.Memory = inv.Memory
		w.Both = found.reads() && r.shard.Count > 0 // for merge, which does not know the systems
		w.Each = func(i int, p *decide.Point) error {
			done := newRecord(s.first+i, p)
			if p.Err != nil && Fatal(p.Err) {
				return input.MethodError(r.settings.Method, p.Err)
			}
			if err := j.Append(done); err != nil {
				return output.WritingError(j.File, err)
			}
			if done.Error != "" { // as it would be read back, and where a value cannot be kept
				p.Err = errors.New(done.Error)
			}
			found.add(s, i, p)
			if p.Err != nil {
				inv.Errorf("%v", p.Err)
			}
			count++
			step(count)
			return nil
		}
		_, err := w.Solve(inv.Context)
		if found.interrupted = errors.Is(err, context.Canceled); found.interrupted {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Fatal reports whether an error is about the command line: every point would have it.
func Fatal(err error) bool {
	return errors.Is(err, markov.ErrMethod) || errors.Is(err, models.ErrNoChain) || errors.As(err, new(*models.RigidityError))
}
