package calendar

// Queue is a first-come-first-served queue. Its zero value is empty and ready. It allocates nothing once it has held
// twice as many elements.
type Queue[T any] struct {
	list []T
	head int // list[:head] have left
}

// Len returns the number of elements.
func (q *Queue[T]) Len() int { return len(q.list) - q.head }

// Push adds an element at the end.
func (q *Queue[T]) Push(x T) {
	if len(q.list) == cap(q.list) && 2*q.head >= len(q.list) {
		n := copy(q.list, q.list[q.head:])
		clear(q.list[n:])
		q.list, q.head = q.list[:n], 0
	}
	q.list = append(q.list, x)
}

// At returns the i-th element, counted from the oldest. The pointer is good until the queue changes.
func (q *Queue[T]) At(i int) *T { return &q.list[q.head+i] }

// Pop removes and returns the oldest element; there must be one.
func (q *Queue[T]) Pop() T {
	x := *q.At(0)
	q.Remove(0)
	return x
}

// Remove removes the i-th element; the others keep their order. The fewer elements move: those before it, or those
// behind it.
func (q *Queue[T]) Remove(i int) {
	if k := q.head + i; 2*i < q.Len() {
		copy(q.list[q.head+1:k+1], q.list[q.head:k])
		clear(q.list[q.head : q.head+1])
		q.head++
	} else {
		n := k + copy(q.list[k:], q.list[k+1:])
		clear(q.list[n:])
		q.list = q.list[:n]
	}
}
