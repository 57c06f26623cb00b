package replay

import (
	"cmp"
	"container/heap"
	"io"

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
)

// poolJobs is a source of the jobs of a part of a log, for the machine. A job that was held comes when it became
// eligible, after jobs that were submitted later.
type poolJobs struct {
	next           func() (*joblog.Job, error, bool)
	end            func() // of the reading of the log
	shape          workload.Shape
	on             part
	log            *Log
	read           int      // jobs of the log so far
	held           heldJobs // that were submitted, and are not eligible yet
	ahead          heldJob  // the next job that was submitted, if isAhead; a held job may come before it
	isAhead, ended bool     // ended: the log has no more jobs
	taken          []int    // the numbers among all jobs of the jobs that the source gave, where these may come in another order
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
		more, err := p.nextSubmitted(&p.ahead)
		switch {
		case err != nil:
			return err
		case !more:
			return io.EOF
		}
		p.deliver(j, &p.ahead)
		return nil
	}
	for {
		if !p.isAhead && !p.ended {
			more, err := p.nextSubmitted(&p.ahead)
			if err != nil {
				return err
			}
			p.isAhead, p.ended = more, !more
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

// nextSubmitted overwrites one with the next job of the part in the order of submission, shaped by p.shape into a
// simulated job. The submission of a held job is the time at which it became eligible. more is false after the last
// job. The error is that of reading the log.
func (p *poolJobs) nextSubmitted(one *heldJob) (more bool, err error) {
	for {
		from, err, more := p.next()
		if err != nil || !more {
			return false, err
		}
		one.number = p.read
		p.read++
		if p.log.poolOf(one.number) != p.on.number {
			continue
		}
		if one.job, err = p.shape.Job(one.number, from); err != nil {
			return false, err
		}
		one.job.Within(p.on.Nodes)
		if held := heldFor(from); held > 0 {
			one.job.Submit, one.job.HeldFor = one.job.Submit+held, held
		}
		return true, nil
	}
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
