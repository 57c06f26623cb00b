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

// Effect holds the elasticities of the response times with respect to one parameter: relative changes per relative change
// of the parameter, d log T/d log(parameter). For instance, 0.5 means 0.5 % per 1 %.
type Effect struct {
	Parameter string
	Dynamic   float64 // of T_DP; NaN if [Elasticities] are StaticOnly
	Static    float64 // of T_SP*
	Ratio     float64 // of T_SP*/T_DP: Static − Dynamic; NaN if [Elasticities] are StaticOnly
	// Error is the larger of the errors of Dynamic and Static. It holds the bounds of the solutions, and an estimate of what the
	// difference quotients leave out.
	Error float64
}

// Decides reports whether the sign of Ratio is certain: whether Ratio is larger than the errors of Dynamic and Static together.
func (e *Effect) Decides() bool { return math.Abs(e.Ratio) > 2*e.Error }

// size returns |Ratio|, or |Static| if the ratio does not exist.
func (e *Effect) size() float64 {
	if math.IsNaN(e.Ratio) {
		return math.Abs(e.Static)
	}
	return math.Abs(e.Ratio)
}

// Elasticities are the effects of the parameters of a system on its mean response times.
type Elasticities struct {
	Partitions int // number of partitions K of the best static policy; K is held while parameters vary
	// Step is the relative step of the difference quotients for the arrival rate, the service means and the number of nodes. Parameters
	// that change the traffic intensity less have longer steps, up to 1e-2.
	Step float64
	// StaticOnly says that dynamic partitioning has no exact chain. A warning tells why.
	StaticOnly bool
	// Effects are sorted by |Ratio|, the largest first, or by |Static| if StaticOnly is set.
	Effects []Effect
	// Warnings name parameters that are left out, parameters whose distribution was refitted, and static policies that
	// are about to become the best.
	Warnings []error
}

// Sentence names the parameter on which the decision depends most or, if StaticOnly is set, the response time of the static policy. It
// is "" without effects.
func (s *Elasticities) Sentence() string {
	if s == nil || len(s.Effects) == 0 {
		return ""
	}
	e := s.Effects[0]
	if s.StaticOnly {
		return fmt.Sprintf("The response time under static:%d depends most on the %s: 1 %% more changes it by %+.2g %%.", s.Partitions,
			e.Parameter, e.Static)
	}
	if !e.Decides() {
		return "No parameter moves the ratio by more than the error of the solutions."
	}
	toward := "dynamic"
	if e.Ratio < 0 {
		toward = "static"
	}
	return fmt.Sprintf("The ratio depends most on the %s: 1 %% more moves it by %.2g %% towards %s partitioning.", e.Parameter,
		math.Abs(e.Ratio), toward)
}

// sensitivityStep is the largest relative step h of the difference quotients. [derivative] computes central differences
// D(h) and D(h/2) and extrapolates them to (4·D(h/2)−D(h))/3. The truncation error is h⁴/480 times the fifth derivative.
// The solutions contribute about 3/h times the solver's bound, usually 1e-10.
//
// Close to saturation, a response time varies on the scale of 1−ρ, where ρ is the traffic intensity. A step therefore
// changes ρ by at most shareOfRoom·(1−ρ), see [stepFor].
const (
	sensitivityStep = 1e-2
	shareOfRoom     = 0.1
)

// stepFor returns min(sensitivityStep, shareOfRoom·(1−ρ)/share). Here ρ is the larger traffic intensity of dynamic
// partitioning, if it was solved, and of the best static policy. share is the relative change of ρ per relative change of
// a parameter.
func stepFor(d *Decision, share float64) float64 {
	busiest := d.Best.Measures.TrafficIntensity
	if dynamic := d.Of(policy.Dynamic{}); dynamic != nil {
		busiest = max(busiest, dynamic.Measures.TrafficIntensity)
	}
	return min(sensitivityStep, shareOfRoom*(1-busiest)/share)
}

// shareOfSetup returns the mean set-up time divided by the mean time for which a job holds one of k partitions.
func shareOfSetup(s *models.System, k int) float64 {
	setup := s.Setup[k].Mean()
	return setup / (setup + s.Service[k-1].Mean())
}

