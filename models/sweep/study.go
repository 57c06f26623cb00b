package sweep

import (
	"errors"
	"math"
	"slices"

	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/words"
)

// Study is a study with its points and what they are laid out by. Journals hold the layout, so that results can be
// written where the files of the study are not.
type Study struct {
	Title  string   `json:"title"`
	Axes   []string `json:"axes,omitempty"`
	Loads  int      `json:"loads"` // points of each series
	Series []Series `json:"series"`

	Points []decide.Point `json:"-"` // of all series in turn, done or not
	Sweep  *decide.Sweep  `json:"-"` // that solves the points; nil where they come from shards
	first  int            // the number of the first point among those of all studies
}

// Series is the layout of the points of a series.
type Series struct {
	Name     string   `json:"name"`
	Of       string   `json:"of"` // the name without the values on the axes
	TimeUnit string   `json:"time_unit"`
	Capacity float64  `json:"capacity"`
	Divisors []int    `json:"divisors"` // the numbers of static partitions
	At       []string `json:"at,omitempty"`
	// Ambiguous says that the model file does not say who stops during a repartition.
	Ambiguous bool `json:"ambiguous,omitempty"`

	// What is shown, see [policy.Selection]. Without a word of policies all are shown.
	Named []string `json:"named,omitempty"` // policies, as flags write them
	Best  bool     `json:"best,omitempty"`
	Every bool     `json:"every,omitempty"`
}

// New returns a study with its points at the loads, none of them solved. Without loads each series has one point, at the
// arrival rate of its model.
func New(study *modelfile.Study, loads []float64) *Study {
	s := &Study{Title: study.Title, Loads: max(1, len(loads)), Sweep: &decide.Sweep{Loads: loads}}
	s.Axes = words.Texts(study.Axes, func(a modelfile.Axis) string { return a.Path })
	for _, one := range study.Series {
		system, unit := one.Model.System, one.Model.TimeUnit
		s.Series = append(s.Series, Series{Name: one.Name, Of: one.Of, At: one.At, TimeUnit: unit.Name,
			Capacity: system.Capacity(), Divisors: system.Machine().Divisors(),
			Ambiguous: one.Model.Assumes(modelfile.Stops)})
		series := decide.Series{Name: one.Name, System: system, StopsAssumed: one.Model.Assumes(modelfile.Stops)}
		if ref := study.Reference; ref != nil {
			// A rate per time unit of the series, which may not be that of the reference.
			series.Capacity = ref.System.Capacity() * unit.Convert(1, ref.TimeUnit)
		}
		s.Sweep.Series = append(s.Sweep.Series, series)
	}
	return s
}

// Compare notes which policies are compared in series i, such as those of [decide.Candidates].
func (s *Study) Compare(i int, policies []policy.Policy) { s.Sweep.Series[i].Policies = policies }

// Show notes which policies are asked for in series i: they are solved and shown.
func (s *Study) Show(i int, asked *policy.Selection) {
	one := &s.Series[i]
	s.Sweep.Series[i].Policies, one.Best, one.Every = asked.Run, asked.Best, asked.Every
	one.Named = words.Texts(asked.Named, policy.Policy.String)
}

// isValid reports whether the layout, which may come from a file, is one of so many points at most.
func (s *Study) isValid(most int) bool {
	return s != nil && s.Loads > 0 && s.Loads <= most && len(s.Series) > 0 &&
		!slices.ContainsFunc(s.Series, func(one Series) bool { return len(one.At) != len(s.Axes) })
}

// Unit returns the time unit if all series have the same, and "" otherwise.
func (s *Study) Unit() string {
	unit := s.Series[0].TimeUnit
	if slices.ContainsFunc(s.Series, func(one Series) bool { return one.TimeUnit != unit }) {
		return ""
	}
	return unit
}

// Of returns all points of series i, done or not.
func (s *Study) Of(i int) []decide.Point { return s.Points[i*s.Loads : (i+1)*s.Loads] }

// Solved returns the points of series i that were solved, or some of whose policies were.
func (s *Study) Solved(i int) []decide.Point {
	return slices.DeleteFunc(slices.Clone(s.Of(i)), func(p decide.Point) bool {
		return !p.Done || p.Err != nil && len(p.Decision.Results) == 0
	})
}

