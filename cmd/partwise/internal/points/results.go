package points

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/solution"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/sweep"
	"github.com/partwise/partwise/models/words"
)

// Results are what became of the points of studies.
type Results struct {
	layout
	*sweep.Points
	view        *View
	journal     string // the file that remembers the points; "" for none
	Hint        string // what can be done about missing points, where there is no journal
	interrupted bool
	readings    []string // what holds if only the resized jobs stop
}

// layout is what a journal holds of a run beside the points.
type layout struct {
	Command string   `json:"command"`
	Studies []*Study `json:"studies"`
}

// points returns the studies without what results say of them beside the points; nil stands for a study without a layout.
func (l *layout) points() (all []*sweep.Study) {
	for _, s := range l.Studies {
		if s == nil {
			s = &Study{}
		}
		all = append(all, s.Study)
	}
	return all
}

// newResults returns results of which no point is known yet, with room for the points of all studies in their order.
func newResults(l layout, view *View, shard sweep.Shard) (*Results, error) {
	points, err := sweep.NewPoints(l.points(), shard)
	return &Results{layout: l, Points: points, view: view}, err
}

// Restored returns the results that a journal holds of a command in views; table reads the policies.
func Restored(table policy.Table, c *sweep.Contents, views map[string]*View) (*Results, error) {
	var l layout
	if err := json.Unmarshal(c.Plan.Layout, &l); err != nil {
		return nil, err
	}
	if views[l.Command] == nil {
		return nil, fmt.Errorf("holds the points of %q, which this program does not know", l.Command)
	}
	points, err := sweep.Restored(table, l.points(), c)
	return &Results{layout: l, Points: points, view: views[l.Command]}, err
}

// Read says what holds if only the resized jobs stop, from points that were also solved for this assumption: the points of shards.
func (r *Results) Read() {
	for _, s := range r.layout.Studies {
		r.readings = append(r.readings, solution.ReadingTexts(s.Readings(r.reads()))...)
	}
}

// reads reports whether a result says what holds if only the resized jobs stop.
func (r *Results) reads() bool { return r.Command == "curve" }

// Write writes the result, when all points are known, with its notes, and draws it if --plot asks for it.
func (r *Results) Write(inv *cli.Invocation, d Drawing) error {
	out := r.view.newResult(r.layout.Studies)
	out.Notes = append(out.Notes, r.readings...)
	if inv.Summary {
		out.Short = r.summary()
	}
	if err := inv.Emit(out); err != nil {
		return err
	}
	if inv.Format == "csv" || inv.Format == "json" {
		for _, text := range r.readings {
			inv.Notef("%s", text)
		}
	}
	if !d.Wanted() {
		return nil
	}
	return input.Draw(inv, d.Picture, Figure(r.layout.Studies, d.panels))
}

// summary returns the sentences of the summary: what each study says, what holds if only the resized jobs stop, and how certain
// all is.
func (r *Results) summary() (all []string) {
	notes := r.view.Notes
	if r.view.Short != nil {
		notes = r.view.Short
	}
	var least *decide.Solved
	for _, s := range r.layout.Studies {
		all = append(all, notes(s)...)
		if r.view.Short != nil {
			all = append(all, s.RigidSentence(), s.AssumptionSentence())
		}
		points, _ := s.All()
		if _, one := decide.LeastAccuratePoint(points); one != nil {
			least = one
		}
	}
	all = append(all, r.readings...)
	if r.view.Short == nil {
		all = append(all, solution.Certainty(least))
	}
	return words.NonEmpty(all...)
}

// Incomplete writes what there is, to standard output or to a file whose name says that it is not all, and returns what
// is wrong. Of a shard there is the journal only.
func (r *Results) Incomplete(inv *cli.Invocation) error {
	where, failed := r.journal, Failed(r.All())
	if r.Shard.Count == 0 {
		out := r.view.newResult(r.layout.Studies)
		out.Add("interrupted", output.When(r.interrupted, true))
		out.Add("missing_points", r.Missing)
		out.Add("failed", output.When(len(failed) > 0, words.Texts(failed, error.Error)))
		out.Notes = nil
		inv.MarkPartial()
		if err := inv.Emit(out); err != nil {
			return err
		}
		if where = inv.Output; where == "" {
			where = "the output"
		}
	}
	next := r.Hint
	if r.journal != "" {
		next = "--resume goes on from there"
	}
	holds := fmt.Sprintf("%s holds %d of %d points", where, r.Total-r.Missing, r.Total)
	switch {
	case r.interrupted:
		return fault.Hint(fault.ExitInterrupted, next, errors.New("interrupted: "+holds))
	case len(failed) == 0:
		return fault.Hint(fault.ExitIncomplete, next, errors.New("incomplete: "+holds))
	}
	holds += fmt.Sprintf(", %d failed", len(failed))
	if len(failed) < r.Missing { // other points may be solved
		return fault.Hint(fault.ExitIncomplete, next, errors.New("incomplete: "+holds+listed(failed)))
	}
	return FailedError("incomplete: "+holds, failed, next)
}

// Conclude prints the warnings about points, and returns an error if no point is stable.
func (r *Results) Conclude(inv *cli.Invocation) error {
	stable := false
	for _, s := range r.layout.Studies {
		for i := range s.Series {
			if text := sweep.Thrashing(s.Solved(i)); text != "" {
				inv.Warnf("%s: %s", s.Series[i].Name, text)
			}
		}
		for i := range s.Points {
			stable = stable || s.Points[i].Decision.Stable()
			for _, text := range SolverWarnings(&s.Points[i]) {
				inv.Warnf("%s", text)
			}
		}
	}
	if !stable {
		hint := "dynamic partitioning is stable below load 1"
		if len(r.layout.Studies) > 1 || len(r.layout.Studies[0].Series) > 1 {
			hint = "loads are relative to the capacity of the reference; dynamic partitioning is stable below load 1 of its own"
		}
		return fault.Hint(fault.ExitUnstable, hint,
			errors.New("no policy is stable at any point"))
	}
	return nil
}

// SolverWarnings returns the warnings of the solver about the stable policies of a point.
func SolverWarnings(p *decide.Point) (all []string) {
	for _, one := range p.Decision.Results {
		if one.Measures.Stable {
			for _, w := range one.Measures.Diagnostics.Warnings {
				all = append(all, fmt.Sprintf("%s at load %s, %v: %v", p.Series, words.Load(p.Load), one.Policy, w))
			}
		}
	}
	return all
}

// Fits returns an error that wraps a *[parallel.LimitError] if what a journal holds takes more memory than it may.
func Fits(inv *cli.Invocation, name string) error {
	const copies = 4 // the text, the records in it, and the points that they are
	info, err := os.Stat(name)
	if err != nil {
		return nil // the reader of the points says so
	}
	if err := parallel.Check("its content", parallel.Memory, copies*float64(info.Size()), inv.Memory.Limit()); err != nil {
		return fault.Hint(fault.ExitTooLarge, input.MoreMemory(err), fmt.Errorf("%s: %w", name, err))
	}
	return nil
}
