package replay

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/machine"
)

// Check returns an error if the study cannot be run; [Study.Run] and the searches call it first. It is a
// *[SettingError] that names the setting for one of these reasons:
//
//   - Nodes are more than [machine.MostNodes], fewer than the nodes of the log, or no multiple of the unit. The
//     nodes of a pool are no multiple of the unit.
//   - A policy cannot run on one of Nodes or on the nodes of a pool, or a log in pools has several numbers of
//     nodes.
//   - A load is above 5. A cost is negative or infinite.
//   - Stops, Shares, Least or Most is not valid; Unit, Replications, Present or Deadline is negative.
//   - A policy cannot be replayed, does not keep to the start window, or cannot run rigid jobs beside malleable
//     jobs for Shares.
//   - The sample was not made by [Study.DrawSample], or Loads or Nodes differ from the log beside it.
//
// It is a *[policy.ParameterError] if the table of policies is wrong. Another error says that there is no study, or no
// log that was made by [Choose].
func (s *Study) Check() error {
	if s == nil {
		return errors.New("replay: there is no study")
	}
	if err := s.Log.check(); err != nil {
		return err
	}
	mix := workload.Mix{Least: s.Least, Most: s.Most}
	switch {
	case s.Log.Nodes > machine.MostNodes:
		return &SettingError{"nodes", fmt.Sprintf("%s: %d nodes are more than %d, the most that are simulated", s.Log.Name,
			s.Log.Nodes, machine.MostNodes)}
	case s.Unit > 0 && s.Log.Nodes%s.Unit != 0:
		return &SettingError{"min_nodes", fmt.Sprintf("the number of nodes, %d, is not a multiple of %d", s.Log.Nodes, s.Unit)}
	case s.Stops != "" && s.Stops != models.AllStop && s.Stops != models.ResizedStop:
		return &SettingError{"stops", fmt.Sprintf("%q is unknown; use all or resized", s.Stops)}
	case slices.ContainsFunc(s.Loads, measure.TooLoaded):
		return &SettingError{"load", "no machine keeps up with a load above 5"}
	case min(s.Unit, s.Replications, s.Present) < 0 || !(s.Deadline >= 0):
		return &SettingError{"study", "Unit, Replications, Present and Deadline must not be negative"}
	}
	for _, mix.Share = range append([]float64{0}, s.Shares...) {
		if err := mix.Check(); err != nil {
			return &SettingError{"factors", err.Error()}
		}
	}
	for _, cost := range s.costs() {
		if err := cost.check(); err != nil {
			return err
		}
	}
	for _, p := range s.Policies {
		if err := checkPolicy(s.Table, p); err != nil {
			return err
		}
		if e, _ := orStandard(s.Table).Named(p.Name()); len(s.Shares) > 0 && e.Jobs != workload.Rigid && !e.Mixed {
			return &SettingError{"malleable", fmt.Sprintf("policy %s cannot run rigid jobs beside malleable ones", p)}
		}
		if s.StartWindow != nil && !(&Setting{Policy: p}).keepsWindow() {
			return &SettingError{"start_window", fmt.Sprintf("policy %s does not keep to a start window; easy and easy-malleable do", p)}
		}
	}
	if s.Sample != nil {
		if err := s.checkBesideSample(nil); err != nil {
			return err
		}
	}
	return cmp.Or(s.Sample.check(), s.checkNodes(), s.checkPools())
}

// checkNodes returns a *[SettingError] if a number of s.Nodes does not fit. A number must not be below the nodes of the
// log or above [machine.MostNodes]. It must be a multiple of the unit, and every policy must be able to run on it. A
// log in pools must not have several numbers.
func (s *Study) checkNodes() error {
	for _, n := range s.Nodes {
		switch {
		case s.Log.Pools != nil && len(s.Nodes) > 1:
			return &SettingError{"nodes", "partitions that are machines of their own have no number of nodes together"}
		case n < s.Log.Nodes:
			return &SettingError{"nodes", fmt.Sprintf("%d nodes are fewer than the %d with which jobs were chosen", n, s.Log.Nodes)}
		case n > machine.MostNodes:
			return &SettingError{"nodes", fmt.Sprintf("%d nodes are more than %d, the most that are simulated", n, machine.MostNodes)}
		case s.Unit > 0 && n%s.Unit != 0:
			return &SettingError{"min_nodes", fmt.Sprintf("the number of nodes, %d, is not a multiple of %d", n, s.Unit)}
		}
		for _, p := range s.Policies {
			if err := p.Check(policy.Machine{Nodes: n, Unit: max(1, s.Unit)}); err != nil {
				return &SettingError{"nodes", fmt.Sprintf("policy %s on %d nodes: %v", p, n, err)}
			}
		}
	}
	return nil
}

// checkPools returns a *[SettingError] if the nodes of a pool do not fit: they are not a multiple of the study's unit,
// or a policy cannot run on them. Without pools the result is nil.
func (s *Study) checkPools() error {
	if s.Log.Pools == nil {
		return nil
	}
	if !s.Log.Pools.Divisible(s.Unit) {
		return &SettingError{"min_nodes", fmt.Sprintf("the nodes of some partition are not a multiple of %d", s.Unit)}
	}
	for _, p := range s.Policies {
		for _, pool := range s.Log.Pools.List {
			if err := p.Check(policy.Machine{Nodes: pool.Nodes, Unit: max(1, s.Unit)}); err != nil {
				return &SettingError{"pool", fmt.Sprintf("partition %q of %d nodes: %v", pool.Name, pool.Nodes, err)}
			}
		}
	}
	return nil
}

// checkRuns returns an error unless all runs have results: searches start from the results of [Study.Run], for the same
// machine or the same pools as s.Log. The error is a *[SettingError] if a run has other pools than the log.
func (s *Study) checkRuns(runs []*Run) error {
	pools := 0
	if s.Log.Pools != nil {
		pools = len(s.Log.Pools.List)
	}
	for i, r := range runs {
		switch {
		case r == nil || r.Policy == nil:
			return fmt.Errorf("replay: run %d of %d is missing", i+1, len(runs))
		case r.Log == nil || r.Baseline != nil && r.Baseline.Log == nil:
			return fmt.Errorf("replay: run %d of %d has no results; use runs that Study.Run has returned", i+1, len(runs))
		case len(r.Pools) != pools:
			return &SettingError{"pool", fmt.Sprintf("run %d was made in %d partitions, the log has %d", i+1, len(r.Pools), pools)}
		}
	}
	return nil
}
