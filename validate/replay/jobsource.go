package replay

import (
	"cmp"
	"container/heap"
	"io"
	"iter"

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
)

// poolJobs is a source of the jobs of a part of a log, for the machine. A job that was held comes when it became
// eligible, after the jobs that were submitted earlier than that time.
type poolJobs struct {
	next           func() ([]heldJob, error, bool) // the next jobs of the part; the call after it overwrites them
	end            func()                          // ends the reading of the log
	shape          workload.Shape
	on             part
	log            *Log
	submitted      []heldJob // that were read, and are not delivered or held yet
	held           heldJobs  // that were submitted, and are not eligible yet
	ahead          heldJob   // the next job that was submitted, if isAhead; a held job may come before it
	isAhead, ended bool      // ended: the log has no more jobs
	taken          []int     // the numbers among all jobs of the jobs that the source gave, where these may come in another order
}

// heldJob is a job with its number among all jobs.
type heldJob struct {
	job    workload.Job
	number int
}

// heldJobs is a heap of jobs by the time at which they become eligible; of the same time, by their number.
type heldJobs []heldJob

// Len returns the number of jobs. Len and the next four methods implement the interface of package container/heap.
func (h heldJobs) Len() int { return len(h) }

// Less reports whether job a of the slice becomes eligible before job b. Of the same time, it is the job with the
// smaller number.
func (h heldJobs) Less(a, b int) bool {
	return cmp.Or(cmp.Compare(h[a].job.Submit, h[b].job.Submit), cmp.Compare(h[a].number, h[b].number)) < 0
}

// Swap exchanges the jobs a and b of the slice.
func (h heldJobs) Swap(a, b int) { h[a], h[b] = h[b], h[a] }

// Push appends j, a heldJob, to the end of the slice. To add a job to the heap, call heap.Push.
func (h *heldJobs) Push(j any) { *h = append(*h, j.(heldJob)) }

// Pop removes the last job of the slice and returns it, a heldJob. To take the job that becomes eligible first, call
// heap.Pop.
func (h *heldJobs) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// Next overwrites j with the next job of the part, in the order in which jobs become eligible. At the same time, jobs
// that were held come first. The error is io.EOF after the last job. Otherwise it comes from reading the log, or from
// the shape of a job. j is not changed beside an error.
func (p *poolJobs) Next(j *workload.Job) error {
	if !p.log.hasHeldJobs {
		one, err := p.nextSubmitted()
		switch {
		case err != nil:
			return err
		case one == nil:
			return io.EOF
		}
		p.deliver(j, one)
		return nil
	}
	for {
		if !p.isAhead && !p.ended {
			one, err := p.nextSubmitted()
			if err != nil {
				return err
			}
			if p.isAhead, p.ended = one != nil, one == nil; p.isAhead {
				p.ahead = *one
			}
		}
		switch {
		case len(p.held) > 0 && (p.ended || p.held[0].job.Submit <= p.ahead.job.Submit-p.ahead.job.HeldFor):
			one := heap.Pop(&p.held).(heldJob)
			p.deliver(j, &one)
			return nil
		case p.ended:
			return io.EOF
		}
		p.isAhead = false
		if p.ahead.job.HeldFor == 0 {
			p.deliver(j, &p.ahead)
			return nil
		}
		heap.Push(&p.held, p.ahead)
	}
}

// deliver overwrites j with the job of one. If [poolJobs.renumbers], it appends the number of the job to p.taken, for
// [poolJobs.numberInLog].
func (p *poolJobs) deliver(j *workload.Job, one *heldJob) {
	*j = one.job
	if p.renumbers() {
		p.taken = append(p.taken, one.number)
	}
}

// renumbers reports whether the source may give jobs in another order than the log, or leave jobs out. This is so if
// the log has pools or held jobs.
func (p *poolJobs) renumbers() bool { return p.log.Pools != nil || p.log.hasHeldJobs }

// nextSubmitted removes the next job of the part, in the order of submission, and returns it; nil after the last job.
// The job is valid until the next call. The error comes from reading the log, or from the shape of a job; the job is
// nil then.
func (p *poolJobs) nextSubmitted() (*heldJob, error) {
	if len(p.submitted) == 0 {
		block, err, more := p.next()
		if err != nil || !more {
			return nil, err
		}
		p.submitted = block
	}
	one := &p.submitted[0]
	p.submitted = p.submitted[1:]
	return one, nil
}

// jobsOfABlock is the largest number of jobs that are read at a time. A switch to the reading of the log and back takes
// as long as the reading of a job. So the source switches once a block, not once a job.
const jobsOfABlock = 64

// blocks returns a sequence of the jobs of the part in the order of submission, as p.shape makes them of the jobs of
// log. The jobs come in blocks of 1 to jobsOfABlock jobs, to save switches between the machine and the reading. Each
// block overwrites the block before it.
//
// The error comes from reading the log, or from the shape of a job. It comes last, with a nil block, after the jobs
// before the failure.
func (p *poolJobs) blocks(log joblog.Jobs) iter.Seq2[[]heldJob, error] {
	return func(yield func([]heldJob, error) bool) {
		block := make([]heldJob, 0, jobsOfABlock)
		number := -1
		for from, err := range log {
			number++
			if err == nil && p.log.poolOf(number) == p.on.number {
				n := len(block)
				block = block[:n+1]
				if err = p.setShaped(&block[n], number, from); err != nil {
					block = block[:n]
				}
			}
			if len(block) > 0 && (err != nil || len(block) == jobsOfABlock) {
				if !yield(block, nil) {
					return
				}
				block = block[:0]
			}
			if err != nil {
				yield(nil, err)
				return
			}
		}
		if len(block) > 0 {
			yield(block, nil)
		}
	}
}

// setShaped overwrites one with the simulated job that p.shape makes of a job of the log, from, with its number among all
// jobs. A job that is not rigid asks for at most the nodes of the part; see [workload.Job.Within]. Submit of a held job is
// the time at which it became eligible, in seconds, and HeldFor is its [heldFor]. The error comes from [workload.Shape.Set];
// one has no meaning beside it.
func (p *poolJobs) setShaped(one *heldJob, number int, from *joblog.Job) (err error) {
	one.number = number
	if err = p.shape.Set(&one.job, number, from); err != nil {
		return err
	}
	one.job.Within(p.on.Nodes)
	if held := heldFor(from); held > 0 {
		one.job.Submit, one.job.HeldFor = one.job.Submit+held, held
	}
	return nil
}

// heldFor returns how long job j of a log was held back after its submission before it became eligible, in seconds. The
// time is at most the logged wait, because a job is eligible before it starts. It is 0 if the job was not held, or if
// the log does not record the wait.
func heldFor(j *joblog.Job) float64 {
	if !(j.Held > 0) {
		return 0
	}
	return min(j.Held, max(j.Wait, 0))
}

// numberInLog returns the number of a job among all chosen jobs of the log. given is its number among the jobs that the
// source gave; Next must have given the job. Both numbers count from 0. The machine numbers jobs as they come; results
// by pool, group or logged wait need the number in the log.
func (p *poolJobs) numberInLog(given int) int {
	if !p.renumbers() {
		return given
	}
	return p.taken[given]
}
