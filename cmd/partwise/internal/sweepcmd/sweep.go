// Package sweepcmd solves studies at many points: the commands curve, over their loads, and sweep, over a grid of
// parameters, and merge, which makes one result of what several processes solved.
package sweepcmd

import (
	_ "embed"
	"fmt"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/points"
	"github.com/partwise/partwise/cmd/partwise/internal/solution"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/policy"
)

//go:embed sweep.txt
var sweepHelp string

// Sweep returns the command that solves studies over a grid of parameters.
func Sweep(table policy.Table) cli.Command {
	fresh := func() *sweepOptions {
		return &sweepOptions{points.NewOptions("response times, ratio and repartitioning over the loads or, if there is one load, over the " +
			"last parameter"), table}
	}
	return cli.WithOptions(fresh, sweep, cli.Described(sweepHelp, cli.Command{
		MaxArgs:      cli.MostStudies,
		Formats:      []string{"csv", "json", "markdown", "table"},
		RunsPolicies: policy.Chain,
	}))
}

// sweepOptions are the flags of sweep.
type sweepOptions struct {
	*points.Options
	table policy.Table
}

// Flags binds the flags.
func (o *sweepOptions) Flags() []cli.Flag {
	return append(o.Options.Flags(), input.PolicyTexts(&o.Policies, o.table, policy.Chain, input.DefaultPolicies))
}

func sweep(inv *cli.Invocation, o *sweepOptions) error {
	r, err := points.NewRun(inv, o.Options)
	if err != nil {
		return err
	}
	var studies []*points.Study
	for _, study := range r.Studies {
		loads := study.Loads
		if study.NoLoads {
			loads = nil
		}
		s := points.New(study, loads)
		for i := range s.Series {
			asked, err := input.SelectPolicies(inv, study.Series[i].Model, o.Policies)
			if err != nil {
				return err
			}
			s.Show(i, asked)
		}
		if o.Wanted() && s.Loads == 1 && s.DrawnOver() < 0 {
			return cli.Usagef("for example --load 0.1:0.9:0.1",
				"--plot: there is nothing to draw over, neither loads nor a parameter of numbers or times")
		}
		studies = append(studies, s)
	}
	return r.Execute(inv, &sweepView, studies)
}

// sweepView shows a table with the points as rows or, if policies were asked for, a row for each of them at each point.
var sweepView = points.View{Results: output.Long, Lists: sweepLists, Notes: sweepNotes}

func sweepLists(s *points.Study) []*output.List {
	all, of := s.All()
	var compared []output.Column
	if unit := s.Unit(); s.Compares() {
		compared = points.Columns(all, unit)[1:]
	} else {
		var rows []decide.Solved
		solved, series := all, of
		all, of = nil, nil
		for i := range solved {
			for _, one := range series[i].Shown(&solved[i]) {
				rows, all, of = append(rows, one), append(all, solved[i]), append(of, series[i])
			}
		}
		compared = solution.Shown(rows, unit)
	}
	l := &output.List{Title: s.Title, Len: len(all), Form: output.NoCSV}
	name := func(head string, numbers bool, value func(one *points.Series) string) {
		l.Columns = append(l.Columns, output.Column{Name: head, Number: numbers, Value: func(i int) any { return value(of[i]) }})
	}
	if s.HasNames() {
		name("series", false, func(one *points.Series) string { return one.Of })
	}
	for k, path := range s.Axes {
		x, _ := s.Numbers(k)
		name(path, x != nil, func(one *points.Series) string { return one.At[k] })
	}
	if s.Unit() == "" {
		name("unit", false, func(one *points.Series) string { return one.TimeUnit })
	}
	l.Columns = append(l.Columns, points.Columns(all, "")[0])
	tables := []*output.List{l}
	if s.Compares() {
		tables = append(tables, points.ByClass(all, s.Unit(), l.Columns...))
	}
	l.Columns = append(l.Columns, compared...)
	return tables
}

// sweepNotes says at how many points dynamic partitioning is faster, and where most.
func sweepNotes(s *points.Study) []string {
	if !s.Compares() {
		return nil
	}
	all, of := s.All()
	t := solution.NewTally(all)
	if t.Known == 0 {
		return []string{"At no point are both policies stable."}
	}
	text := fmt.Sprintf("Dynamic partitioning is faster than the best static at %d of %d points", t.Faster, t.Known)
	if t.Slightly > 0 {
		text += fmt.Sprintf(", at %d of them by so little that it makes no practical difference", t.Slightly)
	}
	if t.Known < len(all) {
		text += fmt.Sprintf(" (at %d one of them is unstable)", len(all)-t.Known)
	}
	if t.Faster > 0 {
		c := all[t.Most].Decision.Compare()
		text += fmt.Sprintf("; it gains most at %s, where a job takes %s than under static:%d",
			s.Place(of[t.Most], -1, "load "+output.Load(all[t.Most].Load)), output.Saving(&c), c.Static.Partitions())
	}
	return []string{text + "."}
}
