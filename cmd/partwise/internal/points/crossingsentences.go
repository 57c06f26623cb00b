package points

import (
	"fmt"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/solution"
	"github.com/partwise/partwise/models/decide"
)

// Crossings returns a sentence for each series: at which loads dynamic partitioning pays.
func (s *Study) Crossings() (all []string) {
	for i, one := range s.Series {
		if solved := s.Solved(i); len(solved) > 0 {
			all = append(all, one.Name+": "+solution.Crossings(solved)+".")
			if text := solution.RigidSaturation(solved); text != "" {
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
		text := one.Name + ": " + solution.Crossings(solved)
		if t := decide.NewTally(solved); t.Faster > 0 {
			c := solved[t.Most].Decision.Compare()
			text += fmt.Sprintf("; most at load %s (%s times as fast)", output.Load(solved[t.Most].Load), output.Round(c.Ratio, 3))
		}
		all = append(all, text+".")
	}
	return all
}
