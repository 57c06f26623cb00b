package replay

import (
	"context"
	"fmt"
	"math"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
)

// Variation is a replay of which one assumption differs from those of the study.
type Variation struct {
	Setting string // resize_cost, stops, speedup, factors or load
	Value   string // in place of what the study assumes
	Run     *Run
}

// change is a change of an assumption of a study.
type change struct {
	setting, value string
	make           func(*Study)
}

// changes returns the changes that are tried: another cost of a resize, other jobs that stand still for it, other speedups,
// narrower and wider bounds of the nodes of malleable jobs, and other loads.
func (s *Study) changes(load float64) []change {
	var all []change
	add := func(setting, value string, make func(*Study)) { all = append(all, change{setting, value, make}) }
	for _, name := range []string{"0s", "15s", "60s", "4min", "15min"} {
		seconds := map[string]float64{"15s": 15, "60s": 60, "4min": 240, "15min": 900}[name]
		if !s.Cost.Flat() || s.Cost.Seconds != seconds {
			add("resize_cost", name, func(s *Study) { s.Cost = Cost{Name: name, Seconds: seconds} })
		}
	}
	if s.Cost.Flat() && s.Cost.Seconds > 0 {
		stops := models.AllStop
		if s.Stops == models.AllStop {
			stops = models.ResizedStop
		}
		add("stops", string(stops), func(s *Study) { s.Stops = stops })
	}
	for _, speedup := range []workload.Speedup{workload.Linear{}, workload.Amdahl{Serial: 0.05}, workload.Amdahl{Serial: 0.2}} {
		if text := workload.SpeedupText(speedup); s.Speedup == nil || text != workload.SpeedupText(s.Speedup) {
			add("speedup", text, func(s *Study) { s.Speedup = speedup })
		}
	}
	for _, f := range [][2]float64{{0.5, 1}, {1, 2}, {0.25, 4}} {
		if f != [2]float64{s.Least, s.Most} {
			add("factors", fmt.Sprintf("%g to %g", f[0], f[1]), func(s *Study) { s.Least, s.Most = f[0], f[1] })
		}
	}
	for _, other := range []float64{0.5, 0.7, 0.85} {
		if math.Abs(load-other) > 0.02 { // no other load within the precision of the log's own
			add("load", fmt.Sprintf("%g", other), func(s *Study) { s.Loads = []float64{other} })
		}
	}
	return all
}

// Variations replays the log under easy-malleable with a share of malleable jobs, each time with one assumption changed. The
// first variation has no Setting: it is the study as it is. A log without a load, whose jobs come all at once, has no
// variations of it.
func (s *Study) Variations(ctx context.Context, workers int, share float64) ([]Variation, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	of := *s
	of.Policies, of.Shares, of.Costs = []policy.Policy{policy.EASYMalleable{}}, []float64{share}, nil
	load, err := s.Log.Load()
	if err != nil {
		return nil, err
	}
	runs := of.Runs() // easy-malleable, then EASY
	easy := runs[1]
	all := []Variation{{Run: runs[0]}}
	for _, c := range of.changes(load) {
		if c.setting == "load" && (!(load > 0) || math.IsInf(load, 1)) {
			continue
		}
		with := of
		c.make(&with)
		changed := with.Runs()
		all = append(all, Variation{c.setting, c.value, changed[0]})
		if runs = append(runs, changed[0]); changed[0].Load == easy.Load {
			changed[0].Baseline = easy // which no other assumption changes
		} else {
			runs = append(runs, changed[1])
		}
	}
	return all, of.each(ctx, runs, workers)
}
