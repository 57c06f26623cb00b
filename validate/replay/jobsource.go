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
// eligible, after jobs that were submitted later.
type poolJobs struct {
	next           func() ([]heldJob, error, bool) // the next jobs of the part; the call after it overwrites them
	end            func()                          // of the reading of the log
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

// Len returns the number of jobs. It and the next four methods make the heap for package container/heap.
func (h heldJobs) Len() int { return len(h) }

// Less orders jobs by the time at which they become eligible, then by number.
func (h heldJobs) Less(a, b int) bool {
	return cmp.Or(cmp.Compare(h[a].job.Submit, h[b].job.Submit), cmp.Compare(h[a].number, h[b].number)) < 0
}

// Swap exchanges two jobs.
func (h heldJobs) Swap(a, b int) { h[a], h[b] = h[b], h[a] }

// Push appends a heldJob.
func (h *heldJobs) Push(j any) { *h = append(*h, j.(heldJob)) }

// Pop removes the last job and returns it.
func (h *heldJobs) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// Next overwrites j with the next job of the part, in the order in which jobs become eligible. The error is io.EOF
// after the last job, or that of reading the log.
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

// deliver copies a job to j. Where the order of jobs differs from the log, it keeps the number of the job in p.taken,
// for [poolJobs.numberInLog].
func (p *poolJobs) deliver(j *workload.Job, one *heldJob) {
	*j = one.job
	if p.renumbers() {
		p.taken = append(p.taken, one.number)
	}
}

// renumbers reports whether the source may give jobs in another order than that of the log, or leave some out. This is
// so if the log has pools or held jobs.
func (p *poolJobs) renumbers() bool { return p.log.Pools != nil || p.log.hasHeldJobs }

// nextSubmitted returns the next job of the part in the order of submission, until the next call; nil after the last
// job. The error is that of reading the log.
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

// jobsOfABlock is the number of jobs that are read at a time. To switch to the reading of the log and back takes as long
// as to read a job.
const jobsOfABlock = 64

// blocks returns the jobs of the part in the order of submission, in blocks of at least one job. Each block overwrites
// the block before it. The error is that of reading the log.
func (p *poolJobs) blocks(log joblog.Jobs) iter.Seq2[[]heldJob, error] {
	return func(yield func([]heldJob, error) bool) {
		block := make([]heldJob, 0, jobsOfABlock)
		number := -1
		for from, err := range log {
			number++
			if err == nil && p.log.poolOf(number) == p.on.number {
				var one heldJob
				if one, err = p.shaped(number, from); err == nil {
					block = append(block, one)
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

// shaped returns a job of the log, shaped by p.shape into a simulated job, with its number among all jobs. The
// submission of a held job is the time at which it became eligible. The error is that of the shape.
func (p *poolJobs) shaped(number int, from *joblog.Job) (heldJob, error) {
	job, err := p.shape.Job(number, from)
	if err != nil {
		return heldJob{}, err
	}
	job.Within(p.on.Nodes)
	if held := heldFor(from); held > 0 {
		job.Submit, job.HeldFor = job.Submit+held, held
	}
	return heldJob{job, number}, nil
}

// heldFor returns how long a job was held back after its submission before it became eligible, in seconds. It is at
// most the logged wait, because a job is eligible before it starts.
func heldFor(j *joblog.Job) float64 {
	if !(j.Held > 0) {
		return 0
	}
	return min(j.Held, max(j.Wait, 0))
}

// numberInLog returns the number, among all jobs of the log, of the job that the source gave as the given-th. Both
// count from 0. The machine numbers jobs as they come; results by pool, group or logged wait need the number in the
// log.
func (p *poolJobs) numberInLog(given int) int {
	if !p.renumbers() {
		return given
	}
	return p.taken[given]
}
