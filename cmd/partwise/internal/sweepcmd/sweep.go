// Package sweepcmd solves studies at many points: the commands curve, over their loads, and sweep, over a grid of
// parameters, and merge, which makes one result of what several processes solved.
package sweepcmd

import (
	_ "embed"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/points"
	"github.com/partwise/partwise/cmd/partwise/internal/solution"
	"github.com/partwise/partwise/cmd/partwise/internal/values"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/sweep"
)

//go:embed sweep.txt
var sweepHelp string

// Sweep returns the command that solves studies over a grid of parameters.
func Sweep(table policy.Table) cli.Command {
	fresh := func() *sweepOptions {
		return &sweepOptions{points.NewOptions("response times, ratio and repartitioning over the loads or, " +
			"if there is one load, over the last parameter"), table}
	}
	return cli.WithOptions(fresh, solveSweep, cli.Described(sweepHelp, cli.Command{
		MaxArgs:      values.MostStudies,
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

func solveSweep(inv *cli.Invocation, o *sweepOptions) error {
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
			asked, left, err := input.SelectCompared(inv, study.Series[i].Model, o.Policies, r.Settings())
			if err != nil {
				return err
			}
			s.Show(i, asked)
			s.Leave(i, left)
		}
		if o.Wanted() && s.Loads == 1 && s.DrawnOver() < 0 {
			return fault.Usagef("for example --load 0.1:0.9:0.1",
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
	ratesDiffer := s.RateRemarks() != nil
	name := func(i int) output.Row {
		row := named(s, of[i])
		if ratesDiffer {
			row = append(row, points.ArrivalRate(&all[i]))
		}
		return append(row, points.LoadOf(&all[i]))
	}
	if s.Compares() {
		return []*output.List{
			{Title: s.Title, Form: output.NoCSV, Unit: s.Unit(), Len: len(all), Row: func(i int) output.Row {
				return append(name(i), points.Row(&all[i])[1:]...)
			}},
			points.ByClass(all, s.Unit(), name),
		}
	}
	var rows []output.Row
	for i := range all {
		for _, one := range of[i].Shown(&all[i]) {
			rows = append(rows, append(name(i), solution.Row(&one, nil).Choose(solution.Shown()...)...))
		}
	}
	return []*output.List{output.TableOfRows(s.Title, rows).In(s.Unit())}
}

// named returns the cells of tables that name a series.
func named(s *points.Study, of *sweep.Series) (row output.Row) {
	if s.HasNames() {
		row = append(row, output.InTable("series").Is(of.Of))
	}
	for k, path := range s.Axes {
		column := output.InTable(path)
		if x, _ := s.Numbers(k); x != nil {
			column = column.Right()
		}
		row = append(row, column.Is(of.At[k]))
	}
	if s.Unit() == "" {
		row = append(row, output.InTable("unit").Is(of.TimeUnit))
	}
	return row
}

// sweepNotes says at how many points dynamic partitioning is faster, and where most, and whether the rates of rows
// differ that have one load.
func sweepNotes(s *points.Study) []string {
	remarks := s.RateRemarks()
	if !s.Compares() {
		return remarks
	}
	return append([]string{s.TallySentence()}, remarks...)
}
