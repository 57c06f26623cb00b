package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/partwise/partwise/cmd/partwise/internal/journal"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
)

// carryOut solves the points that are not known yet and writes the result, or as much of it as there is.
func (c *campaign) carryOut(inv *invocation) error {
	if c.slurm > 0 {
		return c.writeSlurm(inv)
	}
	plan, err := c.plan()
	if err != nil {
		return err
	}
	final := c.shard.File(inv.output)
	if c.shard.Count > 0 && c.resume && whole(final, plan) {
		inv.note("%s is complete", final)
		return nil
	}
	j, err := c.open(inv, plan, final)
	if err != nil {
		return err
	}
	f, err := c.solve(inv, plan, j)
	switch {
	case err != nil:
		return errors.Join(err, abandon(j))
	case f.missing > 0:
		return errors.Join(f.incomplete(inv), closed(j))
	case c.shard.Count > 0:
		if err := j.Rename(final); err != nil {
			return writing(final, err)
		}
		inv.note("wrote %s: %d points", final, f.held)
		return nil
	}
	if err := f.write(inv, c.drawing); err != nil {
		return errors.Join(err, closed(j))
	}
	if j != nil {
		if err := j.Remove(); err != nil {
			return writing(j.File, err)
		}
		if c.resume { // of the run that is now at its end
			_ = os.Remove(inv.output + partialEnding)
		}
	}
	return f.verdict(inv)
}

// whole reports whether a file is that of the plan's shard, with a result of every point.
func whole(file string, plan journal.Plan) bool {
	found, err := journal.Read(file)
	return err == nil && found.Plan.Shard == plan.Shard && len(found.Missing()) == 0 &&
		len(journal.Differences(found.Plan.Configuration, plan.Configuration)) == 0
}

// open opens the journal, nil if there is none.
func (c *campaign) open(inv *invocation, plan journal.Plan, final string) (*journal.Journal, error) {
	if !c.keeps(inv) {
		return nil, nil
	}
	file := final + ".journal"
	j, err := journal.Open(file, plan, c.resume)
	var exists *journal.ExistsError
	var changed *journal.ChangedError
	var damage *journal.DamageError
	switch {
	case errors.As(err, &exists):
		return nil, usage("--resume goes on with it; remove it to begin anew", "%w", err)
	case errors.As(err, &changed):
		return nil, &exitError{code: exitInput, err: err, hint: "undo the changes, or remove " + file + " to begin anew"}
	case errors.As(err, &damage):
		return nil, &exitError{code: exitInput, err: err, hint: "remove it to begin anew"}
	case err != nil:
		return nil, writing(file, err)
	}
	return j, nil
}

// writing says which file could not be written.
func writing(file string, err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("writing %s: %w", file, err)
}

// closed closes a journal that is gone on with later.
func closed(j *journal.Journal) error {
	if j == nil {
		return nil
	}
	if err := j.Close(); err != nil {
		return writing(j.File, err)
	}
	return nil
}

// abandon closes a journal after an error of the whole sweep, and leaves none behind that says nothing.
func abandon(j *journal.Journal) error {
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
func (c *campaign) solve(inv *invocation, plan journal.Plan, j *journal.Journal) (*findings, error) {
	f := newFindings(c.command, c.layouts, plan.Shard)
	if j != nil {
		f.journal = j.File
		if err := f.take(j.Records, true); err != nil {
			return nil, &exitError{code: exitInput, err: fmt.Errorf("%s: %w", j.File, err)}
		}
		if known := f.held - f.missing; known > 0 {
			inv.note("%s holds %d of %d points", j.File, known, f.held)
		}
	}
	step, clear := inv.progress(f.missing, "solving")
	defer clear()
	done, first := 0, 0
	for k, w := range c.sweeps {
		w.Workers, w.Todo = inv.workers, f.todo(k)
		w.Each = func(i int, p *models.Point) error {
			r := newRecord(first+i, p)
			if p.Err != nil && fatal(p.Err) {
				return methodError(c.settings.Method, p.Err)
			}
			if j != nil {
				if err := j.Append(r); err != nil {
					return writing(j.File, err)
				}
			}
			if r.Error != "" { // as it would be read back, and where a value cannot be kept
				p.Err = errors.New(r.Error)
			}
			f.add(k, i, p)
			if p.Err != nil {
				clear()
				fmt.Fprintf(inv.stderr, "error: %v\n", p.Err)
				if c.failFast {
					return errFailFast
				}
			}
			done++
			step(done)
			return nil
		}
		_, err := w.Solve(inv.ctx)
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

// fatal is an error about the command line, which every point would have.
func fatal(err error) bool {
	return errors.Is(err, markov.ErrMethod) || errors.Is(err, models.ErrNoChain)
}
