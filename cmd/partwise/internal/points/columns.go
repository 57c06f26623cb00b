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
}

// newResult returns the points of studies: one as it is, several below each other.
func (v *View) newResult(all []*Study) *output.Result {
	r := &output.Result{Object: output.Pairs("version", output.Version)}
	var objects []output.Object
	for _, s := range all {
		name := ""
		if s.beside = len(all) > 1; s.beside {
			name = s.Title + ": "
		}
		o := s.object(v.Results)
		for _, l := range v.Lists(s) {
			if l.Title != "" {
				l.Title = name + l.Title
			}
			l.Columns = append(s.name(), l.Columns...)
			o.Add("", l)
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

// constant returns a column of CSV that names rows, with the same value in all of them.
func constant(key string, value any) output.Column {
	return output.Column{Key: key, ID: true, OnlyCSV: true, Value: func(int) any { return value }}
}

// name returns the column that names the study where there are several.
func (s *Study) name() []output.Column {
	if !s.beside {
		return nil
	}
	return []output.Column{constant("study", s.Title)}
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
	ids := append(s.name(), constant("series", of.Of))
	for i, path := range s.Axes {
		ids = append(ids, constant(path, of.At[i]))
	}
	ids = append(ids, constant("load", p.Load))
	shown := of.Shown(p)
	diagnostics := solution.Diagnostics(shown, of.TimeUnit)
	timed := diagnostics[0].Value
	diagnostics[0].Value = func(i int) any {
		return slices.DeleteFunc(timed(i).(output.Object), func(f output.Field) bool { return f.Name == "seconds" })
	}
	o := output.Pairs("series", of.Of, "parameters", output.When(len(s.Axes) > 0, s.parameters(of)), "arrival_rate", p.ArrivalRate,
		"capacity", of.Capacity, "load", p.Load, "results", &output.List{Len: len(shown), Form: form, TimeUnit: of.TimeUnit,
			Columns: slices.Concat(ids, solution.Measures(shown), solution.ErrorBound(shown), diagnostics)})
	if form == output.Long {
		classes := solution.Classes(shown, "", ids...)
		classes.TimeUnit = of.TimeUnit
		o.Add("", unnamed(classes))
	}
	if best := p.Decision.Best; of.every() && best != nil {
		o.Add("best_static", solution.BestObject(best))
	}
	o.Add("ratio", output.When(of.every() && p.Decision.Ratio > 0, p.Decision.Ratio))
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

// Columns returns the columns in which dynamic and static partitioning are compared, a point a row. The first is the load;
// unit is that of times in tables.
func Columns(all []decide.Point, unit string) []output.Column {
	type row struct {
		Load        float64 `key:"load" head:"load"`
		ArrivalRate float64 `key:"arrival_rate"`
		Dynamic     any     `key:"t_dynamic" head:"T dynamic [unit]" form:"number digits=5 none=unstable"`
		Static      any     `key:"t_static" head:"T best static [unit]" form:"number digits=5 none=unstable"`
		Partitions  int     `key:"best_partitions" head:"K" form:"number omitzero"`
		Ratio       any     `key:"ratio" head:"ratio" form:"number decimals=3"`
		Repartition any     `key:"p_repartition" head:"repartitioning" form:"number shares"`
	}
	columns := output.ColumnsOf(output.RowsOf(all, func(p decide.Point) row {
		dynamic, best := p.Decision.Of(policy.Dynamic{}), p.Decision.Best
		r := row{Load: p.Load, ArrivalRate: p.ArrivalRate, Dynamic: response(&p, dynamic), Static: response(&p, best),
			Ratio: output.Positive(p.Decision.Ratio)}
		if best != nil {
			r.Partitions = best.Partitions()
		}
		if dynamic != nil {
			v, ok := dynamic.Measures.Of(measure.ProbabilityRepartition)
			r.Repartition = output.When(ok, v)
		}
		return r
	}), unit)
	columns[0].Text = func(v any) string { return output.Load(v.(float64)) }
	return columns
}

// SeriesTables returns the table of a series, every n-th load and the last load at which a policy is stable, and the same by
// class if jobs are of several classes.
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
	l := &output.List{Title: name, Len: len(shown), Form: output.NoCSV, Columns: Columns(shown, unit)}
	return []*output.List{l, ByClass(shown, unit, l.Columns[0])}
}

// Rows returns the rows of CSV in which dynamic and static partitioning are compared, one for each point.
func (s *Study) Rows() *output.List {
	all, of := s.All()
	l := &output.List{Len: len(all)}
	add := func(key string, value func(i int) any) {
		l.Columns = append(l.Columns, output.Column{Key: key, Value: value})
	}
	add("series", func(i int) any { return of[i].Name })
	l.Columns = append(l.Columns, Columns(all, "")...)
	for k, path := range s.Axes {
		add(path, func(i int) any { return of[i].At[k] })
	}
	for _, k := range s.partitions() {
		add(fmt.Sprintf("t_static_%d", k), func(i int) any {
			return response(&all[i], all[i].Decision.Of(policy.Static{Partitions: k}))
		})
	}
	add("error_bound", func(i int) any {
		if least := solution.LeastAccurate(all[i].Decision.Results); least != nil {
			return least.Measures.Diagnostics.ErrorBound
		}
		return nil
	})
	add(output.TimeUnit, func(i int) any { return of[i].TimeUnit })
	for _, name := range s.classes() {
		for k, head := range []string{"t_dynamic_", "t_static_"} {
			add(head+name, func(i int) any {
				for _, c := range all[i].Decision.Compare().Classes() {
					if c.Name == name {
						return []any{c.Dynamic, c.Static}[k]
					}
				}
				return nil
			})
		}
	}
	return unnamed(l)
}

// unnamed returns a list without the names of its columns: it is in no table.
func unnamed(l *output.List) *output.List {
	for i := range l.Columns {
		l.Columns[i].Name = ""
	}
	return l
}

// classes returns the names of all classes of jobs.
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

// ByClass returns the table in which dynamic and static partitioning are compared for each class of jobs, a class at a point a
// row; ids are columns whose rows are points.
func ByClass(all []decide.Point, unit string, ids ...output.Column) *output.List {
	type row struct {
		Class   string  `head:"class"`
		Dynamic float64 `head:"T dynamic [unit]" form:"digits=5"`
		Static  float64 `head:"T best static [unit]" form:"digits=5"`
		Ratio   float64 `head:"ratio" form:"decimals=3"`
	}
	var at []int
	var rows []row
	for i := range all {
		for _, c := range all[i].Decision.Compare().Classes() {
			at, rows = append(at, i), append(rows, row{c.Name, c.Dynamic, c.Static, c.Ratio()})
		}
	}
	l := output.ListOf("", "By class", output.NoCSV, rows, unit)
	for i, id := range ids {
		of := id.Value
		id.Value = func(i int) any { return of(at[i]) }
		l.Columns = slices.Insert(l.Columns, i, id)
	}
	return l
}

// partitions returns all numbers of static partitions, ascending.
func (s *Study) partitions() (all []int) {
	for _, one := range s.Series {
		all = append(all, one.Divisors...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Thinned returns n: of so many loads a table for people shows every n-th.
func Thinned(loads int) int { return 1 + (loads-1)/output.MostRows }
