package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/journal"
	"github.com/partwise/partwise/models"
)

// view lays out the points of a command that solves many.
type view interface {
	result() *result
	figure([]panel) *chart.Figure
}

// views is the table of those commands.
var views = map[string]func([]layout, [][]models.Point) view{
	"curve": newGallery,
	"sweep": newTables,
}

// findings are what became of the points of a sweep.
type findings struct {
	view        func([]layout, [][]models.Point) view
	layouts     []layout
	points      [][]models.Point // of each study all, done or not
	shard       journal.Shard
	held        int    // points of the shard
	missing     int    // those of them that are not solved
	journal     string // the file that remembers them; "" for none
	interrupted bool
}

func newFindings(command string, layouts []layout, shard journal.Shard) *findings {
	f := &findings{view: views[command], layouts: layouts, shard: shard}
	total := 0
	for _, l := range layouts {
		n := len(l.Series) * l.Loads
		f.points = append(f.points, make([]models.Point, n))
		total += n
	}
	for i := range total {
		if shard.Holds(i) {
			f.held++
		}
	}
	f.missing = f.held
	return f
}

// add takes point i of study k.
func (f *findings) add(k, i int, p *models.Point) {
	f.points[k][i] = *p
	if p.Err == nil {
		f.missing--
	}
}

// take takes what a journal remembers, without the points that failed if they are to be tried again.
func (f *findings) take(records map[int]journal.Record, again bool) error {
	first := 0
	for k := range f.points {
		for i := range f.points[k] {
			r, ok := records[first+i]
			if !ok || r.Error != "" && again {
				continue
			}
			p, err := point(r)
			if err != nil {
				return fmt.Errorf("point %d: %w", r.Point, err)
			}
			f.add(k, i, &p)
		}
		first += len(f.points[k])
	}
	return nil
}

// todo returns the points of study k that are to be solved.
func (f *findings) todo(k int) []int {
	first := 0
	for j := range k {
		first += len(f.points[j])
	}
	todo := []int{}
	for i := range f.points[k] {
		if !f.points[k][i].Done && f.shard.Holds(first+i) {
			todo = append(todo, i)
		}
	}
	return todo
}

// failures returns why points failed, in their order.
func (f *findings) failures() []string {
	var all []string
	for _, points := range f.points {
		for _, p := range points {
			if p.Err != nil {
				all = append(all, p.Err.Error())
			}
		}
	}
	return all
}

// write writes the whole result.
func (f *findings) write(inv *invocation, d drawing) error {
	v := f.view(f.layouts, f.points)
	if err := inv.emit(v.result()); err != nil {
		return err
	}
	if !d.wanted() {
		return nil
	}
	return inv.draw(d.picture, v.figure(d.panels))
}

// incomplete writes what there is, to standard output or to a file whose name says that it is not all, and returns what
// is wrong. Of a shard there is the journal only.
func (f *findings) incomplete(inv *invocation) error {
	where, failures := f.journal, f.failures()
	if f.shard.Count == 0 {
		r := f.view(f.layouts, f.points).result()
		if f.interrupted {
			r.json.Add("interrupted", true)
		}
		r.json.Add("missing_points", f.missing)
		if len(failures) > 0 {
			r.json.Add("failed", failures)
		}
		r.notes = nil
		inv.partial()
		if err := inv.emit(r); err != nil {
			return err
		}
		if where = inv.output; where == "" {
			where = "the output"
		}
	}
	e := &exitError{code: exitIncomplete}
	if f.journal != "" {
		e.hint = "--resume goes on from there"
	}
	holds := fmt.Sprintf("%s holds %d of %d points", where, f.held-f.missing, f.held)
	switch {
	case f.interrupted:
		e.code, e.err = exitInterrupted, errors.New("interrupted: "+holds)
	case len(failures) == 0:
		e.err = errors.New("incomplete: " + holds)
	default:
		e.err = fmt.Errorf("incomplete: %s, %d failed:%s", holds, len(failures), listed(failures))
	}
	return e
}

// listed puts lines under a message.
func listed(lines []string) string {
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

// verdict tells of doubts about points, and of there being no stable one.
func (f *findings) verdict(inv *invocation) error {
	stable, total := false, 0
	for k := range f.points {
		l := &f.layouts[k]
		for i := range l.Series {
			if text := thrashing(l.solved(f.points[k], i)); text != "" {
				inv.warn("%s: %s", l.Series[i].Name, text)
			}
		}
		for i := range f.points[k] {
			p := &f.points[k][i]
			total++
			stable = stable || p.Decision.Stable()
			f.doubts(inv, p)
		}
	}
	if !stable {
		return &exitError{
			code: exitUnstable,
			err:  fmt.Errorf("no policy is stable at any of the %d points", total),
			hint: "loads are relative to the capacity of the reference; dynamic partitioning is stable below load 1 of its own",
		}
	}
	return nil
}

// doubts tells of the solver's doubts about a point.
func (f *findings) doubts(inv *invocation, p *models.Point) {
	for _, r := range p.Decision.Results {
		if !r.Measures.Stable {
			continue
		}
		for _, w := range r.Measures.Diagnostics.Warnings {
			inv.warn("%s at load %s, %v: %v", p.Series, loadText(p.Load), r.Policy, w)
		}
	}
}
