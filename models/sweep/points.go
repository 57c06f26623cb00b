package sweep

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
)

// Points are the points of studies that are solved together. They are numbered study by study, as in a journal.
type Points struct {
	Studies []*Study
	Shard   Shard
	Total   int // points of the shard
	Missing int // points of the shard that are not solved
}

// NewPoints returns the points of studies, or the shard of them, none solved. It makes room for the points in the studies. It is an
// error if a study has no series, or not a value of each series on each axis.
func NewPoints(studies []*Study, shard Shard) (*Points, error) {
	all := &Points{Studies: studies, Shard: shard}
	first := 0
	for i, s := range studies {
		if !s.isValid(mostPoints) {
			return nil, fmt.Errorf("sweep: study %d has no points, or its series do not fit its axes", i+1)
		}
		s.first, s.Points = first, make([]decide.Point, s.Loads*len(s.Series))
		first += len(s.Points)
	}
	for i := range first {
		if shard.Holds(i) {
			all.Total++
		}
	}
	all.Missing = all.Total
	return all, nil
}

// Restored returns the points of studies, whose layout was read from a journal, as the journal holds them. Table reads the
// policies.
func Restored(table policy.Table, studies []*Study, c *Contents) (*Points, error) {
	if c == nil {
		return nil, errors.New("sweep: there is no journal")
	}
	points := 0
	for _, s := range studies {
		if !s.isValid(c.Plan.Points) {
			return nil, errors.New("holds points that are laid out in no way that this program knows")
		}
		points += len(s.Series) * s.Loads
	}
	if len(studies) == 0 || points != c.Plan.Points {
		return nil, fmt.Errorf("is of %d points, its studies have %d", c.Plan.Points, points)
	}
	all, err := NewPoints(studies, c.Plan.Shard)
	if err != nil {
		return nil, err
	}
	return all, all.Restore(table, c.Records, false)
}

// Restore takes what a journal remembers, without the points that failed if they are to be tried again. Table reads the policies.
func (all *Points) Restore(table policy.Table, records map[int]Record, again bool) error {
	if all == nil {
		return nil
	}
	for _, s := range all.studies() {
		var expected []decide.Point // nil where the systems are not known
		if s.Sweep != nil {
			expected = s.Sweep.Points()
		}
		for i := range s.Points {
			record, ok := records[s.first+i]
			if !ok || record.Error != "" && again {
				continue
			}
			p, err := pointOf(table, record)
			if err == nil {
				err = s.belongs(i, &p, expected)
			}
			if err != nil {
				return fmt.Errorf("point %d: %w", record.Point, err)
			}
			all.add(s, i, &p)
		}
	}
	return nil
}

// studies returns the studies without nil entries.
func (all *Points) studies() []*Study {
	return slices.DeleteFunc(slices.Clone(all.Studies), func(s *Study) bool { return s == nil })
}

// All returns the points of all studies, done or not.
func (all *Points) All() (points []decide.Point) {
	for _, s := range all.studies() {
		points = append(points, s.Points...)
	}
	return points
}

// add enters point i of a study, and counts it as missing no more unless it failed.
func (all *Points) add(s *Study, i int, p *decide.Point) {
	s.Points[i] = *p
	if p.Err == nil {
		all.Missing--
	}
}

// todo returns the points of a study that are to be solved.
func (all *Points) todo(s *Study) []int {
	todo := []int{}
	for i := range s.Points {
		if !s.Points[i].Done && all.Shard.Holds(s.first+i) {
			todo = append(todo, i)
		}
	}
	return todo
}

// Solving says how points are solved.
type Solving struct {
	Settings markov.Settings
	Workers  int  // 0: one for each processor
	Both     bool // also with only the resized jobs stopping, see [decide.Sweep]
	Journal  *Journal
	// Each, if not nil, is called for each point that was solved or failed, after it is in the journal. Calls do not overlap.
	Each func(p *decide.Point)
}

// Solve solves the points that are not known yet: studies one after the other, each with all workers. Each point goes into the
// journal, if there is one, and into its study. A point that fails carries its error and does not stop the others. The error
// wraps [parallel.ErrTooLarge] if the point takes too much memory or time.
//
// The error comes from ctx if ctx is done before the last point, an error for which [Fatal] holds, or the error of a journal
// that cannot be written. The studies then hold the points that are done.
func (all *Points) Solve(ctx context.Context, how Solving) error {
	if all == nil {
		return nil
	}
	for _, s := range all.studies() {
		w := s.Sweep
		w.Settings, w.Workers, w.Both, w.Todo = how.Settings, how.Workers, how.Both, all.todo(s)
		w.Each = func(i int, p *decide.Point) error { return all.keep(s, i, p, &how) }
		if _, err := w.Solve(ctx); err != nil {
			return err
		}
	}
	return nil
}

// keep adds a point that was solved to the journal and to its study.
func (all *Points) keep(s *Study, i int, p *decide.Point, how *Solving) error {
	if p.Err != nil && Fatal(p.Err) {
		return p.Err
	}
	record := newRecord(s.first+i, p)
	if err := how.Journal.Append(record); err != nil {
		return err
	}
	if record.Error != "" { // as it would be read back, and where a value cannot be kept
		p.Err = record.failure()
	}
	all.add(s, i, p)
	if how.Each != nil {
		how.Each(p)
	}
	return nil
}

// Fatal reports whether every point of a study has the error of this point: the method or the policy has no chain for any point.
func Fatal(err error) bool {
	return errors.Is(err, markov.ErrMethod) || errors.Is(err, models.ErrNoChain) || errors.As(err, new(*models.RigidityError))
}

// Inputs returns what the files of studies say, as settings of a plan: the values of the study and of its model files, and the sums
// of other files. The error says that a file can no longer be read.
func Inputs(studies ...*modelfile.Study) (all []Setting, err error) {
	for _, study := range studies {
		inputs, err := study.Inputs()
		if err != nil {
			return nil, err
		}
		for _, in := range inputs {
			name := in.File
			if in.Field != "" {
				name += ": " + in.Field
			}
			if len(studies) > 1 {
				name = study.File + ": " + name
			}
			all = append(all, Setting{Name: name, Value: in.Value})
		}
	}
	return all, nil
}
