package answer

import (
	"context"
	"fmt"
	"slices"

	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
)

// Controls are the values that a model gives the controls of the page, and what bounds them. Nothing is 0 that a control could not
// show.
type Controls struct {
	Values
	Title     string  `json:"title"`
	TimeUnit  string  `json:"time_unit"`
	Seconds   float64 `json:"seconds"` // that a unit of time has
	MostUnits int     `json:"-"`       // that the speedup is known for
	MinNodes  int     `json:"min_nodes"`
	// Of the class of jobs that can use most nodes, if jobs are of several classes.
	Class     string `json:"class,omitempty"`
	SharePath string `json:"share_path,omitempty"` // where settings give its share
}

// controls returns the controls with the values that their sliders can have.
func controls(_ context.Context, _ *Question, file *modelfile.Model) (any, error) {
	c := controlsOf(file)
	return struct {
		*Controls
		Sliders map[string][]float64 `json:"sliders"`
	}{c, c.sliders()}, nil
}

func controlsOf(file *modelfile.Model) *Controls {
	s := file.System
	c := &Controls{Values: Values{Load: s.Load(), Units: s.Partitions(), ArrivalSCV: s.Arrivals.SCV(), Serial: -1}, Title: file.Title,
		TimeUnit: file.TimeUnit.Name, Seconds: file.TimeUnit.Seconds, MostUnits: max(32, s.Partitions()), MinNodes: s.MinNodes}
	c.Overhead, c.OverheadSCV = overhead(slices.Concat(s.Shrink, s.Expand))
	if k := s.Widest(); len(s.Classes) > 1 {
		all := 0.0
		for _, class := range s.Classes {
			all += class.Share
		}
		c.Class, c.Share = s.Classes[k].Name, s.Classes[k].Share/all
		c.SharePath = fmt.Sprintf("jobs.classes[%d].share", k)
	}
	if s.Speedup == nil {
		return c
	}
	c.Work, c.WorkSCV = s.Demand.Mean(), s.Demand.SCV()
	switch speedup := s.Speedup.(type) {
	case workload.Amdahl:
		c.Serial = speedup.Serial
	case workload.Linear:
		c.Serial = 0
	case workload.Ranged: // measured
		_, most := speedup.Range()
		c.MostUnits = min(c.MostUnits, int(most)/s.MinNodes)
	}
	return c
}

// overhead returns the mean of the means of the overheads that are there, and that of their coefficients of variation.
func overhead(all []phasetype.Dist) (mean, scv float64) {
	n := 0.0
	for _, d := range all {
		if !d.IsZero() {
			mean, scv, n = mean+d.Mean(), scv+d.SCV(), n+1
		}
	}
	if n == 0 {
		return 0, 1
	}
	return mean / n, scv / n
}
