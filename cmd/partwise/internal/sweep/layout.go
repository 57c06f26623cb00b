package sweep

import (
	"math"
	"slices"
	"strconv"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
)

// Layout is what the points of a study are laid out by. Journals carry it, so that their results can be written where
// the files of the study are not.
type Layout struct {
	Title  string         `json:"title"`
	Axes   []string       `json:"axes,omitempty"`
	Loads  int            `json:"loads"` // points of each series
	Series []SeriesLayout `json:"series"`
}

type SeriesLayout struct {
	Name     string   `json:"name"`
	Of       string   `json:"of"` // the name without the values on the axes
	TimeUnit string   `json:"time_unit"`
	Capacity float64  `json:"capacity"`
	Divisors []int    `json:"divisors"` // the numbers of static partitions
	At       []string `json:"at,omitempty"`
	// Ambiguous says that the model file does not say who stops during a repartition.
	Ambiguous bool `json:"ambiguous,omitempty"`

	// What a sweep shows, see request.
	Named []string `json:"named,omitempty"` // policies, as flags write them
	Best  bool     `json:"best,omitempty"`
	Every bool     `json:"every,omitempty"`
}

// NewLayout returns the layout of a study whose series have so many loads, 0 for the one of each model.
func NewLayout(study *modelfile.Study, loads int) Layout {
	l := Layout{Title: study.Title, Loads: max(1, loads)}
	for _, a := range study.Axes {
		l.Axes = append(l.Axes, a.Path)
	}
	for _, s := range study.Series {
		system := s.Model.System
		l.Series = append(l.Series, SeriesLayout{
			Name: s.Name, Of: s.Of, At: s.At,
			TimeUnit: s.Model.TimeUnit.Name, Capacity: system.Capacity(), Divisors: system.Machine().Divisors(), Ambiguous: s.Model.Assumes(modelfile.Stops),
		})
	}
	return l
}

// valid reports whether the layout, which may come from a file, hangs together.
func (l *Layout) valid() bool {
	return l.Loads > 0 && len(l.Series) > 0 &&
		!slices.ContainsFunc(l.Series, func(s SeriesLayout) bool { return len(s.At) != len(l.Axes) })
}

// unit returns the time unit if it is that of all series.
func (l *Layout) unit() string {
	unit := l.Series[0].TimeUnit
	if slices.ContainsFunc(l.Series, func(s SeriesLayout) bool { return s.TimeUnit != unit }) {
		return ""
	}
	return unit
}

// describe names the study.
func (l *Layout) describe(o *output.Object) {
	o.Add("title", l.Title)
	if unit := l.unit(); unit != "" {
		o.Add("time_unit", unit)
	}
}

// parameters returns the values of a series on the axes, as numbers where they are.
func (l *Layout) parameters(s *SeriesLayout) output.Object {
	o := output.Object{}
	for i, path := range l.Axes {
		if v, err := strconv.ParseFloat(s.At[i], 64); err == nil && !math.IsInf(v, 0) && !math.IsNaN(v) {
			o.Add(path, v)
		} else {
			o.Add(path, s.At[i])
		}
	}
	return o
}

// solved returns the points of series i that were solved, or some of whose policies were, given all of the study.
func (l *Layout) solved(all []decide.Point, i int) []decide.Point {
	var done []decide.Point
	for _, p := range all[i*l.Loads : (i+1)*l.Loads] {
		if p.Done && (p.Err == nil || len(p.Decision.Results) > 0) {
			done = append(done, p)
		}
	}
	return done
}

// named returns policies as flags write them.
func named(policies []policy.Policy) []string {
	var texts []string
	for _, p := range policies {
		texts = append(texts, p.String())
	}
	return texts
}