// All returns the solved points of all series, and the series of each.
func (s *Study) All() (all []decide.Point, of []*Series) {
	for i := range s.Series {
		all = append(all, s.Solved(i)...)
		of = append(of, slices.Repeat([]*Series{&s.Series[i]}, len(all)-len(of))...)
	}
	return all, of
}

// Shown returns the solved policies of a point that results show: all, or those that [Study.Show] names.
func (s *Series) Shown(p *decide.Point) []decide.Solved {
	if len(s.Named) == 0 && !s.Best {
		return p.Decision.Results
	}
	asked := policy.Selection{Best: s.Best}
	for _, r := range p.Decision.Results {
		if slices.Contains(s.Named, r.Policy.String()) {
			asked.Named = append(asked.Named, r.Policy)
		}
	}
	return p.Decision.Shown(&asked)
}

// EveryStatic reports whether every static policy is solved, so that the best of them is the best there is.
func (s *Series) EveryStatic() bool { return s.Every || len(s.Named) == 0 && !s.Best }

// Compares reports whether dynamic partitioning is compared with the best static partitioning at the points of all series.
func (s *Study) Compares() bool {
	return !slices.ContainsFunc(s.Series, func(one Series) bool {
		return !one.EveryStatic() || len(one.Named) > 0 && !slices.Contains(one.Named, policy.Dynamic{}.String())
	})
}

// RateRemarks returns a sentence if points of the study have the same load and different arrival rates: the load is relative to a
// capacity, which a parameter may change. Otherwise, and if the series differ in their time units, the result is nil.
func (s *Study) RateRemarks() []string {
	if s.Unit() == "" {
		return nil
	}
	rates := map[float64]float64{}
	for i := range s.Points {
		p := &s.Points[i]
		load := math.Round(p.Load * 1e9)
		if first, known := rates[load]; known && math.Abs(p.ArrivalRate-first) > 1e-9*first {
			return []string{"Arrival rates differ between rows of one load: the load is a share of the capacity."}
		}
		rates[load] = p.ArrivalRate
	}
	return nil
}

// Partitions returns the numbers of static partitions that any series has, ascending, each once.
func (s *Study) Partitions() (all []int) {
	for _, one := range s.Series {
		all = append(all, one.Divisors...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Classes returns the names of the classes of jobs in all series, each once.
func (s *Study) Classes() (all []string) {
	for i := range s.Points {
		for _, c := range s.Points[i].Decision.Compare().Classes() {
			if !slices.Contains(all, c.Name) {
				all = append(all, c.Name)
			}
		}
	}
	return all
}

// Numbers returns the value of each series on an axis, nil if some value is neither a number nor a time. If some value is a
// time with its own unit, all of them are times in seconds, and unit is s.
func (s *Study) Numbers(axis int) (x []float64, unit string) {
	if slices.ContainsFunc(s.Series, func(one Series) bool { _, ok := measure.ParseNumber(one.At[axis]); return !ok }) {
		unit = measure.Second().Name
	}
	for _, one := range s.Series {
		v, ok := measure.ParseNumber(one.At[axis])
		if unit != "" {
			own, wrong := measure.TimeUnitNamed(one.TimeUnit)
			time, err := measure.ParseTime(one.At[axis], own)
			v, ok = own.Convert(time, measure.Second()), errors.Join(wrong, err) == nil
		}
		if !ok {
			return nil, ""
		}
		x = append(x, v)
	}
	return x, unit
}

// HasNames reports whether the series have names beside their values on the axes.
func (s *Study) HasNames() bool {
	return slices.ContainsFunc(s.Series, func(one Series) bool { return one.Of != s.Series[0].Of })
}

// Readings returns a reading for each series whose points were also solved with only the resized jobs stopping, see
// [decide.NewReading]. The points of shards are solved in both ways.
//
// If wanted is set, a series can also have a reading whose Err says that the solutions are missing. The series then
// compares dynamic with static partitioning, and its file does not say which jobs stop during a repartition.
func (s *Study) Readings(wanted bool) (all []decide.Reading) {
	for i := range s.Series {
		one, ok := decide.NewReading(s.Of(i))
		compared := slices.ContainsFunc(s.Of(i), func(p decide.Point) bool { return p.Decision.Ratio != 0 })
		if !ok && wanted && s.Series[i].Ambiguous && compared {
			one, ok = decide.Reading{Series: s.Series[i].Name,
				Err: errors.New("only the points of shards are solved with both; solve the study in shards")}, true
		}
		if ok {
			all = append(all, one)
		}
	}
	return all
}
