package des

// Queue is a first-come-first-served queue in a ring that grows when it is full. Its zero value is empty and ready.
type Queue[T any] struct {
	ring []T // its length is a power of two
	head int
	n    int
}

// Len returns the number of elements.
func (q *Queue[T]) Len() int { return q.n }

// Push adds an element at the end.
func (q *Queue[T]) Push(x T) {
	if q.n == len(q.ring) {
		bigger := make([]T, max(16, 2*q.n))
		for i := range q.n {
			bigger[i] = *q.At(i)
		}
		q.ring, q.head = bigger, 0
	}
	q.n++
	*q.At(q.n - 1) = x
}

// At returns the i-th element, counted from the oldest.
func (q *Queue[T]) At(i int) *T { return &q.ring[(q.head+i)&(len(q.ring)-1)] }

// Pop removes and returns the oldest element; there must be one.
func (q *Queue[T]) Pop() T {
	x := *q.At(0)
	q.Remove(0)
	return x
}

// Remove removes the i-th element; the others keep their order.
func (q *Queue[T]) Remove(i int) {
	for ; i > 0; i-- { // those before it are fewer than those behind, usually
		*q.At(i) = *q.At(i - 1)
	}
	var none T
	*q.At(0) = none
	q.head = (q.head + 1) & (len(q.ring) - 1)
	q.n--
}
