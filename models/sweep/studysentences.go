package sweep

import (
	"fmt"
	"slices"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/words"
)

// CrossingSentences say for each series at which loads dynamic partitioning pays, and at which load rigid jobs saturate.
func (s *Study) CrossingSentences() (all []string) {
	for i, one := range s.Series {
		if solved := s.Solved(i); len(solved) > 0 {
			all = append(all, one.Name+": "+Crossings(solved)+".")
			if text := RigidSaturation(solved); text != "" {
				all = append(all, one.Name+": "+text+".")
			}
		}
	}
	return all
}

// ShortCrossingSentences say for each series at which loads dynamic partitioning pays, and by how much it is faster where it gains
// most.
func (s *Study) ShortCrossingSentences() (all []string) {
	for i, one := range s.Series {
		solved := s.Solved(i)
		if len(solved) == 0 {
			continue
		}
		text := one.Name + ": " + Crossings(solved)
		if known := decide.Compared(solved); len(known) > 0 && known[0].Decision.Ratio <= 1 {
			if paying := decide.Paying(known); len(paying) > 0 {
				text += "; it does not pay below load " + words.Load(paying[0][0])
			}
		}
		if t := decide.NewTally(solved); t.Faster > 0 {
			c := solved[t.Most].Decision.Compare()
			text += fmt.Sprintf("; most at load %s (%s times as fast)", words.Load(solved[t.Most].Load), words.Round(c.Ratio, 3))
		}
		all = append(all, text+".")
	}
	return all
}

// AssumptionSentence says whom a resize stops, and to how many digits the least accurate point is certain. The result is "" for
// points of shards, which come without their systems, and if no point was solved.
func (s *Study) AssumptionSentence() string {
	points, _ := s.All()
	_, least := decide.LeastAccuratePoint(points)
	if s.Sweep == nil || least == nil {
		return ""
	}
	var stops []string
	for i := range s.Sweep.Series {
		stops = append(stops, whoStops(s.Sweep.Series[i].System))
	}
	slices.Sort(stops)
	return fmt.Sprintf("Assumed: %s; the rest as in the model, to %s.", words.And(slices.Compact(stops)),
		words.Count(least.Measures.Diagnostics.Digits(), "digit"))
}

// RigidSentence says at which load rigid jobs saturate. It returns "" if rigid jobs do not saturate, or saturate at
// several loads.
func (s *Study) RigidSentence() string {
	var limits []string
	for i := range s.Series {
		if load := decide.RigidLimit(s.Solved(i)); load > 0 {
			limits = append(limits, words.SaturationLoad(load, 3))
		}
	}
	if limits = slices.Compact(limits); len(limits) != 1 {
		return ""
	}
	return "Rigid jobs saturate at load " + limits[0] + "."
}

// whoStops says which jobs a resize stops on a system.
func whoStops(s *models.System) string {
	if s.Stops == models.ResizedStop {
		return "a resize stops the resized jobs alone"
	}
	return "a resize stops all jobs"
}

// TallySentence says at how many points dynamic partitioning is faster than the best static partitioning, and at which point it gains
// most.
func (s *Study) TallySentence() string {
	all, of := s.All()
	t := decide.NewTally(all)
	if t.Known == 0 {
		return "At no point are both policies stable."
	}
	text := fmt.Sprintf("Dynamic partitioning is faster than the best static at %d of %s", t.Faster, words.Count(t.Known, "point"))
	if t.Slightly > 0 {
		text += fmt.Sprintf(", at %d of them by so little that it makes no practical difference", t.Slightly)
	}
	if t.Known < len(all) {
		text += fmt.Sprintf(" (at %d one of them is unstable)", len(all)-t.Known)
	}
	if t.Faster > 0 {
		c := all[t.Most].Decision.Compare()
		text += fmt.Sprintf("; it gains most at %s, where a job takes %s than under static:%d",
			s.Label(of[t.Most], -1, "load "+words.Load(all[t.Most].Load)), c.SavingInWords(), c.Rival.Partitions())
	}
	return text + "."
}
