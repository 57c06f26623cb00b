package points

import (
	"fmt"
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/words"
)

// response returns the cell of the mean response time of a result. A policy that was not solved has an empty cell.
func response(c output.Column, r *decide.Solved) output.Cell {
	if r == nil {
		return c.Is(nil)
	}
	return c.Else(unstable).If(r.Measures.Stable, r.Measures.MeanResponseTime)
}

// unstable stands for the response time of a policy that is not stable.
const unstable = "unstable"

// The columns in which dynamic and static partitioning are compared.
var (
	load          = output.Col("load", "load").Right().Written(func(v any) string { return words.Load(v.(float64)) })
	dynamicTime   = output.Col("t_dynamic", "T dynamic").Time().Digits(5)
	staticTime    = output.Col("t_static", "T best static").Time().Digits(5)
	partitions    = output.Col("best_partitions", "K").Right()
	ratio         = output.Col("ratio", "times as fast").Decimals(3)
	repartitioned = output.Col("p_repartition", "repartitioning").Shares()
	fcfsTime      = output.Col("t_fcfs", "T fcfs").Time().Digits(5)
	ratioToFCFS   = output.Col("ratio_to_fcfs", "against fcfs").Decimals(3)
)

// LoadOf returns the cell that names a point by its load.
func LoadOf(p *decide.Point) output.Cell { return load.Is(p.Load) }

// ArrivalRate returns the cell of tables that has the arrival rate of a point.
func ArrivalRate(p *decide.Point) output.Cell {
	return output.Column{Name: "arrival rate", Unit: measure.Rate}.Digits(4).Aside().Is(p.ArrivalRate)
}

// Row returns the cells in which dynamic and static partitioning, and fcfs where it was solved, are compared at a
// point. The first is the load.
func Row(p *decide.Point) output.Row {
	dynamic, best := p.Decision.Of(policy.Dynamic{}), p.Decision.Best
	var split, repartitioning any
	static := response(staticTime, best)
	switch {
	case best != nil:
		split = best.Partitions()
	case p.Err == nil: // all were solved
		static = staticTime.Else(unstable).Is(nil)
	}
	if dynamic != nil {
		v, ok := dynamic.Measures.Of(measure.ProbabilityRepartition)
		repartitioning = output.When(ok, v)
	}
	row := output.Row{LoadOf(p), output.Data("arrival_rate", p.ArrivalRate), response(dynamicTime, dynamic), static,
		partitions.Is(split), ratio.Is(output.Positive(p.Decision.Ratio)),
		repartitioned.Is(repartitioning)}
	if rigid := p.Decision.Of(policy.FCFS{}); rigid != nil {
		row = append(row, response(fcfsTime, rigid),
			ratioToFCFS.Is(output.Positive(p.Decision.CompareWith(policy.FCFS{}).Ratio)))
	}
	return row
}

// SeriesTables returns the table of a series: every n-th load, and the last load at which a policy is stable. If jobs are of
// several classes, a second table has the same by class.
func SeriesTables(name, unit string, all []decide.Point, n int) []*output.List {
	last := -1
	for i := range all {
		if all[i].Decision.Stable() {
			last = i
		}
	}
	var shown []decide.Point
	for i, p := range all {
		if (i+1)%n == 0 && i <= last || i == last || n == 1 {
			shown = append(shown, p)
		}
	}
	withRate := func(p *decide.Point) output.Row { return slices.Insert(Row(p), 1, ArrivalRate(p)) }
	return []*output.List{output.NewTable(name, shown, withRate).In(unit),
		ByClass(shown, unit, func(i int) output.Row { return output.Row{LoadOf(&shown[i])} })}
}

// Rows returns the rows of CSV in which dynamic and static partitioning are compared, one for each point.
func (s *Study) Rows() *output.List {
	all, of := s.All()
	splits, classes := s.Partitions(), s.Classes()
	return (&output.List{Len: len(all), Row: func(i int) output.Row {
		p := &all[i]
		row := append(output.Row{output.Data("series", of[i].Name)}, Row(p)...)
		for k, path := range s.Axes {
			row = append(row, output.Data(path, of[i].At[k]))
		}
		for _, k := range splits {
			row = append(row, response(output.Col(fmt.Sprintf("t_static_%d", k), ""), p.Decision.Of(policy.Static{Partitions: k})))
		}
		least := decide.LeastAccurate(p.Decision.Results)
		if least == nil {
			row = append(row, output.ErrorBound.Is(nil))
		} else {
			row = append(row, output.ErrorBound.Is(least.Measures.Diagnostics.ErrorBound))
		}
		row = append(row, output.Data(output.TimeUnit, of[i].TimeUnit))
		return append(row, ofClasses(p, classes)...)
	}}).Show()
}

// ofClasses returns the response times of classes at a point under dynamic and the best static partitioning.
func ofClasses(p *decide.Point, names []string) (row output.Row) {
	compared := p.Decision.Compare()
	all := compared.Classes()
	for _, name := range names {
		dynamic, static := output.Data("t_dynamic_"+name, nil), output.Data("t_static_"+name, nil)
		for _, c := range all {
			if c.Name == name {
				dynamic.Value, static.Value = c.Dynamic, c.Rival
			}
		}
		row = append(row, dynamic, static)
	}
	return row
}

// ByClass returns the table in which dynamic and static partitioning are compared for each class of jobs. A row is a class at a
// point; name returns the cells that name point i.
func ByClass(all []decide.Point, unit string, name func(i int) output.Row) *output.List {
	var rows []output.Row
	for i := range all {
		compared := all[i].Decision.Compare()
		for _, c := range compared.Classes() {
			rows = append(rows, append(name(i), output.Class.Is(c.Name), dynamicTime.Is(c.Dynamic),
				staticTime.Is(c.Rival), ratio.Is(c.Ratio())))
		}
	}
	return output.TableOfRows("By class", rows).In(unit)
}

// Thinned returns n: of so many loads a table for people shows every n-th.
func Thinned(loads int) int { return 1 + (loads-1)/output.MostRows }
