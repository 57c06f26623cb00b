package decide

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
)

// Effect is what a parameter does: relative changes per relative change of the parameter (elasticities), so that 0.5 is
// 0.5 % per 1 %.
type Effect struct {
	Parameter string
	Dynamic   float64 // of T_DP
	Static    float64 // of T_SP*
	Ratio     float64 // of T_SP*/T_DP: Static − Dynamic
	// Error is the larger of the estimated errors of Dynamic and Static.
	Error float64
}

// Elasticities are what the parameters of a system do to its mean response times.
type Elasticities struct {
	Partitions int     // K of the best static partitioning, which is held
	Step       float64 // relative, of the differences
	// Effects are sorted by |Ratio|, the largest first.
	Effects []Effect
	// Warnings tell of parameters that are left out, and of a best static policy that is about to change.
	Warnings []error
}

// sensitivityStep is the relative step of the differences, the second of two being half as long. Of central ones of the
// fourth order the truncation is about h⁴ and the rounding 1e-12/h, both some 1e-10 here. Close to saturation response
// times change with the distance from it: no step is more than shareOfRoom of that.
const (
	sensitivityStep = 1e-2
	shareOfRoom     = 0.1
)

// stepFor returns the step for what the two policies leave of the machine.
func stepFor(d *Decision) float64 {
	busiest := max(d.Of(policy.Dynamic{}).Measures.TrafficIntensity, d.Best.Measures.TrafficIntensity)
	return min(sensitivityStep, shareOfRoom*(1-busiest))
}

// parameter is a quantity of a system and the system with it multiplied by a factor.
type parameter struct {
	name   string
	scale  func(s *models.System, by float64) (*models.System, error)
	refits bool // the differences are about the distribution that two moments give
	// upward says that the parameter can only be increased without leaving its family of distributions, downward that it
	// can only be decreased; otherwise differences are central.
	side side
}

type side int

const (
	central side = iota
	upward
	downward
)

// Sensitivity solves the system with each parameter a little larger and smaller and returns the relative change of the
// mean response times per relative change of the parameter: central differences at two steps, extrapolated.
//
// Parameters are the arrival rate; the squared coefficient of variation of a renewal arrival process and of the service
// times, distributions then being those that two moments give (a warning says if that is not what the system has); the
// means of all service times, of all shrinking and of all expanding repartitions and of all set-ups; and, if all jobs have one
// speedup, the number of nodes, the number of partitions being held.
//
// The error is a *[models.SystemError] if the system is wrong, and wraps [markov.ErrUnstable] unless dynamic and some
// static partitioning are stable.
func Sensitivity(ctx context.Context, s *models.System, set markov.Settings, workers int) (*Elasticities, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	set = limited(set)
	d, err := Solve(ctx, s, policy.Candidates(s.Machine()), set, workers)
	if err != nil {
		return nil, err
	}
	if d.Ratio == 0 {
		return nil, fmt.Errorf("decide: sensitivity of a ratio that does not exist: %w", markov.ErrUnstable)
	}
	out := &Elasticities{Partitions: d.Best.Partitions(), Step: stepFor(&d)}
	out.warnOfTies(&d)
	parameters := parametersOf(s, out.Step)
	effects, errs := make([]Effect, len(parameters)), make([]error, len(parameters))
	err = parallel.Each(ctx, len(parameters), workers, func(i int) error {
		effects[i], errs[i] = effect(ctx, s, parameters[i], out, set)
		return nil // a parameter that cannot be varied does not stop the others
	})
	if err != nil {
		return nil, err
	}
	for i, k := range parameters {
		switch {
		case errors.Is(errs[i], errLeftOut), errors.Is(errs[i], ErrTooManyPhases),
			errors.Is(errs[i], ErrPhaseMap):
			out.Warnings = append(out.Warnings, fmt.Errorf("%s is left out: %w", k.name, errs[i]))
		case errs[i] != nil:
			return nil, fmt.Errorf("sensitivity to %s: %w", k.name, errs[i])
		default:
			out.Effects = append(out.Effects, effects[i])
			out.Warnings = append(out.Warnings, refitted(ctx, s, k, &d, set.Memory)...)
		}
	}
	slices.SortStableFunc(out.Effects, func(a, b Effect) int { return cmp.Compare(math.Abs(b.Ratio), math.Abs(a.Ratio)) })
	return out, nil
}