// parameter is a quantity of a system that can be varied.
type parameter struct {
	name string
	// scale returns the system with the quantity multiplied by by.
	scale func(s *models.System, by float64) (*models.System, error)
	// refits says that scale replaces a distribution by the distribution of [phasetype.TwoMoments], even if by is 1.
	refits bool
	// step is the relative step of its difference quotients.
	step float64
	// side is central if the quantity can be increased and decreased. If only an increase keeps the family of
	// distributions, side is upward; if only a decrease does, side is downward.
	side side
}

// side says on which side of a point a difference quotient evaluates the function.
type side int

const (
	central side = iota
	upward
	downward
)

// Sensitivity returns the elasticities of the mean response times with respect to each parameter. The parameters are:
//
//   - the arrival rate;
//   - the squared coefficient of variation (scv) of the interarrival times, if arrivals form a renewal process;
//   - the scv of the service times, if there is one class of jobs;
//   - the mean of all service times, of all shrinking repartitions, of all expanding repartitions, and of all set-ups;
//   - the number of nodes with the number of partitions held, if all jobs have the same speedup.
//
// To vary an scv, the distribution is replaced by a distribution of [phasetype.TwoMoments]. A warning tells if the
// replacement changes the response time. The derivatives are extrapolated difference quotients, see [derivative].
//
// If dynamic partitioning has no exact chain, the result is StaticOnly. The error is a *[models.SystemError] if the system
// is wrong. It wraps [markov.ErrUnstable] unless some static partitioning is stable, and dynamic partitioning if it has a
// chain. It wraps a *[SolveError] if a static partitioning has no exact chain. If ctx ends, it wraps the error of ctx.
func Sensitivity(ctx context.Context, s *models.System, set markov.Settings, workers int) (*Elasticities, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	set = limited(set)
	candidates, missing := haveChain(s)
	for _, m := range missing {
		if m.Policy != policy.Policy(policy.Dynamic{}) {
			return nil, fmt.Errorf("decide: sensitivity of a ratio that does not exist: %w", m)
		}
	}
	staticOnly := len(missing) > 0
	d, err := Solve(ctx, s, candidates, set, workers)
	if err != nil {
		return nil, err
	}
	if d.Best == nil || d.Ratio == 0 && !staticOnly {
		return nil, fmt.Errorf("decide: sensitivity of a ratio that does not exist: %w", markov.ErrUnstable)
	}
	out := &Elasticities{Partitions: d.Best.Partitions(), Step: stepFor(&d, 1), StaticOnly: staticOnly}
	if staticOnly {
		out.Warnings = append(out.Warnings, missing[0])
	}
	out.warnOfTies(&d)
	if err := out.vary(ctx, s, &d, set, workers); err != nil {
		return nil, err
	}
	slices.SortStableFunc(out.Effects, func(a, b Effect) int { return cmp.Compare(b.size(), a.size()) })
	return out, nil
}

// vary appends the effects of all parameters of the system, and warnings of parameters that are left out or whose
// distribution was refitted. d is the decision on the system. The error names the parameter, or comes from ctx.
func (out *Elasticities) vary(ctx context.Context, s *models.System, d *Decision, set markov.Settings, workers int) error {
	parameters := parametersOf(s, d)
	effects, errs := make([]Effect, len(parameters)), make([]error, len(parameters))
	err := parallel.Each(ctx, len(parameters), workers, func(i int) error {
		effects[i], errs[i] = effect(ctx, s, parameters[i], out, set)
		return nil // a parameter that cannot be varied does not stop the others
	})
	if err != nil {
		return err
	}
	for i, k := range parameters {
		switch {
		case errors.Is(errs[i], errLeftOut), errors.Is(errs[i], ErrTooManyPhases), errors.Is(errs[i], ErrPhaseMap):
			out.Warnings = append(out.Warnings, fmt.Errorf("%s is left out: %w", k.name, errs[i]))
		case errs[i] != nil:
			return fmt.Errorf("sensitivity to %s: %w", k.name, errs[i])
		default:
			out.Effects = append(out.Effects, effects[i])
			out.Warnings = append(out.Warnings, refitted(ctx, s, k, d, set.Memory)...)
		}
	}
	return nil
}

