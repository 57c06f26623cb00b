package points

import (
	"fmt"
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/solution"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
)

// View says how a command lays out the points of its studies. JSON is the same for all commands.
type View struct {
	Results output.Form                   // of the results of a point in CSV
	Lists   func(s *Study) []*output.List // the tables, and CSV that is not of results
	Notes   func(s *Study) []string       // below the tables
	Short   func(s *Study) []string       // of the summary; nil: Notes
}

// newResult returns the points of studies: one as it is, several below each other.
func (v *View) newResult(all []*Study) *output.Result {
	r := &output.Result{Object: output.Pairs("version", output.Version)}
	var objects []output.Object
	for _, s := range all {
		name := ""
		s.beside = len(all) > 1
		if s.beside {
			name = s.Title + ": "
		}
		o := s.object(v.Results)
		for _, l := range v.Lists(s) {
			if l.Title != "" {
				l.Title = name + l.Title
			}
			o.Add("", l.Before(s.name()...))
		}
		for _, note := range v.Notes(s) {
			r.Note("%s%s", name, note)
		}
		objects = append(objects, o)
		r.Assume(s.Assumed...)
	}
	if len(all) == 1 {
		r.Object = append(r.Object, objects[0]...)
	} else {
		r.Add("studies", objects)
	}
	return r
}

// naming returns a cell of CSV that names rows.
func naming(key string, value any) output.Cell { return output.Col(key, "").CSV().Naming().Is(value) }

// name returns the cell that names the study where there are several.
func (s *Study) name() output.Row {
	if !s.beside {
		return nil
	}
	return output.Row{naming("study", s.Title)}
}

// object returns the study with the results of all points, as solve writes them, in a form of CSV.
func (s *Study) object(form output.Form) output.Object {
	o := output.Pairs("title", s.Title, output.TimeUnit, output.When(s.Unit() != "", s.Unit()))
	all, of := s.All()
	objects := make([]output.Object, len(all))
	for i := range all {
		objects[i] = s.point(of[i], &all[i], form)
	}
	o.Add("points", objects)
	return o
}

// point returns a point with the results of its policies, without the times that solving them took.
func (s *Study) point(of *Series, p *decide.Point, form output.Form) output.Object {
	ids := append(s.name(), naming("series", of.Of))
	for i, path := range s.Axes {
		ids = append(ids, naming(path, of.At[i]))
	}
	ids = append(ids, naming("load", p.Load))
	shown := of.Shown(p)
	results := output.NewList("", "", form, shown, func(r *decide.Solved) output.Row {
		found := slices.DeleteFunc(solution.Diagnostics(r, of.TimeUnit), func(f output.Field) bool { return f.Name == "seconds" })
		return slices.Concat(ids, solution.Row(r, nil), output.Row{output.InJSON("diagnostics", found)})
	}).Show()
	results.TimeUnit = of.TimeUnit
	o := output.Pairs("series", of.Of, "parameters", output.When(len(s.Axes) > 0, s.parameters(of)), "arrival_rate", p.ArrivalRate,
		"capacity", of.Capacity, "load", p.Load, "results", results)
	if form == output.Long {
		classes := solution.Classes(shown, "", nil).Before(ids...).Show()
		classes.TimeUnit = of.TimeUnit
		o.Add("", classes)
	}
	if best := p.Decision.Best; of.every() && best != nil {
		o.Add("best_static", solution.BestObject(best))
	}
	o.Add("ratio", output.When(of.every() && p.Decision.Ratio > 0, p.Decision.Ratio))
	if toFCFS := p.Decision.CompareWith(policy.FCFS{}).Ratio; toFCFS > 0 {
		o.Add("ratio_to_fcfs", toFCFS)
	}
	if p.Err != nil { // the other policies are there
		o.Add("error", p.Err.Error())
	}
	return o
}

// unsolved stands for what is neither stable nor unstable.
type unsolved struct{}

// String returns an empty cell.
func (unsolved) String() string { return "" }

// response returns the mean response time of a result, nil if it is unstable.
func response(p *decide.Point, r *decide.Solved) any {
	switch {
	case r != nil && r.Measures.Stable:
		return r.Measures.MeanResponseTime
	case r == nil && p.Err != nil:
		return unsolved{}
	}
	return nil
}

