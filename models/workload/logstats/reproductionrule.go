package logstats

import (
	"math"

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

// Nearness returns how near a replay must be to reproduce a log:
//
//   - mean, the largest relative difference of the mean waits;
//   - p90 and seconds: the 90 % quantiles must differ by at most this factor, or by at most so many seconds;
//   - ranks, the least rank correlation of the waits.
func Nearness() (mean, p90, seconds, ranks float64) { return nearMean, nearP90, nearSeconds, nearRanks }

// LoggedWaits are the waits that a log recorded, with their order, for comparisons with replays of the same jobs. Several
// goroutines may compare with them at a time.
type LoggedWaits struct {
	submits, waits []float64
	order          ranking
}

// LoggedWaitsOf returns the waits of jobs that were submitted at the times submits, both in seconds. Element i of each slice is
// of job i. Slices of different lengths are read as far as the shorter reaches. They are kept, and must not be changed.
func LoggedWaitsOf(submits, waits []float64) *LoggedWaits {
	n := min(len(submits), len(waits))
	submits, waits = submits[:n], waits[:n]
	return &LoggedWaits{submits, waits, rankingOf(waits)}
}

// Compare compares the waits of a replay with those of the log, job by job, and returns the [Reproduction] and the curves of
// [WaitCurvesOf]. Both are zero where there are no logged waits, or where their number is not that of the replayed ones.
func (l *LoggedWaits) Compare(replayed []float64) (Replayed, WaitCurves) {
	if l == nil || len(l.waits) != len(replayed) {
		return reproduction(ranking{}, ranking{}), WaitCurves{}
	}
	order := rankingOf(replayed)
	curves := curvesOver(l.submits, l.waits, replayed)
	if curves.Periods != nil {
		curves.Logged, curves.Replayed = percentiles(l.order.sorted), percentiles(order.sorted)
	}
	return reproduction(l.order, order), curves
}

// Reproduction compares replayed waits with logged waits of the same jobs, in the same order, all in seconds. Without jobs
// nothing is reproduced.
func Reproduction(logged, replayed []float64) Replayed {
	return reproduction(rankingOf(logged), rankingOf(replayed))
}

// reproduction compares the order of replayed waits with that of the logged waits of the same jobs. RankCorrelation is NaN
// without jobs.
func reproduction(logged, replayed ranking) Replayed {
	r := Replayed{RankCorrelation: math.NaN()}
	if len(logged.sorted) == 0 {
		return r
	}
	r.RankCorrelation = stat.Correlation(logged.ranks, replayed.ranks, nil)
	r.Mean, r.Median, r.P90 = stat.Mean(replayed.sorted, nil), quantile(replayed.sorted, 0.5), quantile(replayed.sorted, 0.9)
	r.Logged = stat.Mean(logged.sorted, nil)
	p90 := quantile(logged.sorted, 0.9)
	sameMean := math.Abs(r.Mean-r.Logged) <= nearMean*r.Logged
	sameP90 := math.Abs(r.P90-p90) <= nearSeconds || r.P90 <= nearP90*p90 && p90 <= nearP90*r.P90
	r.Reproduced = sameMean && sameP90 && r.RankCorrelation >= nearRanks
	return r
}

// Distance returns how far the mean wait of the replay lies from that of the log: |ln((1 s + replayed)/(1 s + logged))|. Of two
// replays that do not reproduce a log, the one with the smaller distance is closer.
func (r *Replayed) Distance() float64 { return math.Abs(math.Log((1 + r.Mean) / (1 + r.Logged))) }
