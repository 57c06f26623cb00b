package days

import (
	"cmp"
	"fmt"
	"math"
	"runtime"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/internal/des"
)

// Workload says what jobs come in a day: with Poisson arrivals for the time Length from its beginning, with independent
// lifetimes, average parallelism and sigma. Times are in seconds.
type Workload struct {
	Nodes int
	Load  float64 // offered while it is day, λ·E[lifetime]/Nodes
	// Length is the time during which jobs come.
	Length    float64
	Lifetimes interface {
		Quantile(p float64) float64
		Mean() float64
	} // run times on one node
	Parallelism UniformLog // A of the speedups
	// Sigma of the speedups is uniform between SigmaMin and SigmaMax.
	SigmaMin, SigmaMax float64
}

// HalfDay is twelve hours.
const HalfDay = 12 * 3600

// Downey returns the workload of Downey's experiments, in which jobs arrive for twelve hours. Their lifetimes are
// uniform-log between e² and e¹² seconds. Their average parallelism is uniform-log between 1 and the number of nodes,
// and their sigma uniform between 0 and 2.
func Downey(nodes int, load float64) Workload {
	return Workload{nodes, load, HalfDay, NewUniformLog(math.Exp(2), math.Exp(12)), NewUniformLog(1, float64(nodes)), 0, 2}
}

// bytesOfJob is the memory of a job of a day in which all jobs wait: 700,000 waiting jobs took 1.2 GB.
const bytesOfJob = 1800

// Check returns a *[parallel.LimitError] if the jobs that are expected in a day do not fit into the given bytes of memory. A
// memory of 0 is [parallel.DefaultMemory].
func (w *Workload) Check(memory float64) error {
	jobs := w.Rate() * w.Length
	return parallel.Check(fmt.Sprintf("a day of %.3g jobs", jobs), parallel.Memory, bytesOfJob*jobs, memory)
}

// workers returns how many goroutines may simulate days at a time within the given bytes of memory, at most as many as asked for.
func (w *Workload) workers(asked int, memory float64) int {
	fit := parallel.MostInMemory(bytesOfJob*w.Rate()*w.Length, cmp.Or(memory, parallel.DefaultMemory))
	return min(cmp.Or(asked, runtime.GOMAXPROCS(0)), fit)
}

// Rate returns the rate λ at which jobs come by day.
func (w *Workload) Rate() float64 { return w.Load * float64(w.Nodes) / w.Lifetimes.Mean() }

// What the streams of a day are for.
const (
	arrivals = iota
	lifetimes
	parallelism
	sigmas
)

// Day appends the jobs of the day that key names to jobs. Each quantity has a stream of its own: at another load the
// same jobs come at other times, and more or fewer of them. They can be resized, and ask for no number of nodes:
// policies that give jobs what they ask for give them their average parallelism, which is what users were seen to ask
// for.
func (w *Workload) Day(key des.Key, jobs []workload.Job) []workload.Job {
	come, life := key.At(arrivals).Stream(), key.At(lifetimes).Stream()
	parallel, vary := key.At(parallelism).Stream(), key.At(sigmas).Stream()
	gap := 1 / w.Rate()
	for t := gap * come.Exp(); t < w.Length; t += gap * come.Exp() {
		a := math.Max(1, w.Parallelism.Quantile(parallel.Float64()))
		jobs = append(jobs, workload.Job{
			ID:          len(jobs) + 1,
			User:        -1,
			Application: -1,
			Submit:      t,
			Kind:        workload.Malleable,
			Work:        w.Lifetimes.Quantile(life.Float64()),
			Speedup:     workload.Downey{A: a, Sigma: w.SigmaMin + (w.SigmaMax-w.SigmaMin)*vary.Float64()},
		})
	}
	return jobs
}
