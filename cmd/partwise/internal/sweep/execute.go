package sweep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/journal"
	"github.com/partwise/partwise/cmd/partwise/internal/model"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/record"
	"github.com/partwise/partwise/cmd/partwise/internal/solution"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
)

// headroom is memory that is never touched, and so takes none, but counts as in use: garbage is collected once there is
// as much of it. Solves of some milliseconds leave a few blocks each, which would be collected more than a hundred times
// in a study.
const headroom = 32 << 20

// execute solves the points that are not known yet and writes the result, or as much of it as there is.
func (r *run) execute(inv *cli.Invocation) error {
	if r.slurm > 0 {
		return r.writeSlurm(inv)
	}
	plan, err := r.plan()
	if err != nil {
		return err
	}
	final := r.shard.File(inv.Output)
	if r.shard.Count > 0 && r.resume {
		switch complete, err := isComplete(final, plan); {
		case err != nil:
			return err
		case complete:
			inv.Notef("%s is complete", final)
			return nil
		}
	}
	j, err := r.open(inv, plan, final)
	if err != nil {
		return err
	}
	spare := make([]byte, headroom)
	defer runtime.KeepAlive(spare)
	found, err := r.solve(inv, plan, j)
	switch {
	case err != nil:
		return errors.Join(err, abandonJournal(j))
	case found.missing > 0:
		return errors.Join(found.incomplete(inv), closeJournal(j))
	case r.shard.Count > 0:
		if err := j.Rename(final); err != nil {
			return cli.WritingError(final, err)
		}
		inv.Notef("wrote %s: %s", final, output.Count(found.total, "point"))
		return nil
	}
	if r.reads() {
		for k, w := range r.sweeps {
			texts, err := solution.Readings(inv.Context, w, found.points[k])
			if err != nil {
				return errors.Join(err, closeJournal(j))
			}
			found.readings = append(found.readings, texts...)
		}
	}
	if err := found.write(inv, r.drawing); err != nil {
		return errors.Join(err, closeJournal(j))
	}
	if j != nil {
		if err := j.Remove(); err != nil {
			return cli.WritingError(j.File, err)
		}
		if r.resume { // of the run that is now at its end
			_ = os.Remove(inv.Output + cli.PartialEnding)
		}
	}
	return found.conclude(inv)
}

// reads reports whether a result says what holds if only the resized jobs stop.
func (r *run) reads() bool { return r.command == "curve" }

// isComplete reports whether a file is that of the plan's shard, with a result of every point. A file of another
// configuration, or of no sweep, is an error: to resume is not to replace it.
func isComplete(file string, plan journal.Plan) (bool, error) {
	held, err := journal.Read(file)
	var damage *journal.DamageError
	switch {
	case errors.As(err, &damage):
		return false, &cli.Error{Code: cli.ExitInput, Err: err, Hint: "remove it to begin anew"}
	case err != nil:
		return false, nil // the shard is not finished
	}
	if changes := journal.Differences(held.Plan.Configuration, plan.Configuration); len(changes) > 0 {
		return false, &cli.Error{Code: cli.ExitInput, Err: &journal.ChangedError{File: file, Changes: changes},
			Hint: "undo the changes, or remove " + file + " to begin anew"}
	}
	return held.Plan.Shard == plan.Shard && len(held.Missing()) == 0, nil
}

// open opens the journal, nil if there is none.
func (r *run) open(inv *cli.Invocation, plan journal.Plan, final string) (*journal.Journal, error) {
	if !hasJournal(inv) {
		return nil, nil
	}
	file := final + journalEnding
	if err := fits(inv, file); err != nil {
		return nil, err
	}
	j, err := journal.Open(file, plan, r.resume)
	var exists *journal.ExistsError
	var changed *journal.ChangedError
	var damage *journal.DamageError
	switch {
	case errors.As(err, &exists):
		return nil, cli.Usagef("--resume goes on with it; remove it to begin anew", "%w", err)
	case errors.As(err, &changed):
		return nil, &cli.Error{Code: cli.ExitInput, Err: err, Hint: "undo the changes, or remove " + file + " to begin anew"}
	case errors.As(err, &damage):
		return nil, &cli.Error{Code: cli.ExitInput, Err: err, Hint: "remove it to begin anew"}
	case err != nil:
		return nil, cli.WritingError(file, err)
	}
	return j, nil
}

// closeJournal closes a journal that is gone on with later.
func closeJournal(j *journal.Journal) error {
	if j == nil {
		return nil
	}
	if err := j.Close(); err != nil {
		return cli.WritingError(j.File, err)
	}
	return nil
}

// abandonJournal closes a journal after an error of the whole sweep, and leaves none behind that says nothing.
func abandonJournal(j *journal.Journal) error {
	if j == nil {
		return nil
	}
	_ = j.Close() // what went wrong is being told
	if held, err := journal.Read(j.File); err == nil && len(held.Records) == 0 {
		return os.Remove(j.File)
	}
	return nil
}

var errFailFast = errors.New("a point failed")

// solve solves studies one after the other, each with all workers. When it is interrupted, or a point failed that is to
// end it, it returns what is done.
func (r *run) solve(inv *cli.Invocation, plan journal.Plan, j *journal.Journal) (*results, error) {
	found := newResults(r.command, r.layouts, plan.Shard)
	if j != nil {
		found.journal = j.File
		if err := found.restore(inv.Table, j.Records, true); err != nil {
			return nil, &cli.Error{Code: cli.ExitInput, Err: fmt.Errorf("%s: %w", j.File, err)}
		}
		if known := found.total - found.missing; known > 0 {
			inv.Notef("%s holds %d of %d points", j.File, known, found.total)
		}
	}
	step, clear := inv.Progress(found.missing, "solving")
	defer clear()
	count, first := 0, 0
	for k, w := range r.sweeps {
		w.Workers, w.Settings.Memory, w.Todo = inv.Workers, inv.Memory, found.todo(k)
		w.Both = r.reads() && r.shard.Count > 0 // for merge, which does not know the systems
		w.Each = func(i int, p *decide.Point) error {
			done := record.New(first+i, p)
			if p.Err != nil && Fatal(p.Err) {
				return model.MethodError(r.settings.Method, p.Err)
			}
			if j != nil {
				if err := j.Append(done); err != nil {
					return cli.WritingError(j.File, err)
				}
			}
			if done.Error != "" { // as it would be read back, and where a value cannot be kept
				p.Err = errors.New(done.Error)
			}
			found.add(k, i, p)
			if p.Err != nil {
				inv.Errorf("%v", p.Err)
				if r.failFast {
					return errFailFast
				}
			}
			count++
			step(count)
			return nil
		}
		_, err := w.Solve(inv.Context)
		switch {
		case errors.Is(err, context.Canceled):
			found.interrupted = true
			return found, nil
		case errors.Is(err, errFailFast):
			return found, nil
		case err != nil:
			return nil, err
		}
		first += len(found.points[k])
	}
	return found, nil
}

// Fatal is an error about the command line, which every point would have.
func Fatal(err error) bool {
	return errors.Is(err, markov.ErrMethod) || errors.Is(err, models.ErrNoChain)
}
