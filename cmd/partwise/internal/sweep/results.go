package sweep

import (
	"errors"
	"fmt"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/journal"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/record"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/policy"
)

// view lays out the points of a command that solves many.
type view interface {
	result() *cli.Result
	figure([]PanelKind) *chart.Figure
}

// views is the table of those commands.
var views = map[string]func([]Layout, [][]decide.Point) view{
	"curve": newCurveView,
	"sweep": newSweepView,
}

// results are what became of the points of a sweep.
type results struct {
	command     string
	view        func([]Layout, [][]decide.Point) view
	layouts     []Layout
	points      [][]decide.Point // of each study all, done or not
	shard       journal.Shard
	total       int    // points of the shard
	missing     int    // those of them that are not solved
	journal     string // the file that remembers them; "" for none
	interrupted bool
	readings    []string // what holds if only the resized jobs stop
}

func newResults(command string, layouts []Layout, shard journal.Shard) *results {
	r := &results{command: command, view: views[command], layouts: layouts, shard: shard}
	total := 0
	for _, l := range layouts {
		n := len(l.Series) * l.Loads
		r.points = append(r.points, make([]decide.Point, n))
		total += n
	}
	for i := range total {
		if shard.Holds(i) {
			r.total++
		}
	}
	r.missing = r.total
	return r
}

// add takes point i of study k.
func (r *results) add(k, i int, p *decide.Point) {
	r.points[k][i] = *p
	if p.Err == nil {
		r.missing--
	}
}

// restore takes what a journal remembers, without the points that failed if they are to be tried again.
func (r *results) restore(table policy.Table, records map[int]journal.Record, again bool) error {
	first := 0
	for k := range r.points {
		for i := range r.points[k] {
			out, ok := records[first+i]
			if !ok || out.Error != "" && again {
				continue
			}
			p, err := record.Point(table, out)
			if err != nil {
				return fmt.Errorf("point %d: %w", out.Point, err)
			}
			r.add(k, i, &p)
		}
		first += len(r.points[k])
	}
	return nil
}

// todo returns the points of study k that are to be solved.
func (r *results) todo(k int) []int {
	first := 0
	for j := range k {
		first += len(r.points[j])
	}
	todo := []int{}
	for i := range r.points[k] {
		if !r.points[k][i].Done && r.shard.Holds(first+i) {
			todo = append(todo, i)
		}
	}
	return todo
}

// failures returns why points failed, in their order.
func (r *results) failures() []string {
	var all []string
	for _, points := range r.points {
		for _, p := range points {
			if p.Err != nil {
				all = append(all, p.Err.Error())
			}
		}
	}
	return all
}

// write writes the whole result.
func (r *results) write(inv *cli.Invocation, d drawing) error {
	v := r.view(r.layouts, r.points)
	out := v.result()
	out.Notes = append(out.Notes, r.readings...)
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
	return inv.Draw(d.Picture, v.figure(d.panels))
}

// incomplete writes what there is, to standard output or to a file whose name says that it is not all, and returns what
// is wrong. Of a shard there is the journal only.
func (r *results) incomplete(inv *cli.Invocation) error {
	where, failures := r.journal, r.failures()
	if r.shard.Count == 0 {
		out := r.view(r.layouts, r.points).result()
		if r.interrupted {
			out.JSON.Add("interrupted", true)
		}
		out.JSON.Add("missing_points", r.missing)
		if len(failures) > 0 {
			out.JSON.Add("failed", failures)
		}
		out.Notes = nil
		inv.MarkPartial()
		if err := inv.Emit(out); err != nil {
			return err
		}
		if where = inv.Output; where == "" {
			where = "the output"
		}
	}
	e := &cli.Error{Code: cli.ExitIncomplete}
	if r.journal != "" {
		e.Hint = "--resume goes on from there"
	}
	holds := fmt.Sprintf("%s holds %d of %d points", where, r.total-r.missing, r.total)
	switch {
	case r.interrupted:
		e.Code, e.Err = cli.ExitInterrupted, errors.New("interrupted: "+holds)
	case len(failures) == 0:
		e.Err = errors.New("incomplete: " + holds)
	default:
		e.Err = fmt.Errorf("incomplete: %s, %d failed:%s", holds, len(failures), Listed(failures))
	}
	return e
}

// Listed puts lines under a message.
func Listed(lines []string) string {
	const most = 20
	var b strings.Builder
	for i, l := range lines {
		if i == most {
			fmt.Fprintf(&b, "\n  and %d more", len(lines)-most)
			break
		}
		b.WriteString("\n  " + l)
	}
	return b.String()
}

// conclude prints the warnings about points, and returns an error if none is stable.
func (r *results) conclude(inv *cli.Invocation) error {
	stable, total := false, 0
	for k := range r.points {
		l := &r.layouts[k]
		for i := range l.Series {
			if text := ThrashingSentence(l.solved(r.points[k], i)); text != "" {
				inv.Warnf("%s: %s", l.Series[i].Name, text)
			}
		}
		for i := range r.points[k] {
			p := &r.points[k][i]
			total++
			stable = stable || p.Decision.Stable()
			r.warnPoint(inv, p)
		}
	}
	if !stable {
		return &cli.Error{
			Code: cli.ExitUnstable,
			Err:  fmt.Errorf("no policy is stable at any of the %d points", total),
			Hint: "loads are relative to the capacity of the reference; dynamic partitioning is stable below load 1 of its own",
		}
	}
	return nil
}

// warnPoint prints the solver's warnings about a point.
func (r *results) warnPoint(inv *cli.Invocation, p *decide.Point) {
	for _, out := range p.Decision.Results {
		if !out.Measures.Stable {
			continue
		}
		for _, w := range out.Measures.Diagnostics.Warnings {
			inv.Warnf("%s at load %s, %v: %v", p.Series, output.Load(p.Load), out.Policy, w)
		}
	}
}
