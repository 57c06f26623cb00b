package main

import (
	"fmt"
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
)

// mostStudies bounds the studies of one command line.
const mostStudies = 100

// gallery is the curves of one or more studies.
type gallery struct {
	curves  []*curves
	planned int // points, all studies together
}

// result lays out the studies: one as it is, several under each other.
func (g gallery) result() *result {
	if len(g.curves) == 1 {
		return g.curves[0].result()
	}
	r := &result{json: output.Object{{Name: "version", Value: resultVersion}}, csv: [][]string{g.head()}}
	studies := []output.Object{}
	for _, c := range g.curves {
		one := c.result()
		studies = append(studies, one.json[1:]) // the version is that of all
		r.csv = append(r.csv, g.rows(c, one.csv)...)
		for _, t := range one.tables {
			t.Title = c.study.Title + ": " + t.Title
			r.tables = append(r.tables, t)
		}
		for _, note := range one.notes {
			r.notes = append(r.notes, c.study.Title+": "+note)
		}
	}
	r.json.Add("studies", studies)
	return r
}

// head names the columns of all studies: those of the first, then the numbers of partitions that only others have.
func (g gallery) head() []string {
	head := []string{"study"}
	for _, c := range g.curves {
		for _, name := range c.result().csv[0] {
			if !slices.Contains(head, name) {
				head = append(head, name)
			}
		}
	}
	return head
}

// rows puts the rows of a study under the columns of all.
func (g gallery) rows(c *curves, own [][]string) [][]string {
	head := g.head()
	var rows [][]string
	for _, values := range own[1:] {
		row := make([]string, len(head))
		row[0] = c.study.Title
		for j, name := range own[0] {
			row[slices.Index(head, name)] = values[j]
		}
		rows = append(rows, row)
	}
	return rows
}

// interrupted writes what there is: to standard output, or to a file whose name says that it is not all.
func (g gallery) interrupted(inv *invocation) error {
	r := g.result()
	r.json.Add("interrupted", true)
	r.notes = nil
	if inv.output != "" {
		inv.output += ".partial"
	}
	if err := inv.emit(r); err != nil {
		return err
	}
	where := "the output"
	if inv.output != "" {
		where = inv.output
	}
	done := 0
	for _, c := range g.curves {
		done += len(c.points)
	}
	return fail(exitInterrupted, "interrupted: %s holds %d of %d points", where, done, g.planned)
}

// verdict tells of points that failed, and of there being no stable one.
func (g gallery) verdict(inv *invocation) error {
	stable := false
	var failed []error
	for _, c := range g.curves {
		for i := range c.points {
			p := &c.points[i]
			stable = stable || p.Decision.Stable()
			if p.Err != nil {
				failed = append(failed, p.Err)
			}
			for _, r := range p.Decision.Results {
				if !r.Measures.Stable {
					continue
				}
				for _, w := range r.Measures.Diagnostics.Warnings {
					inv.warn("%s at load %s, %v: %v", p.Series, loadText(p.Load), r.Policy, w)
				}
			}
		}
	}
	if len(failed) > 0 {
		for _, err := range failed[:len(failed)-1] {
			fmt.Fprintf(inv.stderr, "error: %v\n", err)
		}
		return methodError(inv.flags.String("method"), failed[len(failed)-1])
	}
	if !stable {
		return &exitError{
			code: exitUnstable,
			err:  fmt.Errorf("no policy is stable at any of the %d points", g.planned),
			hint: "loads are relative to the capacity of the reference; dynamic partitioning is stable below load 1 of its own",
		}
	}
	return nil
}
