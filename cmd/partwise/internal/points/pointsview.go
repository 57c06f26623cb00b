package points

import (
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/solution"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/sweep"
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
	o.Add("left_out", output.LeftOutObjects(s.LeftOut))
	return o
}

// point returns a point with the results of its policies, without the times that solving them took.
func (s *Study) point(of *sweep.Series, p *decide.Point, form output.Form) output.Object {
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
	if best := p.Decision.Best; of.EveryStatic() && best != nil {
		o.Add("best_static", solution.BestObject(best))
	}
	o.Add("ratio", output.When(of.EveryStatic() && p.Decision.Ratio > 0, p.Decision.Ratio))
	if toFCFS := p.Decision.CompareWith(policy.FCFS{}).Ratio; toFCFS > 0 {
		o.Add("ratio_to_fcfs", toFCFS)
	}
	if p.Err != nil { // the other policies are there
		o.Add("error", p.Err.Error())
	}
	return o
}
