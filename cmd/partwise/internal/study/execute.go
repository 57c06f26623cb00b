package study

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/journal"
	"github.com/partwise/partwise/cmd/partwise/internal/model"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
)

// execute solves the points that are not known yet and writes the result, or as much of it as there is.
func (c *run) execute(inv *cli.Invocation) error {
	if c.slurm > 0 {
		return c.writeSlurm(inv)
	}
	plan, err := c.plan()
	if err != nil {
		return err
	}
	final := c.shard.File(inv.Output)
	if c.shard.Count > 0 && c.resume && isComplete(final, plan) {
		inv.Notef("%s is complete", final)
		return nil
	}
	j, err := c.open(inv, plan, final)
	if err != nil {
		return err
	}
	f, err := c.solve(inv, plan, j)
	switch {
	case err != nil:
		return errors.Join(err, abandonJournal(j))
	case f.missing > 0:
		return errors.Join(f.incomplete(inv), closeJournal(j))
	case c.shard.Count > 0:
		if err := j.Rename(final); err != nil {
			return cli.WritingError(final, err)
		}
		inv.Notef("wrote %s: %d points", final, f.total)
		return nil
	}
	if err := f.write(inv, c.drawing); err != nil {
		return errors.Join(err, closeJournal(j))
	}
	if j != nil {
		if err := j.Remove(); err != nil {
			return cli.WritingError(j.File, err)
		}
		if c.resume { // of the run that is now at its end
			_ = os.Remove(inv.Output + cli.PartialEnding)
		}
	}
	return f.conclude(inv)
}

// isComplete reports whether a file is that of the plan's shard, with a result of every point.
func isComplete(file string, plan journal.Plan) bool {
	found, err := journal.Read(file)
	return err == nil && found.Plan.Shard == plan.Shard && len(found.Missing()) == 0 &&
		len(journal.Differences(found.Plan.Configuration, plan.Configuration)) == 0
}

// open opens the journal, nil if there is none.
func (c *run) open(inv *cli.Invocation, plan journal.Plan, final string) (*journal.Journal, error) {
	if !c.hasJournal(inv) {
		return nil, nil
	}
	file := final + ".journal"
	j, err := journal.Open(file, plan, c.resume)
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
	if found, err := journal.Read(j.File); err == nil && len(found.Records) == 0 {
		return os.Remove(j.File)
	}
	return nil
}

var errFailFast = errors.New("a point failed")

// solve solves studies one after the other, each with all workers. When it is interrupted, or a point failed that is to
// end it, it returns what is done.
func (c *run) solve(inv *cli.Invocation, plan journal.Plan, j *journal.Journal) (*results, error) {
	f := newResults(c.command, c.layouts, plan.Shard)
	if j != nil {
		f.journal = j.File
		if err := f.restore(inv.Table, j.Records, true); err != nil {
			return nil, &cli.Error{Code: cli.ExitInput, Err: fmt.Errorf("%s: %w", j.File, err)}
		}
		if known := f.total - f.missing; known > 0 {
			inv.Notef("%s holds %d of %d points", j.File, known, f.total)
		}
	}
	step, clear := inv.Progress(f.missing, "solving")
	defer clear()
	done, first := 0, 0
	for k, w := range c.sweeps {
		w.Workers, w.Todo = inv.Workers, f.todo(k)
		w.Each = func(i int, p *decide.Point) error {
			r := newRecord(first+i, p)
			if p.Err != nil && Fatal(p.Err) {
				return model.MethodError(c.settings.Method, p.Err)
			}
			if j != nil {
				if err := j.Append(r); err != nil {
					return cli.WritingError(j.File, err)
				}
			}
			if r.Error != "" { // as it would be read back, and where a value cannot be kept
				p.Err = errors.New(r.Error)
			}
			f.add(k, i, p)
			if p.Err != nil {
				clear()
				fmt.Fprintf(inv.Stderr, "error: %v\n", p.Err)
				if c.failFast {
					return errFailFast
				}
			}
			done++
			step(done)
			return nil
		}
		_, err := w.Solve(inv.Context)
		switch {
		case errors.Is(err, context.Canceled):
			f.interrupted = true
			return f, nil
		case errors.Is(err, errFailFast):
			return f, nil
		case err != nil:
			return nil, err
		}
		first += len(f.points[k])
	}
	return f, nil
}

// Fatal is an error about the command line, which every point would have.
func Fatal(err error) bool {
	return errors.Is(err, markov.ErrMethod) || errors.Is(err, models.ErrNoChain)
}