// warnOfTies warns of each static policy that is less than a relative Step slower than the best one. A step may make that
// policy the best, and the elasticities hold for the present best policy only.
func (out *Elasticities) warnOfTies(d *Decision) {
	best := d.Best.Measures.MeanResponseTime
	for _, r := range d.Results {
		if r.Partitions() == 0 || r.Policy == d.Best.Policy || !r.Measures.Stable {
			continue
		}
		if off := r.Measures.MeanResponseTime/best - 1; off < out.Step {
			out.Warnings = append(out.Warnings, fmt.Errorf(
				"%v is only %.2g %% slower than static:%[3]d: the effects hold only while static:%[3]d is the best static policy",
				r.Policy, 100*off, out.Partitions))
		}
	}
}

var errLeftOut = errors.New("it cannot be varied here")

// parametersOf returns the parameters of the system, with their steps by [stepFor]. If a parameter cannot be varied,
// its function scale returns errLeftOut. Repartitions do not matter if dynamic partitioning was not solved. The scvs and
// the times of repartitions do not change the traffic intensity; their step is sensitivityStep. Set-ups change it by their
// share of the time that a job holds its partition.
func parametersOf(s *models.System, d *Decision) []parameter {
	step, still := stepFor(d, 1), float64(sensitivityStep)
	all := []parameter{
		{name: "arrival rate", step: step, scale: func(s *models.System, by float64) (*models.System, error) {
			return s.WithArrivalRate(by * s.Arrivals.Rate())
		}},
		{name: "arrival scv", step: still, scale: scaleArrivalSCV, refits: true, side: room(s.Arrivals.SCV(), still)},
		means("service", step, func(by float64) models.Changes { return models.Changes{Run: models.Times(by)} }),
		{name: "service scv", step: still, scale: scaleServiceSCV, refits: true, side: room(serviceSCV(s), still)},
	}
	resizes := d.Of(policy.Dynamic{}) != nil
	if resizes && costs(s.Shrink) {
		all = append(all, means("shrink", still, func(by float64) models.Changes { return models.Changes{Shrink: models.Times(by)} }))
	}
	if resizes && costs(s.Expand) {
		all = append(all, means("expand", still, func(by float64) models.Changes { return models.Changes{Expand: models.Times(by)} }))
	}
	if len(s.Setup) > 0 {
		step := stepFor(d, shareOfSetup(s, d.Best.Partitions()))
		all = append(all, means("set-up", step, func(by float64) models.Changes { return models.Changes{Setup: models.Times(by)} }))
	}
	if speedupOf(s) != nil || len(s.Classes) > 0 {
		all = append(all, parameter{name: "nodes", step: step, scale: scaleNodes})
	}
	return all
}

// means returns the parameter that multiplies the means of some times by the same factor.
func means(of string, step float64, change func(by float64) models.Changes) parameter {
	return parameter{name: of + " means", step: step, scale: func(s *models.System, by float64) (*models.System, error) {
		return s.With(change(by))
	}}
}

// costs reports whether any of the overheads takes time.
func costs(list []phasetype.Dist) bool {
	return slices.ContainsFunc(list, func(d phasetype.Dist) bool { return !d.IsZero() })
}

// serviceSCV returns the scv of B_N, the service time with N partitions, in which the machine runs under heavy load.
func serviceSCV(s *models.System) float64 { return s.Service[len(s.Service)-1].SCV() }

// room returns the side on which an scv can be varied by two steps without leaving its family of [phasetype.TwoMoments].
// The families hold for scv ≥ 1 and for 1/k ≤ scv < 1/(k−1), k = 2, 3, …. At the lower end of a family only increases are
// possible.
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

// snap rounds an scv to 1/k, k = 1, 2, …, if the relative difference is less than 1e-9. Such an scv is 1/k with rounding
// errors.
func snap(scv float64) float64 {
	k := math.Round(1 / scv)
	if k >= 1 && math.Abs(scv*k-1) < 1e-9 {
		return 1 / k
	}
	return scv
}

// scaleArrivalSCV returns the system with the scv of the times between arrivals multiplied by the factor by. The mean
// stays; the distribution comes from [phasetype.TwoMoments]. The error wraps errLeftOut if arrivals depend on one
// another, or says that there is no such distribution.
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

