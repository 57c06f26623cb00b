package workload

import (
	"iter"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/models/workload/joblog"
)

// jann97 is a model fitted to a log, as Jann et al. fitted a model to the log of the CTC. Jobs are divided into classes
// of sizes 1, 2, 3–4, 5–8, 9–16 …, which are independent. In each class, run times and interarrival times are
// hyper-Erlang of common order, with the first three moments of the log. A size within a class is drawn from those of
// the log.
//
// Reference: J. Jann, P. Pattnaik, H. Franke, F. Wang, J. Skovira, J. Riordan, Modeling of workload in MPPs, Job
// Scheduling Strategies for Parallel Processing, LNCS 1291 (1997) 95–116.
type jann97 struct{ Classes []jannSizeClass }

// jannSizeClass are the jobs of the sizes From to To.
type jannSizeClass struct {
	From, To int
	Sizes    []int
	Run, Gap hyperErlang // seconds
}

// fewest is the number of jobs of a log that a class needs for its moments.
const fewest = 10

// fitJann97 fits the model to the jobs of a log that have a size and ran. Classes with fewer than ten jobs join the one
// below, or the one above if they are the lowest.
func fitJann97(jobs []joblog.Job) (jann97, error) {
	byClass := map[int][]joblog.Job{}
	most := 0
	for _, j := range jobs {
		if j.Problem(0) == "" && j.Run > 0 {
			c := int(math.Ceil(math.Log2(float64(j.Nodes()))))
			byClass[c] = append(byClass[c], j)
			most = max(most, c)
		}
	}
	var m jann97
	var pool []joblog.Job
	from := 1
	for c := 0; c <= most; c++ {
		pool = append(pool, byClass[c]...)
		if len(pool) < fewest {
			continue
		}
		class, err := fitClass(pool)
		if err != nil {
			return jann97{}, err
		}
		class.From, class.To = from, 1<<c
		m.Classes = append(m.Classes, class)
		from, pool = 1<<c+1, nil
	}
	if len(m.Classes) == 0 {
		return jann97{}, invalid("log", "holds fewer than %d jobs that ran", fewest)
	}
	if last := &m.Classes[len(m.Classes)-1]; len(pool) > 0 { // too few at the top
		for i := range pool {
			last.Sizes = append(last.Sizes, pool[i].Nodes())
			last.To = max(last.To, pool[i].Nodes())
		}
	}
	return m, nil
}

// fitClass fits run and interarrival times.
func fitClass(jobs []joblog.Job) (c jannSizeClass, err error) {
	var submits, runs []float64
	for i := range jobs {
		submits, runs = append(submits, jobs[i].Submit), append(runs, jobs[i].Run)
		c.Sizes = append(c.Sizes, jobs[i].Nodes())
	}
	if c.Run, err = matchSample(runs); err != nil {
		return c, err
	}
	c.Gap, err = matchSample(gaps(submits))
	return c, err
}

// matchSample returns the hyper-Erlang distribution with the moments of the values; an Erlang one of high order where
// they are all alike.
func matchSample(x []float64) (hyperErlang, error) {
	var m [3]float64
	for _, v := range x {
		m[0] += v
		m[1] += v * v
		m[2] += v * v * v
	}
	n := float64(len(x))
	for i := range m {
		m[i] /= n
	}
	if !(m[0] > 0) {
		return hyperErlang{}, invalid("log", "has a class of sizes whose jobs all come at once")
	}
	h, err := matchHyperErlang(m[0], m[1], m[2])
	if err != nil {
		rate := mostOrder / m[0]
		return hyperErlang{mostOrder, 1, rate, rate}, nil
	}
	return h, nil
}

// Jobs returns the jobs. Those larger than the machine take all of it.
func (m jann97) Jobs(nodes int, u Uniform) (iter.Seq[joblog.Job], error) {
	if nodes < 1 {
		return nil, invalid("nodes", "%d is not a number of nodes", nodes)
	}
	next := make([]float64, len(m.Classes)) // submission of the next job, by class
	for c := range next {
		next[c] = m.Classes[c].Gap.Draw(u)
	}
	return func(yield func(joblog.Job) bool) {
		for id := 1; ; id++ {
			first := floats.MinIdx(next)
			class := &m.Classes[first]
			run := math.Ceil(class.Run.Draw(u))
			size := class.Sizes[int(u.Float64()*float64(len(class.Sizes)))]
			at := math.Floor(next[first])
			next[first] += class.Gap.Draw(u)
			if !yield(made(id, at, run, min(size, nodes))) {
				return
			}
		}
	}, nil
}
