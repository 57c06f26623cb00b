package modelfile

import (
	"context"
	"fmt"
	"math"

	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/phasetype"
)

// Fact is a number about a distribution or an arrival process, with its unit.
type Fact struct {
	Name  string // such as scv or quantile_0.95
	Value float64
	Unit  string // "" for a number without a unit
}

// quantileLevels returns the probabilities of the quantiles among the facts.
func quantileLevels() []float64 { return []float64{0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999} }

// Law returns the law of the distribution or, of an arrival process, of its interarrival times. Its values end with ctx.
func (f *DistributionFile) Law(ctx context.Context) *phasetype.Law {
	return phasetype.NewLaw(f.time()).WithContext(ctx)
}

// time returns the distribution or the interarrival times.
func (f *DistributionFile) time() phasetype.Dist {
	if f.isProcess() {
		return f.MAP.Interarrival() // with the phases of the process
	}
	return f.Dist
}

// isProcess reports whether the file has an arrival process.
func (f *DistributionFile) isProcess() bool { return f.MAP.Phases() > 0 }

// Facts returns the number of phases, moments and quantiles of the time with the given law, see [DistributionFile.Law]. An
// arrival process also has its rate and the correlations of interarrival times at lags 1 to 3. Its last fact is the index
// of dispersion of its counts in the long run. Moments are in powers of the time unit of the file.
func (f *DistributionFile) Facts(law *phasetype.Law) []Fact {
	d, unit := f.time(), f.TimeUnit.Name
	facts := []Fact{{"phases", float64(d.Phases()), ""}}
	if f.isProcess() {
		facts = append(facts, Fact{"rate", f.MAP.Rate(), "1/" + unit})
	}
	facts = append(facts, []Fact{
		{"mean", d.Mean(), unit},
		{"standard_deviation", math.Sqrt(d.Variance()), unit},
		{"scv", d.SCV(), ""},
		{"skewness", d.Skewness(), ""},
		{"moment_2", d.Moment(2), unit + "^2"},
		{"moment_3", d.Moment(3), unit + "^3"},
	}...)
	if d.Atom() > 0 {
		facts = append(facts, Fact{"probability_zero", d.Atom(), ""})
	}
	for _, p := range quantileLevels() {
		facts = append(facts, Fact{"quantile_" + words.Shortest(p), law.Quantile(p), unit})
	}
	if !f.isProcess() {
		return facts
	}
	for lag := 1; lag <= 3; lag++ {
		facts = append(facts, Fact{fmt.Sprintf("correlation_%d", lag), f.MAP.LagCorrelation(lag), ""})
	}
	return append(facts, Fact{"dispersion", f.MAP.Dispersion(), ""})
}
