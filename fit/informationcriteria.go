package fit

import (
	"fmt"
	"math"
)

// Scores measure how well a distribution describes a sample. Scores of different distributions for the same sample are
// comparable.
type Scores struct {
	Samples int `json:"samples"` // values used, whatever their weights
	// Observations is the number of observations. The Anderson–Darling statistic, the quantiles of the tail, and the
	// sentences of [Summary] on significance and tail use it. If all weights are whole numbers, they count observations,
	// and Observations is their sum. Other weights say how much each value matters; then Observations is Samples.
	//
	// LogLikelihood, AIC and BIC always weight each value, and the n of BIC is the sum of the weights. Weights divided by
	// their mean sum to the number of values.
	Observations      float64 `json:"-"`
	Likelihood        string  `json:"likelihood"`          // "density", or "interval" for rounded values
	LogLikelihood     float64 `json:"log_likelihood"`      // of the data, the weighted sum over the values
	MeanLogLikelihood float64 `json:"mean_log_likelihood"` // weighted mean over the values
	DegreesOfFreedom  int     `json:"-"`                   // number of free parameters
	AIC               float64 `json:"aic"`
	BIC               float64 `json:"bic"`
	KS                float64 `json:"ks"` // largest distance between the distribution functions of data and distribution
	Zeros             int     `json:"-"`  // values dropped because they are 0 and no resolution was given
}

// size returns Observations, the number of observations. If it is 0, as in Scores that a caller of the package made,
// size returns Samples.
func (s *Scores) size() float64 {
	if s.Observations == 0 {
		return float64(s.Samples)
	}
	return s.Observations
}

// scores returns the scores of a fit with so many free parameters: the log-likelihood, AIC = 2·parameters − 2·L, BIC =
// parameters·log n − 2·L and the KS distance. L is mean·n, where n is the sum of weights. mean is the mean
// log-likelihood in the unit of the data, ks the Kolmogorov–Smirnov distance. The scores also say whether the
// likelihood is a density. Otherwise it is the probability of intervals, for rounded values or without exact values.
// The error wraps [ErrImpossible] if mean is not finite.
func (o *observations) scores(mean, ks float64, parameters int) (Scores, error) {
	if math.IsInf(mean, 0) || math.IsNaN(mean) {
		return Scores{}, fmt.Errorf("fit: %w", ErrImpossible)
	}
	total, df := mean*o.total, float64(parameters)
	s := Scores{
		Samples: o.used, LogLikelihood: total, MeanLogLikelihood: mean, DegreesOfFreedom: parameters,
		AIC: 2*df - 2*total, BIC: df*math.Log(o.total) - 2*total, KS: ks, Likelihood: "density", Zeros: o.zeros,
		Observations: o.size(),
	}
	if o.r > 0 || o.observed == 0 {
		s.Likelihood = "interval"
	}
	return s, nil
}

// inUnitOfData returns the mean log-likelihood in the unit of the data, given the mean log-likelihood of scaled times.
// The density of a scaled time is the density in the unit of the data times the scale. So log scale is subtracted for
// each exact value, times its share of the weight. Probabilities, of rounded values, intervals or lower bounds, do not
// depend on the unit.
func (o *observations) inUnitOfData(mean float64) float64 {
	if o.r > 0 {
		return mean
	}
	return mean - math.Log(o.scale)*o.observed/o.total
}
