package logstats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Replayed says how jobs waited in a replay of a log, and whether the replay reproduces the waits that the log recorded.
type Replayed struct {
	Mean, Median, P90 float64 // of the replayed waits, in seconds
	Logged            float64 // the mean of the logged waits
	// RankCorrelation is Spearman's ρ of the logged and the replayed waits, job by job; NaN where all waits of one of them
	// are equal.
	RankCorrelation float64
	Reproduced      bool
}

// A replay reproduces a log if three things agree: the mean wait, the 90 % quantile of the waits, and their order. How near
// they must be is a choice. A machine that starts jobs in random order passed in 9 of 48 drawn logs with a least rank
// correlation of 0.5, and in one with 0.7.
const (
	nearMean    = 0.25 // relative difference
	nearP90     = 1.5  // factor
	nearSeconds = 60   // of the 90 % quantile, whatever the factor
	nearRanks   = 0.7  // least rank correlation
)

// Nearness returns how near a replay must be to reproduce a log: the relative difference of the mean waits, the factor between the 90 %
// quantiles and the seconds between them of which one must hold, and the least rank correlation.
func Nearness() (mean, p90, seconds, ranks float64) { return nearMean, nearP90, nearSeconds, nearRanks }

// Reproduction compares replayed waits with logged waits of the same jobs, in the same order, all in seconds. Without jobs
// nothing is reproduced.
func Reproduction(logged, replayed []float64) Replayed {
	r := Replayed{RankCorrelation: math.NaN()}
	if len(logged) == 0 {
		return r
	}
	r.RankCorrelation = rankCorrelation(logged, replayed)
	was, is := slices.Sorted(slices.Values(logged)), slices.Sorted(slices.Values(replayed))
	r.Mean, r.Median, r.P90 = stat.Mean(is, nil), quantile(is, 0.5), quantile(is, 0.9)
	r.Logged = stat.Mean(was, nil)
	p90 := quantile(was, 0.9)
	sameMean := math.Abs(r.Mean-r.Logged) <= nearMean*r.Logged
	sameP90 := math.Abs(r.P90-p90) <= nearSeconds || r.P90 <= nearP90*p90 && p90 <= nearP90*r.P90
	r.Reproduced = sameMean && sameP90 && r.RankCorrelation >= nearRanks
	return r
}

// Distance returns how far the mean wait of the replay lies from that of the log: |ln((1 s + replayed)/(1 s + logged))|. Of two replays
// that do not reproduce a log, the one with the smaller distance is closer.
func (r *Replayed) Distance() float64 { return math.Abs(math.Log((1 + r.Mean) / (1 + r.Logged))) }

// rankCorrelation returns Spearman's rank correlation of x and y, which are of one length. Equal values share the mean of
// their ranks. It returns NaN if all values of x or of y are equal.
func rankCorrelation(x, y []float64) float64 { return stat.Correlation(ranks(x), ranks(y), nil) }
