package joblog

import (
	"cmp"
	"iter"
	"slices"

	"github.com/partwise/partwise/models/workload/internal/packed"
)

// Jobs are jobs one by one, which can be gone through any number of times. A job is valid until the next one; an error is the last
// that is given.
type Jobs = iter.Seq2[*Job, error]

// List is a number of jobs in memory, in some order. Most take 14 to 60 bytes.
type List struct {
	n      int
	blocks []block
	last   []Job           // that are in no block
	stored *storedJobs     // in place of blocks and last: the jobs are kept as records
	pieces map[int][]Piece // of the jobs in blocks whose nodes changed, by their places in the list
}

// block is jobs in columns.
type block struct {
	swf  [swfFields]packed.Column
	more *[moreFields]packed.Column // nil: all are 0
}

// moreFields is the number of fields of a job besides those of the Standard Workload Format and the pieces.
const moreFields = 8

// more returns the fields of a job besides those of the Standard Workload Format and the pieces.
func (j *Job) more() [moreFields]float64 {
	return [...]float64{j.Held, float64(j.State), float64(j.QOS), float64(j.Cluster), float64(j.NodeList), float64(j.CPUs),
		float64(j.Task), float64(j.Component)}
}

// set sets the fields of a job to those of the k-th job of a block, except the pieces.
func (b *block) set(j *Job, k int) {
	v := &b.swf
	j.ID, j.Submit, j.Wait, j.Run = v[0].IntAt(k), v[1].At(k), v[2].At(k), v[3].At(k)
	j.Processors, j.ProcessorTime, j.Memory, j.RequestedProcessors = v[4].IntAt(k), v[5].At(k), v[6].At(k), v[7].IntAt(k)
	j.Estimate, j.RequestedMemory, j.Status = v[8].At(k), v[9].At(k), Status(v[10].IntAt(k))
	j.User, j.Group, j.Application = v[11].IntAt(k), v[12].IntAt(k), v[13].IntAt(k)
	j.Queue, j.Partition, j.Preceding, j.ThinkTime = v[14].IntAt(k), v[15].IntAt(k), v[16].IntAt(k), v[17].At(k)
	if b.more == nil {
		j.Held, j.State, j.QOS, j.Cluster, j.NodeList, j.CPUs, j.Task, j.Component = 0, 0, 0, 0, 0, 0, 0, 0
		return
	}
	m := b.more
	j.Held, j.State, j.QOS = m[0].At(k), int32(m[1].IntAt(k)), int32(m[2].IntAt(k))
	j.Cluster, j.NodeList, j.CPUs = int32(m[3].IntAt(k)), int32(m[4].IntAt(k)), int32(m[5].IntAt(k))
	j.Task, j.Component = int32(m[6].IntAt(k)), int32(m[7].IntAt(k))
}

// jobsOfBlock is the number of jobs of a block.
const jobsOfBlock = 512

// roomOfColumn is the room for a column of a block while the block is filled. It is not a power of two: otherwise the cache would
// have the same few places for the fields of a job.
const roomOfColumn = jobsOfBlock + 8

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

// Len returns the number of jobs; 0 of a nil list.
func (l *List) Len() int {
	if l == nil {
		return 0
	}
	return l.n
}

// Add appends a copy of a job to a list that [ListOf] or the zero value began.
func (l *List) Add(j *Job) {
	l.n++
	if l.last = append(l.last, *j); len(l.last) < jobsOfBlock {
		return
	}
	var b block
	var values [swfFields][roomOfColumn]float64
	isMore := false
	for k := range l.last {
		j := &l.last[k]
		for c, x := range j.fields() {
			values[c][k] = x
		}
		isMore = isMore || j.Held != 0 || j.State|j.QOS|j.Cluster|j.NodeList|j.CPUs|j.Task|j.Component != 0
		if j.Pieces != nil {
			if l.pieces == nil {
				l.pieces = map[int][]Piece{}
			}
			l.pieces[len(l.blocks)*jobsOfBlock+k] = j.Pieces
		}
	}
	for c := range b.swf {
		b.swf[c] = packed.ColumnOf(values[c][:jobsOfBlock])
	}
	if isMore {
		b.more = moreOf(l.last)
	}
	l.blocks, l.last = append(l.blocks, b), l.last[:0]
}

// moreOf returns the columns of the fields of the jobs of a block besides those of the Standard Workload Format.
func moreOf(jobs []Job) *[moreFields]packed.Column {
	var values [moreFields][roomOfColumn]float64
	for k := range jobs {
		for c, x := range jobs[k].more() {
			values[c][k] = x
		}
	}
	var all [moreFields]packed.Column
	for c := range all {
		all[c] = packed.ColumnOf(values[c][:jobsOfBlock])
	}
	return &all
}

// At returns the i-th job, counted from 0.
func (l *List) At(i int) (j Job) {
	l.load(i, &j)
	return j
}

// load makes j the i-th job. It is faster than At where the same j is used again and again.
func (l *List) load(i int, j *Job) {
	k := i % jobsOfBlock
	switch {
	case l.stored != nil:
		l.stored.set(j, i)
		return
	case i/jobsOfBlock == len(l.blocks):
		*j = l.last[k]
		return
	}
	l.blocks[i/jobsOfBlock].set(j, k)
	j.Pieces = nil
	if l.pieces != nil {
		j.Pieces = l.pieces[i]
	}
}

// Jobs returns the jobs.
func (l *List) Jobs() []Job {
	jobs := slices.Grow([]Job(nil), l.n)[:l.n] // nil of none
	for i := range jobs {
		l.load(i, &jobs[i])
	}
	return jobs
}

// All returns the jobs one by one.
func (l *List) All() Jobs {
	return func(yield func(*Job, error) bool) {
		if l != nil && l.stored != nil {
			l.stored.each(func(j *Job) bool { return yield(j, nil) })
			return
		}
		var j Job
		for i := range l.Len() {
			if l.load(i, &j); !yield(&j, nil) {
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
	var j Job
	for _, i := range order {
		l.load(int(i), &j)
		sorted.Add(&j)
	}
	return sorted
}
