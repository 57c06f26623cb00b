package allocatecmd

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/fit"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
)

// RunTimes is the distribution of the run times L/S(n) of a workload's jobs on n nodes, with its fit.
type RunTimes struct {
	Nodes     float64        `key:"nodes" head:"nodes" form:"digits=3"` // n, perhaps not whole
	Mean      float64        `key:"mean" head:"mean [s]"`               // of the workload
	SCV       float64        `key:"scv" head:"SCV" form:"digits=3"`
	Phases    int            `key:"phases" head:"phases"` // of the fit
	FittedSCV float64        `key:"fitted_scv" head:"SCV of the fit" form:"digits=3"`
	KS        float64        `key:"ks" head:"KS" form:"digits=2"` // largest distance between the distribution functions of both
	Dist      phasetype.Dist // the fit
	Warnings  []error        // of the fit
}

// Points of the grids over which average parallelism and sigma are averaged. Run times on n nodes then have their mean
// to four digits or more.
const parallelismPoints, sigmaPoints = 48, 24

// worth is the number of observations that a density counts as; it matters to no fit of a single order.
const worth = 1e4

// Fit fits the run times of a workload on n nodes by a hyperexponential distribution of the given number of phases, the
// slowest first, by the maximum of the expected log-likelihood, and stretches it to their mean. The error is that of
// package fit, and that of ctx if it ends.
//
// A phase is then a class of jobs, from the long to the short; see [Classes].
func Fit(ctx context.Context, w Workload, nodes float64, phases int) (RunTimes, error) {
	speeds := speeds(w, nodes)
	least, most := math.Inf(1), 0.0
	r := RunTimes{Nodes: nodes, Mean: w.Lifetimes.Mean() * inverseMean(speeds)}
	squares, count := 0.0, float64(len(speeds))
	for _, s := range speeds {
		least, most = math.Min(least, s), math.Max(most, s)
		squares += 1 / (s * s)
	}
	r.SCV = w.Lifetimes.Moment(2)*squares/count/(r.Mean*r.Mean) - 1
	// Lifetimes between a and b make run times between a/most and b/least; the density is a mean over the speeds.
	density := func(x float64) float64 {
		sum := 0.0
		for _, s := range speeds {
			sum += w.Lifetimes.Density(x*s) * s
		}
		return sum / count
	}
	sample, err := fit.FromDensity(density, w.Lifetimes.Quantile(0)/most, w.Lifetimes.Quantile(1)/least, worth)
	if err != nil {
		return RunTimes{}, err
	}
	found, err := fit.PhaseType(ctx, sample, fit.Options{Families: []fit.Family{fit.Hyperexponential}, MinPhases: phases,
		MaxPhases: phases, Workers: 1})
	if err != nil {
		return RunTimes{}, err
	}
	best := found[0]
	r.KS, r.Warnings = best.KS, best.Warnings
	r.Dist, err = slowestFirst(best.Dist, r.Mean)
	r.Phases, r.FittedSCV = r.Dist.Phases(), r.Dist.SCV()
	return r, err
}

// slowestFirst returns a hyperexponential distribution with its phases by their means, the longest first, stretched to
// the given mean.
func slowestFirst(d phasetype.Dist, mean float64) (phasetype.Dist, error) {
	alpha, t := d.Alpha(), d.T()
	order := make([]int, len(alpha))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(t.At(b, b), t.At(a, a)) })
	weights := make([]float64, len(alpha))
	rates := mat.NewDense(len(alpha), len(alpha), nil)
	for i, k := range order {
		weights[i] = alpha[k]
		rates.Set(i, i, t.At(k, k)*d.Mean()/mean)
	}
	return phasetype.New(weights, rates)
}

// speeds returns the speedups on n nodes at the midpoints of a grid over the probabilities of A and sigma.
func speeds(w Workload, nodes float64) []float64 {
	var all []float64
	for i := range parallelismPoints {
		a := math.Max(1, w.Parallelism.Quantile((float64(i)+0.5)/parallelismPoints))
		for j := range sigmaPoints {
			sigma := w.SigmaMin + (w.SigmaMax-w.SigmaMin)*(float64(j)+0.5)/sigmaPoints
			all = append(all, workload.Downey{A: a, Sigma: sigma}.At(nodes))
		}
	}
	return all
}
