package batch

// waiting is a job in the queue, with what backfilling looks at beside it, so that looking through the queue is looking
// through one piece of memory.
type waiting struct {
	estimate float64
	job      Job
	nodes    int
}

// queue holds the waiting jobs in the order in which they came.
type queue struct {
	jobs []waiting
	head int // jobs[:head] have been taken
}

func (q *queue) len() int { return len(q.jobs) - q.head }

func (q *queue) at(i int) *waiting { return &q.jobs[q.head+i] }

func (q *queue) push(w waiting) {
	if q.head > 0 && len(q.jobs) == cap(q.jobs) && 2*q.head >= len(q.jobs) {
		q.jobs = q.jobs[:copy(q.jobs, q.jobs[q.head:])]
		q.head = 0
	}
	q.jobs = append(q.jobs, w)
}

// take removes job j and returns the place that it had in the queue, −1 if it does not wait.
func (q *queue) take(j Job) int {
	rest := q.jobs[q.head:]
	for i := range rest {
		if rest[i].job != j {
			continue
		}
		copy(rest[1:i+1], rest[:i]) // those before it are fewer than those behind, usually
		q.head++
		return i
	}
	return -1
}
