package lab

import (
	"context"

	"github.com/partwise/partwise/validate/lab/internal/cluster"
	"github.com/partwise/partwise/validate/lab/internal/coscheduling"
)

type (
	// CoschedulingCase is a cluster with the jobs that it is given.
	CoschedulingCase = coscheduling.Case
	// CoschedulingRun is a policy in a case.
	CoschedulingRun = coscheduling.Run
	// CoschedulingOptions say how to simulate.
	CoschedulingOptions = coscheduling.Options
	// CoschedulingOutcome is what a policy makes of the jobs of a case.
	CoschedulingOutcome = coscheduling.Outcome
	// CoschedulingFigure is a figure or a table of the paper of Zhang et al.: policies in cases.
	CoschedulingFigure = coscheduling.Figure
	// BoostView is what a figure shows of its runs.
	BoostView = coscheduling.View
	// RandomJobs are jobs that are drawn.
	RandomJobs = coscheduling.Random
)

// The mean dedicated time of the jobs of the paper's figures in seconds, and the views of boosts.
const (
	PaperDedicated   = coscheduling.FigureDedicated
	ResponseTimes    = coscheduling.Responses
	BoostsByState    = coscheduling.States
	BoostsByPosition = coscheduling.Positions
)

// The names of the measures that only a cluster has.
const (
	MeanRunSlowdown   = coscheduling.MeanRunSlowdown
	UtilizationDemand = coscheduling.UtilizationDemand
	UtilizationUseful = coscheduling.UtilizationUseful
	FairnessCV        = coscheduling.FairnessCV
)

// CoschedulingMeasures returns the names of the measures of an outcome, in the order in which they are shown.
func CoschedulingMeasures() []string { return coscheduling.Measures() }

// PaperCase returns the case of the default parameters of the paper of Zhang et al. with a workload.
func PaperCase(mix cluster.Mix) CoschedulingCase { return coscheduling.Paper(mix) }

// CoschedulingFigures returns the figures and tables of the paper, and two figures of what the paper leaves open.
func CoschedulingFigures() []CoschedulingFigure { return coscheduling.Figures() }

// Coschedule simulates all runs in all replications. The jobs of a replication are the same for all policies. There are no
// outcomes if ctx ends: the error comes from ctx.
func Coschedule(ctx context.Context, runs []CoschedulingRun, o CoschedulingOptions) ([]CoschedulingOutcome, error) {
	return coscheduling.Simulate(ctx, runs, o)
}

// ByCoschedulingCase divides outcomes into groups, one for each run of consecutive outcomes with the same case and load. The
// groups are in the order of the outcomes and share their storage.
func ByCoschedulingCase(outcomes []CoschedulingOutcome) [][]CoschedulingOutcome {
	return coscheduling.ByCase(outcomes)
}

// ResponseLimit returns three times the median of the mean response times of outcomes, in seconds, if some mean exceeds it.
// Pictures end there, so that one saturated policy does not hide the others. It returns 0 if no mean exceeds this limit, or
// without outcomes.
func ResponseLimit(outcomes []CoschedulingOutcome) float64 {
	return coscheduling.ResponseLimit(outcomes)
}