// scaleServiceSCV returns the system with the scv of the service times multiplied by the factor by; see
// [withServiceSCV]. The error wraps errLeftOut if there are several classes of jobs, or comes from withServiceSCV.
func scaleServiceSCV(s *models.System, by float64) (*models.System, error) {
	if len(s.Classes) > 1 {
		return nil, fmt.Errorf("each class of jobs has an scv of its own: %w", errLeftOut)
	}
	return withServiceSCV(s, snap(serviceSCV(s))*by)
}

// speedupOf returns the common speedup of all jobs. Nil if classes have different speedups, if no speedup is known, or if
// the jobs cannot use all nodes.
func speedupOf(s *models.System) workload.Speedup {
	if len(s.Classes) == 1 && (s.Classes[0].MaxNodes == 0 || s.Classes[0].MaxNodes == s.Nodes) {
		return s.Classes[0].Speedup
	}
	return s.Speedup
}

// scaleNodes multiplies the number of nodes of the machine by by. The number of partitions stays the same, so each
// partition becomes larger. With i jobs, each has n = Nodes/i nodes, and the service time is multiplied by
// speedup(n)/speedup(n·by).
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

// logTime is the logarithm of a mean response time.
type logTime struct {
	value float64
	bound float64 // on the absolute error of value, from the bound of the solver
}

// logTimeOf returns the logarithm of the mean response time of a stable policy. A relative error of at most b of the time is an error
// of at most −ln(1−b) of its logarithm.
func logTimeOf(m *models.Measures) logTime {
	return logTime{math.Log(m.MeanResponseTime), -math.Log1p(-m.Diagnostics.ErrorBound)}
}

// effect returns the elasticities of both response times with respect to the parameter k, or of the static response time
// alone.
func effect(ctx context.Context, s *models.System, k parameter, of *Elasticities, set markov.Settings) (Effect, error) {
	policies := []policy.Policy{policy.Dynamic{}, policy.Static{Partitions: of.Partitions}}
	const static = 1 // index of the static policy
	if of.StaticOnly {
		policies = policies[static:]
	}
	logs := func(by float64) (v [2]logTime, err error) {
		scaled, err := k.scale(s, by)
		if err != nil {
			return v, err
		}
		d, err := Solve(ctx, scaled, policies, set, 1)
		if err != nil {
			return v, err
		}
		for i := range d.Results {
			r := &d.Results[i]
			if !r.Measures.Stable {
				return v, fmt.Errorf("%v is unstable at %g times its value: %w", r.Policy, by, errLeftOut)
			}
			v[static+1-len(policies)+i] = logTimeOf(&r.Measures)
		}
		return v, nil
	}
	e := Effect{Parameter: k.name}
	slopes, offs, err := derivative(logs, k.side, k.step)
	// A speedup may be known only up to the nodes of the machine, so that central differences fail: try one side.
	for side := upward; errors.Is(err, errLeftOut) && side <= downward; side++ {
		slopes, offs, err = derivative(logs, side, k.step)
	}
	e.Dynamic, e.Static, e.Ratio = slopes[0], slopes[1], slopes[1]-slopes[0]
	e.Error = max(offs[0], offs[1])
	if of.StaticOnly {
		e.Dynamic, e.Ratio, e.Error = math.NaN(), math.NaN(), offs[static]
	}
	return e, err
}

