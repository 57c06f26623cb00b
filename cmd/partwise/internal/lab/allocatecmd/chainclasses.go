package allocatecmd

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/phasetype"
)

// Classes returns the run times of the classes of jobs of one fit, that of ref, on other numbers of nodes: a
// hyperexponential distribution for each with the weights of ref, in which class k has the mean run time of the jobs
// that belong to it,
//
//	μ_k(n) = E[ p_k(L/S(m)) · L/S(n) ] / E[ p_k(L/S(m)) ],   m the number of nodes of ref,
//
// p_k(x) being the probability that a job that runs for a time x on m nodes is of class k of the fit. The mean of each
// distribution is that of the workload. A job that goes from one number of nodes to another keeps its class, as it does
// not if every number of nodes has a fit of its own: its phases are other jobs.
func Classes(w Workload, ref RunTimes, nodes []float64) ([]phasetype.Dist, error) {
	alpha, rates := ref.Dist.Alpha(), make([]float64, ref.Dist.Phases())
	for k := range rates {
		rates[k] = -ref.Dist.T().At(k, k)
	}
	means, weight := make([][]float64, len(nodes)), make([]float64, len(alpha))
	for i := range means {
		means[i] = make([]float64, len(alpha))
	}
	at := make([][]float64, len(nodes))
	for i, n := range nodes {
		at[i] = speeds(w, n)
	}
	p := make([]float64, len(alpha))
	for j, speed := range speeds(w, ref.Nodes) {
		for q := range lifetimePoints {
			life := w.Lifetimes.Quantile((float64(q) + 0.5) / lifetimePoints)
			membership(p, alpha, rates, life/speed)
			for k, v := range p {
				weight[k] += v
				for i := range nodes {
					means[i][k] += v * life / at[i][j]
				}
			}
		}
	}
	all := make([]phasetype.Dist, len(nodes))
	for i, n := range nodes {
		want, mean := w.Lifetimes.Mean()*inverseMean(at[i]), 0.0
		for k := range alpha {
			means[i][k] /= weight[k]
			mean += alpha[k] * means[i][k]
		}
		t := mat.NewDense(len(alpha), len(alpha), nil)
		for k, m := range means[i] {
			t.Set(k, k, -mean/(want*m))
		}
		var err error
		if all[i], err = phasetype.New(alpha, t); err != nil {
			return nil, fmt.Errorf("allocatecmd: classes on %.4g nodes: %w", n, err)
		}
	}
	return all, nil
}

// lifetimePoints is the number of points over which lifetimes are averaged; what the mean is off by is put right.
const lifetimePoints = 256

// membership sets p to the probabilities that a job of run time x belongs to the classes.
func membership(p, alpha, rates []float64, x float64) {
	slowest := slices.Min(rates) // taken out of the exponents: the densities of long jobs must not all vanish
	sum := 0.0
	for k := range p {
		p[k] = alpha[k] * rates[k] * math.Exp(-(rates[k]-slowest)*x)
		sum += p[k]
	}
	for k := range p {
		p[k] /= sum
	}
}

// inverseMean returns the mean of the reciprocals.
func inverseMean(speeds []float64) float64 {
	sum := 0.0
	for _, s := range speeds {
		sum += 1 / s
	}
	return sum / float64(len(speeds))
}