// The columns in which dynamic and static partitioning are compared.
var (
	load          = output.Col("load", "load").Right().Written(func(v any) string { return output.Load(v.(float64)) })
	dynamicTime   = output.Col("t_dynamic", "T dynamic").Time().Digits(5)
	staticTime    = output.Col("t_static", "T best static").Time().Digits(5)
	partitions    = output.Col("best_partitions", "K").Right()
	ratio         = output.Col("ratio", "ratio").Decimals(3)
	repartitioned = output.Col("p_repartition", "repartitioning").Shares()
	fcfsTime      = output.Col("t_fcfs", "T fcfs").Time().Digits(5)
	ratioToFCFS   = output.Col("ratio_to_fcfs", "ratio to fcfs").Decimals(3)
)

// LoadOf returns the cell that names a point by its load.
func LoadOf(p *decide.Point) output.Cell { return load.Is(p.Load) }

// Row returns the cells in which dynamic and static partitioning, and fcfs where it was solved, are compared at a point. The first is
// the load.
func Row(p *decide.Point) output.Row {
	dynamic, best := p.Decision.Of(policy.Dynamic{}), p.Decision.Best
	var split, repartitioning any
	if best != nil {
		split = best.Partitions()
	}
	if dynamic != nil {
		v, ok := dynamic.Measures.Of(measure.ProbabilityRepartition)
		repartitioning = output.When(ok, v)
	}
	row := output.Row{LoadOf(p), output.Data("arrival_rate", p.ArrivalRate), dynamicTime.Else("unstable").Is(response(p, dynamic)),
		staticTime.Else("unstable").Is(response(p, best)), partitions.Is(split), ratio.Is(output.Positive(p.Decision.Ratio)),
		repartitioned.Is(repartitioning)}
	if rigid := p.Decision.Of(policy.FCFS{}); rigid != nil {
		row = append(row, fcfsTime.Else("unstable").Is(response(p, rigid)), ratioToFCFS.Is(output.Positive(p.Decision.CompareWith(policy.FCFS{}).Ratio)))
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
	return []*output.List{output.NewList("", name, output.NoCSV, shown, Row).In(unit),
		ByClass(shown, unit, func(i int) output.Row { return output.Row{LoadOf(&shown[i])} })}
}

// Rows returns the rows of CSV in which dynamic and static partitioning are compared, one for each point.
func (s *Study) Rows() *output.List {
	all, of := s.All()
	splits, classes := s.partitions(), s.classes()
	return (&output.List{Len: len(all), Row: func(i int) output.Row {
		p := &all[i]
		row := append(output.Row{output.Data("series", of[i].Name)}, Row(p)...)
		for k, path := range s.Axes {
			row = append(row, output.Data(path, of[i].At[k]))
		}
		for _, k := range splits {
			row = append(row, output.Data(fmt.Sprintf("t_static_%d", k), response(p, p.Decision.Of(policy.Static{Partitions: k}))))
		}
		least := solution.LeastAccurate(p.Decision.Results)
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

// classes returns the names of the classes of jobs in all series, each once.
func (s *Study) classes() (all []string) {
	for i := range s.Points {
		for _, c := range s.Points[i].Decision.Compare().Classes() {
			if !slices.Contains(all, c.Name) {
				all = append(all, c.Name)
			}
		}
	}
	return all
}

// ByClass returns the table in which dynamic and static partitioning are compared for each class of jobs. A row is a class at a
// point; name returns the cells that name point i.
func ByClass(all []decide.Point, unit string, name func(i int) output.Row) *output.List {
	var rows []output.Row
	for i := range all {
		compared := all[i].Decision.Compare()
		for _, c := range compared.Classes() {
			rows = append(rows, append(name(i), output.Class.Is(c.Name), dynamicTime.Is(c.Dynamic), staticTime.Is(c.Rival), ratio.Is(c.Ratio())))
		}
	}
	return output.ListOfRows("", "By class", output.NoCSV, rows).In(unit)
}

// partitions returns the numbers of static partitions that any series has, ascending, each once.
func (s *Study) partitions() (all []int) {
	for _, one := range s.Series {
		all = append(all, one.Divisors...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Thinned returns n: of so many loads a table for people shows every n-th.
func Thinned(loads int) int { return 1 + (loads-1)/output.MostRows }
