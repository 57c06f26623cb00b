package replay

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
)

// Variation is a replay in which one assumption differs from the assumptions of the study.
type Variation struct {
	Setting string // resize_cost, stops, speedup, factors or load
	Value   string // in place of what the study assumes
	Run     *Run
}

// Flip lists the variations that lead to one verdict, which differs from the verdict under the assumptions of the study.
type Flip struct {
	Verdict    Verdict
	Variations []*Variation
}

// Flips returns the variations that change the verdict on resizing, grouped by their verdict in the order [Pays],
// [NotClear], [PaysNot]. all is the result of [Study.Variations]: its first entry, in which nothing is changed, has the
// verdict for comparison. Each variation in the result points into all.
//
// flips is empty if no variation changes the verdict. ok is false if nothing was varied, or if the first entry has no
// run or too few jobs for an interval.
func Flips(all []Variation) (flips []Flip, ok bool) {
	if len(all) < 2 || all[0].Run == nil || !all[0].Run.Ratio().IsKnown() {
		return nil, false
	}
	usual := all[0].Run.Verdict()
	for _, verdict := range []Verdict{Pays, NotClear, PaysNot} {
		flip := Flip{Verdict: verdict}
		for i := range all {
			if verdict != usual && all[i].Run.Verdict() == verdict {
				flip.Variations = append(flip.Variations, &all[i])
			}
		}
		if flip.Variations != nil {
			flips = append(flips, flip)
		}
	}
	return flips, true
}

// eachVariation calls try for each change of one assumption that “If the assumptions are wrong” shows. setting names
// the assumption, value what is assumed instead:
//
//   - resize_cost: a resize takes 0 s, 15 s, 60 s, 4 min or 15 min
//   - stops: all jobs, or the resized jobs alone, stand still for a resize
//   - speedup: linear, or Amdahl's law with a serial fraction of 5 % or 20 %
//   - factors: malleable jobs run on 0.5 to 1, 1 to 2, or 0.25 to 4 times the nodes that they asked for
//   - load: 0.5, 0.7 and 0.85, without values within 0.02 of load, the load of the log; no load if load is not
//     positive and finite
//
// The function change, which try gets, makes the change in a study. It leaves the study as it is if the study has this
// cost or speedup already. A change of stops leaves it as it is, too, if resizes are free or their cost depends on
// sizes.
func eachVariation(load float64, try func(setting, value string, change func(*Study))) {
	for _, cost := range []Cost{freeCost(), {Name: "15s", Seconds: 15}, {Name: "60s", Seconds: 60}, {Name: "4min", Seconds: 240},
		{Name: "15min", Seconds: 900}} {
		try("resize_cost", cost.Name, func(s *Study) {
			if !s.Cost.Flat() || s.Cost.Seconds != cost.Seconds {
				s.Cost = cost
			}
		})
	}
	for _, stops := range []models.Stops{models.AllStop, models.ResizedStop} {
		try("stops", string(stops), func(s *Study) {
			if s.Cost.Flat() && s.Cost.Seconds > 0 {
				s.Stops = stops
			}
		})
	}
	for _, speedup := range []workload.Speedup{workload.Linear{}, workload.Amdahl{Serial: 0.05}, workload.Amdahl{Serial: 0.2}} {
		try("speedup", workload.SpeedupText(speedup), func(s *Study) {
			if s.orLinear() != speedup {
				s.Speedup = speedup
			}
		})
	}
	for _, f := range [][2]float64{{0.5, 1}, {1, 2}, {0.25, 4}} {
		try("factors", fmt.Sprintf("%g to %g", f[0], f[1]), func(s *Study) { s.Least, s.Most = f[0], f[1] })
	}
	if !(load > 0) || math.IsInf(load, 1) {
		return
	}
	for _, other := range []float64{0.5, 0.7, 0.85} {
		if math.Abs(load-other) > 0.02 { // no other load within the precision of the log's own
			try("load", fmt.Sprintf("%g", other), func(s *Study) { s.Loads = []float64{other} })
		}
	}
}

// Variations replays the log under easy-malleable with the given share of malleable jobs, each time with one assumption
// changed. The first variation has no Setting: nothing is changed. A change to the value that the study assumes anyway is
// left out. Each run is compared with EASY at the same load.
//
// Policies, shares, costs, groupings and numbers of nodes of the study are not used. workers replays run at a time, one
// for each processor if it is 0. s.Done and s.Ended are called for the jobs of every replay. The error is a
// *[SettingError] if the study has several loads, or comes from [Study.Run]; the result is nil then.
func (s *Study) Variations(ctx context.Context, workers int, share float64) ([]Variation, error) {
	if s == nil {
		return nil, s.Check()
	}
	if len(s.Loads) > 1 {
		return nil, &SettingError{"loads", "assumptions are varied at one load, not at several"}
	}
	of := *s
	of.Sample = nil
	of.Policies, of.Shares = []policy.Policy{policy.EASYMalleable{}}, []float64{share}
	of.Costs, of.Groupings, of.Nodes = nil, nil, nil
	if err := of.Check(); err != nil {
		return nil, err
	}
	runs := of.Runs() // easy-malleable, then EASY
	easy := runs[1]
	runs[0].searched, easy.searched = true, true
	all := []Variation{{Run: runs[0]}}
	eachVariation(s.load(), func(setting, value string, change func(*Study)) {
		with := of
		change(&with)
		if reflect.DeepEqual(with.Assumptions, of.Assumptions) && slices.Equal(with.Loads, of.Loads) {
			return
		}
		changed := with.Runs()
		changed[0].searched, changed[1].searched = true, true
		all = append(all, Variation{setting, value, changed[0]})
		runs = append(runs, changed[0])
		if changed[0].Load == easy.Load {
			changed[0].Baseline = easy // no assumption but the load changes EASY
		} else {
			runs = append(runs, changed[1])
		}
	})
	if err := of.replayAll(ctx, runs, workers); err != nil {
		return nil, err
	}
	return all, nil
}

// load returns the load of a study with at most one load, relative to the nodes of the log: s.Loads[0], or the load of
// the log if s.Loads is empty. s.Log must be set.
func (s *Study) load() float64 {
	if len(s.Loads) > 0 {
		return s.Loads[0]
	}
	return s.Log.Load()
}
