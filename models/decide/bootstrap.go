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
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
)

// BootstrapOptions steer a bootstrap.
type BootstrapOptions struct {
	Samples    int     // number of samples, in each of which the measurements are drawn again
	Confidence float64 // of the intervals; 0 is [measure.Confidence]
	Settings   markov.Settings
	Workers    int         // 0: one for each processor; the result does not depend on it
	Progress   func(n int) // if not nil, called after each sample with the number that are done, perhaps several at a time
}

// SeveralSamples returns an error for too few or too many samples of a bootstrap: intervals of 95 % need some samples on either side.
func SeveralSamples(n int) error {
	if n < 50 || n > 100_000 {
		return fmt.Errorf("%d is not a number of samples from 50 to 100000", n)
	}
	return nil
}

// BootstrapMeasure is the confidence interval of a measure. High is +Inf if the upper quantile falls on a sample for
// which the policy is unstable.
type BootstrapMeasure struct {
	Name      string // as in the table of measures
	Low, High float64
}

// BootstrapPolicy holds the confidence intervals of the measures of a policy.
type BootstrapPolicy struct {
	Policy policy.Policy
	// Measures are in the order of the table of measures. A measure that only stable policies have counts as +Inf in the
	// samples for which the policy is unstable.
	Measures []BootstrapMeasure
	Unstable int // number of samples for which the policy is unstable
}

// BootstrapResult holds the confidence intervals that a bootstrap gives to a decision.
type BootstrapResult struct {
	Samples  int
	Policies []BootstrapPolicy
	// Ratio is the interval of T_SP*/T_DP, see [Decision.Ratio]. Its ends are NaN unless both policies are stable on the
	// measurements themselves.
	Ratio BootstrapMeasure
	// ProbabilityDynamic is the share of the samples in which dynamic partitioning is faster than the best static policy.
	// NaN unless both are stable on the measurements themselves.
	ProbabilityDynamic float64
	draws              []Decision
}

// IsConstant reports whether the interval of every measure of every policy is a single value. The samples then say
// nothing about the uncertainty of the decision.
func (r *BootstrapResult) IsConstant() bool {
	return !slices.ContainsFunc(r.Policies, func(p BootstrapPolicy) bool {
		return slices.ContainsFunc(p.Measures, func(m BootstrapMeasure) bool { return m.Low != m.High })
	})
}

// Bootstrap solves the policies on o.Samples systems, each of which is fitted to measurements that are drawn again.
// draw(i) returns the i-th of these systems; it may be called by several goroutines at once. solved is the decision on
// the measurements themselves.
//
// The intervals are bias-corrected percentiles. Let Φ be the standard normal distribution function and c the
// confidence. Let p be the share of the samples with a value below the value of the measurements themselves; equal
// values count half. The interval extends from the quantile Φ(2z − z_c) to the quantile Φ(2z + z_c) of the samples,
// with z = Φ⁻¹(p) and z_c = Φ⁻¹((1+c)/2).
//
// The error comes from draw, from ctx, or from [Solve] for one of the systems.
//
// Reference: B. Efron, Nonparametric standard errors and confidence intervals, Canadian Journal of Statistics 9 (1981)
// 139–158.
func Bootstrap(ctx context.Context, solved *Decision, draw func(i int) (*models.System, error), o BootstrapOptions) (
	*BootstrapResult, error) {
	o.Confidence = cmp.Or(o.Confidence, measure.Confidence)
	if draw == nil || o.Samples < 2 || !(o.Confidence > 0 && o.Confidence < 1) || solved == nil || len(solved.Results) == 0 {
		return nil, errors.New("decide: needs a solved policy, a function that draws, at least two samples and a confidence between 0 and 1")
	}
	var policies []policy.Policy
	for _, r := range solved.Results {
		policies = append(policies, r.Policy)
	}
	o.Settings.Shared = nil // shared solutions belong to one system, and each sample is another
	draws, err := parallel.Grid(ctx, 1, o.Samples, o.Workers, o.Progress, func(_, i int) (d Decision, err error) {
		s, err := draw(i)
		if err == nil {
			d, err = Solve(ctx, s, policies, o.Settings, 1)
		}
		if err != nil {
			return d, fmt.Errorf("decide: sample %d: %w", i+1, err)
		}
		d.forget()
		return d, nil
	})
	if err != nil {
		return nil, err
	}
	r := &BootstrapResult{Samples: o.Samples, draws: draws[0]}
	for k := range policies {
		r.Policies = append(r.Policies, r.policy(k, &solved.Results[k], o.Confidence))
	}
	r.compare(solved, o.Confidence)
	return r, nil
}

