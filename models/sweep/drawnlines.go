package sweep

import (
	"cmp"
	"slices"
	"strings"

	"github.com/partwise/partwise/models/decide"
)

// Label returns a text that distinguishes a series from the other series of the study, such as "machine.nodes=16,
// dynamic.stops=all". It joins, with commas, the name of the series, its values on the axes, and the words more. The name is left
// out if all series of the study have the same name. The axis with the index without is left out, too; −1 leaves out no axis. If
// the study has only this axis, the label always has the name.
func (s *Study) Label(of *Series, without int, more ...string) string {
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

// DrawnOver returns the index of the axis over which pictures draw the points of a study. It is the last axis of numbers or times
// whose values differ, if the study has one load. Otherwise it is −1: the points are drawn over their loads.
func (s *Study) DrawnOver() int {
	for i := len(s.Axes) - 1; i >= 0 && s.Loads == 1; i-- {
		differs := slices.ContainsFunc(s.Series, func(one Series) bool { return one.At[i] != s.Series[0].At[i] })
		if x, _ := s.Numbers(i); differs && x != nil {
			return i
		}
	}
	return -1
}

// Line is a curve in a picture of a study: solved points that differ only in their load or in their value on one axis, see
// [Study.DrawnOver].
type Line struct {
	Name      string
	Points    []decide.Point // ascending by Load; if the line is drawn over an axis, Load is the value on the axis
	OverLoads bool           // the line is drawn over loads
}

// Lines returns the solved points of the study as lines, in the order of the series. Over loads, each series is a line. Over an
// axis, a line has the points of all series that differ on this axis only. The points of the study stay unchanged.
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
			name = s.Label(&s.Series[i], axis)
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
	}
	for i := range all {
		slices.SortStableFunc(all[i].Points, func(a, b decide.Point) int { return cmp.Compare(a.Load, b.Load) })
	}
	return all
}

// SaturationLoad returns the load at which the last of some policies saturates: the policies for which of reports true. It is the
// largest stable arrival rate of these policies, converted to a load by the last point of the line.
//
// The result is 0 if the line has no point at this load or beyond it, or if the line is not drawn over loads. It is
// also 0 if of reports true for no policy.
func (l *Line) SaturationLoad(of func(*decide.Solved) bool) float64 {
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
