package machine

// fifo is a queue in a ring that grows when it is full.
type fifo[T any] struct {
	ring []T // its length is a power of two
	head int
	n    int
}

func (q *fifo[T]) len() int { return q.n }

func (q *fifo[T]) push(x T) {
	if q.n == len(q.ring) {
		bigger := make([]T, max(16, 2*q.n))
		for i := range q.n {
			bigger[i] = q.ring[(q.head+i)&(len(q.ring)-1)]
		}
		q.ring, q.head = bigger, 0
	}
	q.ring[(q.head+q.n)&(len(q.ring)-1)] = x
	q.n++
}

// first returns the oldest element of a queue that is not empty.
func (q *fifo[T]) first() T { return q.ring[q.head] }

// at returns the i-th element, counted from the oldest.
func (q *fifo[T]) at(i int) T { return q.ring[(q.head+i)&(len(q.ring)-1)] }

// pop removes and returns it.
func (q *fifo[T]) pop() T {
	x := q.ring[q.head]
	q.head = (q.head + 1) & (len(q.ring) - 1)
	q.n--
	return x
}

// take removes the first element equal to x, reports whether there was one, and keeps the order of the others.
func take[T comparable](q *fifo[T], x T) bool {
	mask := len(q.ring) - 1
	for i := range q.n {
		if q.ring[(q.head+i)&mask] != x {
			continue
		}
		for ; i > 0; i-- {
			q.ring[(q.head+i)&mask] = q.ring[(q.head+i-1)&mask]
		}
		q.pop()
		return true
	}
	return false
}