// warnOfTies warns if the best static policy is about to change: its derivatives hold on this side only.
func (out *Elasticities) warnOfTies(d *Decision) {
	best := d.Best.Measures.MeanResponseTime
	for _, r := range d.Results {
		if r.Partitions() == 0 || r.Policy == d.Best.Policy || !r.Measures.Stable {
			continue
		}
		if off := r.Measures.MeanResponseTime/best - 1; off < out.Step {
			out.Warnings = append(out.Warnings, fmt.Errorf(
				"%v is only %.2g %% behind static:%d: where that becomes the best, the effects are its own", r.Policy, 100*off,
				out.Partitions))
		}
	}
}

var errLeftOut = errors.New("it cannot be varied here")

// parametersOf returns the parameters that the system has.
func parametersOf(s *models.System, step float64) []parameter {
	all := []parameter{
		{name: "arrival rate", scale: func(s *models.System, by float64) (*models.System, error) {
			return s.WithArrivalRate(by * s.Arrivals.Rate())
		}},
		{name: "arrival scv", scale: scaleArrivalSCV, refits: true, side: room(s.Arrivals.SCV(), step)},
		means("service", func(by float64) models.Changes { return models.Changes{Run: models.Times(by)} }),
		{name: "service scv", scale: scaleServiceSCV, refits: true, side: room(serviceSCV(s), step)},
	}
	if costs(s.Shrink) {
		all = append(all, means("shrink", func(by float64) models.Changes { return models.Changes{Shrink: models.Times(by)} }))
	}
	if costs(s.Expand) {
		all = append(all, means("expand", func(by float64) models.Changes { return models.Changes{Expand: models.Times(by)} }))
	}
	if len(s.Setup) > 0 {
		all = append(all, means("set-up", func(by float64) models.Changes { return models.Changes{Setup: models.Times(by)} }))
	}
	if speedupOf(s) != nil || len(s.Classes) > 0 {
		all = append(all, parameter{name: "nodes", scale: scaleNodes})
	}
	return all
}

// means is the parameter of the means of some times.
func means(of string, change func(by float64) models.Changes) parameter {
	return parameter{name: of + " means", scale: func(s *models.System, by float64) (*models.System, error) {
		return s.With(change(by))
	}}
}

// costs reports whether some of the overheads take time.
func costs(list []phasetype.Dist) bool {
	return slices.ContainsFunc(list, func(d phasetype.Dist) bool { return !d.IsZero() })
}

// serviceSCV is that of B_N, the one with which the machine runs under load.
func serviceSCV(s *models.System) float64 { return s.Service[len(s.Service)-1].SCV() }

// room returns on which side of scv the family that two moments give goes on for two steps: families meet at 1, ½, ⅓,
// …, each holding its lower end.
func room(scv, step float64) side {
	scv = snap(scv)
	lo, hi := 1.0, math.Inf(1)
	if scv < 1 {
		k := math.Ceil(1 / scv)
		if scv*k < 1 {
			k++
		}
		lo, hi = 1/k, 1/(k-1)
	}
	reach := 2.1 * step
	switch {
	case scv*(1-reach) >= lo && scv*(1+reach) < hi:
		return central
	case scv*(1+reach) < hi:
		return upward
	}
	return downward
}

// snap takes an scv that is 1 or 1/k but for rounding to what it was meant to be.
func snap(scv float64) float64 {
	k := math.Round(1 / scv)
	if k >= 1 && math.Abs(scv*k-1) < 1e-9 {
		return 1 / k
	}
	return scv
}

func scaleArrivalSCV(s *models.System, by float64) (*models.System, error) {
	if !s.Arrivals.IsRenewal() {
		return nil, fmt.Errorf("arrivals depend on one another: %w", errLeftOut)
	}
	d, err := phasetype.TwoMoments(1/s.Arrivals.Rate(), snap(s.Arrivals.SCV())*by)
	if err != nil {
		return nil, err
	}
	scaled := *s
	scaled.Arrivals, err = phasetype.Renewal(d)
	return &scaled, err
}

func scaleServiceSCV(s *models.System, by float64) (*models.System, error) {
	if len(s.Classes) > 1 {
		return nil, fmt.Errorf("each class of jobs has an scv of its own: %w", errLeftOut)
	}
	return withServiceSCV(s, snap(serviceSCV(s))*by)
}

// speedupOf returns the speedup of all jobs, nil where they have several or no known one, or cannot use all nodes.
func speedupOf(s *models.System) workload.Speedup {
	if len(s.Classes) == 1 && (s.Classes[0].MaxNodes == 0 || s.Classes[0].MaxNodes == s.Nodes) {
		return s.Classes[0].Speedup
	}
	return s.Speedup
}