// derivative returns the derivatives g′(0) of g(t) = f(e^t), component by component, and their errors. f returns
// logarithms of response times. With h = log(1+step), the difference quotients are
//
//	central:    D(h) = (g(h) − g(−h)) / (2h)
//	one-sided:  D(h) = (−3/2·g(0) + 2·g(h) − 1/2·g(2h)) / h,   downward with −h for h.
//
// The leading term of the error of both is proportional to h². Halving h therefore divides that term by order = 4, and
// the extrapolation
//
//	E(h) = D(h/2) + (D(h/2) − D(h)) / (order − 1) = Σ w_i·g(t_i) / h
//
// removes it. The error has two parts:
//
//   - truncation, see [centralTruncation] and [oneSidedTruncation];
//   - the errors of the solutions: Σ |w_i|·b_i/h, where b_i is the solver's bound of g(t_i).
func derivative(f func(by float64) ([2]logTime, error), at side, step float64) (slope, off [2]float64, err error) {
	const order = 4 // halving the step divides the error by order
	h := math.Log1p(step)
	// Points t/h, and weights in h·D(h), h·D(h/2) and, on one side, h·D(h/4).
	offsets, weights := []float64{-1, -0.5, 0.5, 1}, [3][]float64{{-0.5, 0, 0, 0.5}, {0, -1, 1, 0}, {0, 0, 0, 0}}
	if at != central {
		offsets = []float64{0, 0.25, 0.5, 1, 2}
		weights = [3][]float64{{-1.5, 0, 0, 2, -0.5}, {-3, 0, 4, -1, 0}, {-6, 8, -2, 0, 0}}
	}
	if at == downward {
		h = -h
	}
	var quotients [3][2]float64 // D(h), D(h/2), D(h/4)
	var solved [2]float64       // the part of the error that comes from the solutions
	for i, o := range offsets {
		v, err := f(math.Exp(o * h))
		if err != nil {
			return slope, off, err
		}
		weight := weights[1][i] + (weights[1][i]-weights[0][i])/(order-1)
		for j := range v {
			for k := range quotients {
				quotients[k][j] += weights[k][i] * v[j].value / h
			}
			solved[j] += math.Abs(weight/h) * max(v[j].bound, roundingOfLogs)
		}
	}
	for j := range slope {
		coarse, fine, finest := quotients[0][j], quotients[1][j], quotients[2][j]
		slope[j] = fine + (fine-coarse)/(order-1)
		if at == central {
			off[j] = centralTruncation(slope[j], fine, step) + solved[j]
		} else {
			off[j] = oneSidedTruncation(slope[j], finest+(finest-fine)/(order-1)) + solved[j]
		}
	}
	return slope, off, nil
}

// centralTruncation estimates the truncation error of slope, an extrapolated central difference. fine is the difference
// D(h/2) before the extrapolation. The estimate is the correction |slope − fine|, times the step relative to the scale
// on which g varies. This scale is 1, or the distance from saturation if the distance limits the step. If the
// correction itself is large, g varies on a smaller scale s. The correction is then about (h/s)²/12 of the slope, and
// its error about (h/s)² of the correction.
func centralTruncation(slope, fine, step float64) float64 {
	scale := step
	if step < sensitivityStep { // the step is shareOfRoom of the distance from saturation
		scale = shareOfRoom
	}
	correction := math.Abs(slope - fine)
	if slope != 0 {
		scale = max(scale, 12*correction/math.Abs(slope))
	}
	return correction * min(scale, 1)
}

// oneSidedTruncation estimates the truncation error of extrapolated, the one-sided difference E(h). halved is E(h/2).
// The error of E(h) is proportional to h³. A further extrapolation therefore gives E(h/2) + (E(h/2) − E(h))/7. The
// estimate is twice the difference of E(h) from this value. The h² term of D is not used as an estimate, because it may
// vanish.
func oneSidedTruncation(extrapolated, halved float64) float64 {
	return 2 * 8. / 7 * math.Abs(extrapolated-halved)
}

// roundingOfLogs is the smallest error that a logarithm of a response time is assumed to have. The rates of varied systems are
// rounded, and the solver's bound does not include these roundings.
const roundingOfLogs = 1e-12

// refitted returns a warning if the parameter k replaces a distribution, and if the replacement changes the response time
// under dynamic partitioning by more than a relative 1e-6. If dynamic partitioning was not solved, the best static policy
// takes its place. memory limits the solution.
func refitted(ctx context.Context, s *models.System, k parameter, d *Decision, memory *markov.Memory) []error {
	base, err := k.scale(s, 1)
	if !k.refits || err != nil {
		return nil
	}
	const same = 1e-6
	of, under := d.Of(policy.Dynamic{}), "dynamic partitioning"
	if of == nil {
		of, under = d.Best, d.Best.Policy.String()
	}
	r, err := solve(ctx, base, of.Policy, markov.Settings{Memory: memory})
	if err != nil || !r.Measures.Stable {
		return nil
	}
	off := r.Measures.MeanResponseTime/of.Measures.MeanResponseTime - 1
	if math.Abs(off) < same {
		return nil
	}
	return []error{fmt.Errorf("%s is varied on a two-moment fit: with the fit, the response time under %s "+
		"differs by %+.2g %% from that of the model", k.name, under, 100*off)}
}