// policy returns the intervals of the k-th policy.
func (r *BootstrapResult) policy(k int, solved *Solved, confidence float64) BootstrapPolicy {
	p := BootstrapPolicy{Policy: solved.Policy}
	for i := range r.draws {
		if !r.draws[i].Results[k].Measures.Stable {
			p.Unstable++
		}
	}
	for _, q := range models.Table() {
		value, ok := solved.Measures.Of(q.Name)
		if !ok {
			continue
		}
		drawn := make([]float64, len(r.draws))
		for i := range drawn {
			if drawn[i], ok = r.draws[i].Results[k].Measures.Of(q.Name); !ok {
				drawn[i] = math.Inf(1)
			}
		}
		p.Measures = append(p.Measures, corrected(q.Name, drawn, value, confidence))
	}
	return p
}

// compare sets Ratio and ProbabilityDynamic. A sample in which only dynamic partitioning is stable counts with the ratio
// +Inf. One in which only static partitioning is stable counts with 0, and one in which neither is stable counts with 1.
func (r *BootstrapResult) compare(solved *Decision, confidence float64) {
	r.Ratio, r.ProbabilityDynamic = BootstrapMeasure{"ratio", math.NaN(), math.NaN()}, math.NaN()
	if solved.Ratio == 0 {
		return
	}
	wins := 0.0
	ratios := make([]float64, len(r.draws))
	for i := range r.draws {
		d := &r.draws[i]
		c := d.Compare()
		switch {
		case d.Ratio == 0 && c.Winner == NeitherIsStable:
			ratios[i] = 1
		case d.Ratio == 0 && c.Winner == DynamicWins:
			ratios[i] = math.Inf(1)
		default: // 0 if only static partitioning is stable
			ratios[i] = d.Ratio
		}
		if ratios[i] > 1+c.margin() {
			wins++
		}
	}
	r.Ratio = corrected("ratio", ratios, solved.Ratio, confidence)
	r.ProbabilityDynamic = wins / float64(len(r.draws))
}

// corrected returns the bias-corrected percentile interval of a measure; the formula is at [Bootstrap]. value is the
// measure for the measurements themselves, drawn are its values for the samples. drawn is sorted. The share p is kept
// within [1/(2n), 1−1/(2n)] for n samples, so that z is finite.
func corrected(name string, drawn []float64, value, confidence float64) BootstrapMeasure {
	slices.Sort(drawn)
	n := float64(len(drawn))
	less, _ := slices.BinarySearch(drawn, value)
	upTo, _ := slices.BinarySearch(drawn, math.Nextafter(value, math.Inf(1)))
	below := min(max(float64(less+upTo)/2, 0.5), n-0.5) // equal values count half
	z, c := normalQuantile(below/n), normalQuantile((1+confidence)/2)
	at := func(z float64) float64 { return quantile(drawn, 0.5*math.Erfc(-z/math.Sqrt2)) }
	return BootstrapMeasure{name, at(2*z - c), at(2*z + c)}
}

// normalQuantile returns Φ⁻¹(p), the quantile of the standard normal distribution.
func normalQuantile(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }

// quantile returns the p-quantile of n sorted values. The i-th smallest value, i = 1…n, is the quantile of i/(n+1);
// between them the function interpolates linearly.
func quantile(sorted []float64, p float64) float64 {
	n := float64(len(sorted))
	x := min(max(p*(n+1)-1, 0), n-1)
	i := int(x)
	w := x - float64(i)
	if w == 0 || math.IsInf(sorted[i], 1) {
		return sorted[i]
	}
	return sorted[i] + w*(sorted[i+1]-sorted[i]) // +Inf if sorted[i+1] is
}
