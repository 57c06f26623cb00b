package sweep

import (
	"cmp"
	"slices"
	"strings"

	"github.com/partwise/partwise/models/decide"
)

// Place names a series by what tells it from the others of the study: its name where the study has several names, and its values on the
// axes but for one axis (−1: on all axes). Further words follow. If the only axis is left out, the name is always there.
func (s *Study) Place(of *Series, without int, more ...string) string {
	var parts []string
	if s.HasNames() || without >= 0 && len(s.Axes) == 1 {
		parts = append(parts, of.Of)
	}
	for i, path := range s.Axes {
		if i != without {
			parts = append(parts, path+"="+of.At[i])
		}
	}
	return strings.Join(append(parts, more...), ", ")
}

// DrawnOver returns the axis over which pictures draw the points of a study with one load: the last axis of numbers or times whose values
// differ. It returns −1 if the points are drawn over their loads.
func (s *Study) DrawnOver() int {
	for i := len(s.Axes) - 1; i >= 0 && s.Loads == 1; i-- {
		differs := slices.ContainsFunc(s.Series, func(one Series) bool { return one.At[i] != s.Series[0].At[i] })
		if x, _ := s.Numbers(i); differs && x != nil {
			return i
		}
	}
	return -1
}

// Line is solved points that differ only in what they are drawn over, see [Study.DrawnOver]. The points ascend by their loads. Where they are
// drawn over an axis, Load is the value on the axis.
type Line struct {
	Name      string
	Points    []decide.Point
	OverLoads bool
}

// Lines returns the solved points of the study as lines, in the order of the series.
func (s *Study) Lines() (all []Line) {
	axis := s.DrawnOver()
	var x []float64
	if axis >= 0 {
		x, _ = s.Numbers(axis)
	}
	for i := range s.Series {
		name, points := s.Series[i].Name, s.Solved(i)
		at := -1
		if axis >= 0 {
			name = s.Place(&s.Series[i], axis)
			for k := range points {
				points[k].Load = x[i]
			}
			at = slices.IndexFunc(all, func(l Line) bool { return l.Name == name })
		}
		if at < 0 {
			at = len(all)
			all = append(all, Line{Name: name, OverLoads: axis < 0})
		}
		all[at].Points = append(all[at].Points, points...)
		slices.SortStableFunc(all[at].Points, func(a, b decide.Point) int { return cmp.Compare(a.Load, b.Load) })
	}
	return all
}

// Limit returns the load at which the policies of some results saturate, the most capable of them. It is 0 if no point of the line has a higher
// load, or if the points are not drawn over their loads.
func (l *Line) Limit(of func(*decide.Solved) bool) float64 {
	if !l.OverLoads || len(l.Points) == 0 {
		return 0
	}
	rate, last := 0.0, &l.Points[len(l.Points)-1]
	for i := range last.Decision.Results {
		if r := &last.Decision.Results[i]; of(r) {
			rate = max(rate, r.Measures.MaxArrivalRate)
		}
	}
	if rate == 0 || rate >= last.ArrivalRate {
		return 0
	}
	return last.Load * rate / last.ArrivalRate
}
