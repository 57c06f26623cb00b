package joblog

import (
	"cmp"
	"iter"
	"math"
	"slices"
)

// Jobs are jobs one by one, which can be gone through any number of times. A job is valid until the next one; an error is the last
// that is given.
type Jobs = iter.Seq2[*Job, error]

// List is a number of jobs in memory, in some order. Most take 30 to 60 bytes.
type List struct {
	n      int
	blocks [][swfFields]column
	last   []Job           // that are in no block
	at     func(i int) Job // in place of these, of jobs that are kept in another form
}

// jobsOfBlock is the number of jobs of a block.
const jobsOfBlock = 512

// column is a column of the Standard Workload Format in a block: one value, whole numbers of 32 bits, or any numbers.
type column struct {
	same  float64
	whole []int32
	any   []float64
}

func columnOf(values []float64) column {
	bits := math.Float64bits
	switch {
	case !slices.ContainsFunc(values, func(x float64) bool { return bits(x) != bits(values[0]) }):
		return column{same: values[0]}
	case slices.ContainsFunc(values, func(x float64) bool { return bits(float64(int32(x))) != bits(x) }):
		return column{any: slices.Clone(values)}
	}
	c := column{whole: make([]int32, len(values))}
	for i, x := range values {
		c.whole[i] = int32(x)
	}
	return c
}

// ListOf returns the list of the given jobs.
func ListOf(jobs []Job) *List {
	l := new(List)
	for i := range jobs {
		l.Add(&jobs[i])
	}
	return l
}

// Keep returns the list of the jobs of a log, which file names in errors. The error is of the kind [ErrTooMany] if there are more
// than most; 0 is any number.
func Keep(jobs Jobs, file string, most int) (*List, error) {
	l := new(List)
	for j, err := range jobs {
		if err := cmp.Or(err, tooMany(file, l.n+1, most)); err != nil {
			return nil, err
		}
		l.Add(j)
	}
	return l, nil
}

// Len returns the number of jobs.
func (l *List) Len() int { return l.n }

// Add appends a copy of a job to a list that [ListOf] or the zero value began.
func (l *List) Add(j *Job) {
	l.n++
	if l.last = append(l.last, *j); len(l.last) < jobsOfBlock {
		return
	}
	var values [swfFields][jobsOfBlock]float64
	for k := range l.last {
		for c, x := range l.last[k].fields() {
			values[c][k] = x
		}
	}
	var block [swfFields]column
	for c := range block {
		block[c] = columnOf(values[c][:])
	}
	l.blocks, l.last = append(l.blocks, block), l.last[:0]
}

// At returns the i-th job, counted from 0.
func (l *List) At(i int) Job {
	if l.at != nil {
		return l.at(i)
	}
	k := i % jobsOfBlock
	if i/jobsOfBlock == len(l.blocks) {
		return l.last[k]
	}
	var values [swfFields]float64
	block := &l.blocks[i/jobsOfBlock]
	for c := range block {
		switch column := &block[c]; {
		case column.whole != nil:
			values[c] = float64(column.whole[k])
		case column.any != nil:
			values[c] = column.any[k]
		default:
			values[c] = column.same
		}
	}
	return jobOf(&values)
}

// Jobs returns the jobs.
func (l *List) Jobs() []Job {
	jobs := slices.Grow([]Job(nil), l.n)[:l.n] // nil of none
	for i := range jobs {
		jobs[i] = l.At(i)
	}
	return jobs
}

// All returns the jobs one by one.
func (l *List) All() Jobs {
	return func(yield func(*Job, error) bool) {
		var j Job
		for i := range l.n {
			if j = l.At(i); !yield(&j, nil) {
				return
			}
		}
	}
}

// BySubmission returns the jobs in the order of their submission; those of the same time keep their order.
func (l *List) BySubmission() *List {
	submits, order := make([]float64, l.n), make([]uint32, l.n)
	for i := range order {
		submits[i], order[i] = l.At(i).Submit, uint32(i)
	}
	slices.SortStableFunc(order, func(a, b uint32) int { return cmp.Compare(submits[a], submits[b]) })
	sorted := new(List)
	for _, i := range order {
		j := l.At(int(i))
		sorted.Add(&j)
	}
	return sorted
}