// scaleNodes makes all partitions larger, their number staying what it is.
func scaleNodes(s *models.System, by float64) (*models.System, error) {
	speedup := speedupOf(s)
	if speedup == nil {
		return nil, fmt.Errorf("the most nodes that classes of jobs can use are whole numbers: %w", errLeftOut)
	}
	scaled := *s
	scaled.Service = make([]phasetype.Dist, len(s.Service))
	for i := range s.Service {
		n := float64(s.Nodes) / float64(i+1)
		now, then := speedup.At(n), speedup.At(n*by)
		if c, ok := speedup.(workload.Ranged); ok && !c.Covers(n*by) {
			return nil, fmt.Errorf("the speedup says nothing of %.4g nodes: %w", n*by, errLeftOut)
		}
		var err error
		if scaled.Service[i], err = s.Service[i].Scale(now / then); err != nil {
			return nil, err
		}
	}
	return &scaled, nil
}

// effect returns the elasticities of both response times.
func effect(ctx context.Context, s *models.System, k parameter, of *Elasticities, set markov.Settings) (Effect, error) {
	policies := []policy.Policy{policy.Dynamic{}, policy.Static{Partitions: of.Partitions}}
	logs := func(by float64) (v [2]float64, err error) {
		scaled, err := k.scale(s, by)
		if err != nil {
			return v, err
		}
		d, err := Solve(ctx, scaled, policies, set, 1)
		if err != nil {
			return v, err
		}
		for i, r := range d.Results {
			if !r.Measures.Stable {
				return v, fmt.Errorf("%v is unstable at %g times its value: %w", r.Policy, by, errLeftOut)
			}
			v[i] = math.Log(r.Measures.MeanResponseTime)
		}
		return v, nil
	}
	e := Effect{Parameter: k.name}
	slopes, offs, err := derivative(logs, k.side, of.Step)
	for side := upward; errors.Is(err, errLeftOut) && side <= downward; side++ { // a speedup may end at the nodes of the machine
		slopes, offs, err = derivative(logs, side, of.Step)
	}
	e.Dynamic, e.Static, e.Ratio = slopes[0], slopes[1], slopes[1]-slopes[0]
	e.Error = max(offs[0], offs[1])
	return e, err
}

// derivative returns the derivatives of f(exp(t)) at t = 0 and the estimated errors, by differences at a step and half
// of it, extrapolated.
func derivative(f func(by float64) ([2]float64, error), at side, step float64) (slope, off [2]float64, err error) {
	const order = 4 // by which halving the step divides the error
	h := math.Log1p(step)
	offsets := []float64{-1, -0.5, 0.5, 1}
	weights := [2][]float64{{-0.5, 0, 0, 0.5}, {0, -1, 1, 0}} // at the step, at half of it
	if at != central {
		offsets = []float64{0, 0.5, 1, 2}
		weights = [2][]float64{{-1.5, 0, 2, -0.5}, {-3, 4, -1, 0}}
	}
	if at == downward {
		h = -h
	}
	for i, o := range offsets {
		v, err := f(math.Exp(o * h))
		if err != nil {
			return slope, off, err
		}
		for j := range v {
			off[j] += weights[0][i] * v[j] / h
			slope[j] += weights[1][i] * v[j] / h
		}
	}
	last := step
	if step < sensitivityStep { // it is so much of the distance from saturation
		last = shareOfRoom
	}
	for j := range slope {
		better := slope[j] + (slope[j]-off[j])/(order-1)
		// What remains is smaller than the last correction by another power of the step; rounding of the logarithms, good to
		// twelve digits, is divided by the step.
		off[j] = math.Abs(better-slope[j])*last + 8e-12/math.Abs(h)
		slope[j] = better
	}
	return slope, off, nil
}

// refitted warns if the differences are about another distribution than that of the system.
func refitted(ctx context.Context, s *models.System, k parameter, d *Decision, memory *markov.Memory) []error {
	base, err := k.scale(s, 1)
	if !k.refits || err != nil {
		return nil
	}
	const same = 1e-6
	r, err := solve(ctx, base, policy.Dynamic{}, markov.Settings{Memory: memory})
	if err != nil || !r.Measures.Stable {
		return nil
	}
	off := r.Measures.MeanResponseTime/d.Of(policy.Dynamic{}).Measures.MeanResponseTime - 1
	if math.Abs(off) < same {
		return nil
	}
	return []error{fmt.Errorf("%s is varied about the distribution that two moments give, with which dynamic "+
		"partitioning is %+.2g %% off", k.name, 100*off)}
}
