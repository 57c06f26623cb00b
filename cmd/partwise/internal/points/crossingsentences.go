package points

import (
	"fmt"
	"slices"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/sweep"
	"github.com/partwise/partwise/models/words"
)

// Crossings returns a sentence for each series: at which loads dynamic partitioning pays.
func (s *Study) Crossings() (all []string) {
	for i, one := range s.Series {
		if solved := s.Solved(i); len(solved) > 0 {
			all = append(all, one.Name+": "+sweep.Crossings(solved)+".")
			if text := sweep.RigidSaturation(solved); text != "" {
				all = append(all, one.Name+": "+text+".")
			}
		}
	}
	return all
}

// ShortCrossings says the same in short, and by how much dynamic partitioning is faster where it gains most.
func (s *Study) ShortCrossings() (all []string) {
	for i, one := range s.Series {
		solved := s.Solved(i)
		if len(solved) == 0 {
			continue
		}
		text := one.Name + ": " + sweep.Crossings(solved)
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

// shortAssumptions says whom a resize stops, and to how many digits the least accurate point is certain. The result is "" for
// points of shards, which come without their systems, and if no point was solved.
func (s *Study) shortAssumptions() string {
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

// shortRigid says in a few words at which load rigid jobs saturate. It returns "" if rigid jobs do not saturate, or saturate at
// several loads.
func (s *Study) shortRigid() string {
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
