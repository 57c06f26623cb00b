package machine

// fifo is a queue of numbers in a ring that grows when it is full.
type fifo struct {
	ring  []float64 // its length is a power of two
	first int
	n     int
}

func (q *fifo) len() int { return q.n }

func (q *fifo) push(x float64) {
	if q.n == len(q.ring) {
		bigger := make([]float64, max(16, 2*q.n))
		for i := range q.n {
			bigger[i] = q.ring[(q.first+i)&(len(q.ring)-1)]
		}
		q.ring, q.first = bigger, 0
	}
	q.ring[(q.first+q.n)&(len(q.ring)-1)] = x
	q.n++
}

// pop returns the oldest number of a queue that is not empty.
func (q *fifo) pop() float64 {
	x := q.ring[q.first]
	q.first = (q.first + 1) & (len(q.ring) - 1)
	q.n--
	return x
}
