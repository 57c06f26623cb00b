package decide

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
)

// BootstrapOptions steer a bootstrap.
type BootstrapOptions struct {
	Samples    int     // how often the measurements are drawn again
	Confidence float64 // of the intervals; 0 is .95
	Settings   markov.Settings
	Workers    int         // 0: one for each processor; the result does not depend on it
	Progress   func(n int) // if not nil, called after each sample with the number that are done, perhaps several at a time
}

// BootstrapMeasure is the confidence interval of a measure. High is +Inf where too many of the samples are unstable.
type BootstrapMeasure struct {
	Name      string // as in the table of measures
	Low, High float64
}

// BootstrapPolicy is how sure the measures of a policy are.
type BootstrapPolicy struct {
	Policy   policy.Policy
	Measures []BootstrapMeasure // in the order of the table of measures; those that only stable policies have count as +Inf otherwise
	Unstable int                // samples for which the policy is unstable
}

// BootstrapResult is how sure a decision is.
type BootstrapResult struct {
	Samples  int
	Policies []BootstrapPolicy
	Ratio    BootstrapMeasure // of the least static mean response time to that of dynamic partitioning; NaN without either
	// ProbabilityDynamic is the share of the samples in which dynamic partitioning takes less time than the best static
	// one; NaN without either.
	ProbabilityDynamic float64
	draws              []Decision
}

// Bootstrap solves the policies on systems with measurements drawn again, as many as o.Samples: draw returns the i-th, and may be
// called several times at once. solved is the decision on the measurements themselves.
//
// The intervals are the bias-corrected percentiles of B. Efron, Nonparametric standard errors and confidence intervals,
// Canadian Journal of Statistics 9 (1981) 139–158: with z = Φ⁻¹ of the share of the samples below the value of the
// measurements themselves, from the quantile Φ(2z − z_c) to Φ(2z + z_c).
func Bootstrap(ctx context.Context, solved *Decision, draw func(i int) (*models.System, error), o BootstrapOptions) (
	*BootstrapResult, error) {
	if o.Confidence == 0 {
		o.Confidence = 0.95
	}
	if draw == nil || o.Samples < 2 || !(o.Confidence > 0 && o.Confidence < 1) || solved == nil || len(solved.Results) == 0 {
		return nil, errors.New("decide: needs a solved policy, a function that draws, at least two samples and a confidence between 0 and 1")
	}
	var policies []policy.Policy
	for _, r := range solved.Results {
		policies = append(policies, r.Policy)
	}
	o.Settings.Shared = nil // of one system
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

// policy makes the intervals of the k-th policy.
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

// compare makes what concerns dynamic partitioning beside the best static one.
func (r *BootstrapResult) compare(solved *Decision, confidence float64) {
	r.Ratio, r.ProbabilityDynamic = BootstrapMeasure{"ratio", math.NaN(), math.NaN()}, math.NaN()
	if solved.Ratio == 0 {
		return
	}
	wins := 0.0
	ratios := make([]float64, len(r.draws))
	for i := range r.draws {
		d := &r.draws[i]
		switch winner := d.Compare().Winner; {
		case d.Ratio == 0 && winner == NeitherIsStable:
			ratios[i] = 1
		case d.Ratio == 0 && winner == DynamicWins:
			ratios[i] = math.Inf(1)
		default: // 0 if static partitioning alone is stable
			ratios[i] = d.Ratio
		}
		if ratios[i] > 1+tied {
			wins++
		}
	}
	r.Ratio = corrected("ratio", ratios, solved.Ratio, confidence)
	r.ProbabilityDynamic = wins / float64(len(r.draws))
}

// corrected returns the bias-corrected percentile interval of a value and what it was for the samples.
func corrected(name string, drawn []float64, value, confidence float64) BootstrapMeasure {
	slices.Sort(drawn)
	n := float64(len(drawn))
	less, _ := slices.BinarySearch(drawn, value)
	upTo, _ := slices.BinarySearch(drawn, math.Nextafter(value, math.Inf(1)))
	below := min(max(float64(less+upTo)/2, 0.5), n-0.5) // of equals half
	z, c := normalQuantile(below/n), normalQuantile((1+confidence)/2)
	at := func(z float64) float64 { return quantile(drawn, 0.5*math.Erfc(-z/math.Sqrt2)) }
	return BootstrapMeasure{name, at(2*z - c), at(2*z + c)}
}

func normalQuantile(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }

// quantile interpolates between sorted values, of which the i-th of n stands for the probability i/(n+1).
func quantile(sorted []float64, p float64) float64 {
	n := float64(len(sorted))
	x := min(max(p*(n+1)-1, 0), n-1)
	i := int(x)
	w := x - float64(i)
	if w == 0 || math.IsInf(sorted[i], 1) {
		return sorted[i]
	}
	return sorted[i] + w*(sorted[i+1]-sorted[i]) // +Inf if the next is
}
