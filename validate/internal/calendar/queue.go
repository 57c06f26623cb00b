package calendar

import "sort"

// Queue is a first-come-first-served queue. Its zero value is empty and ready. It allocates nothing once it has held
// twice as many elements.
//
// The elements beyond the first queueBlock lie in blocks of at most queueBlock elements, so that the time to remove an
// element from the middle of a long queue hardly depends on the length of the queue.
type Queue[T any] struct {
	list   []T
	head   int // list[:head] have left
	length int
	more   []segment[T] // the elements behind list
	last   int          // the block in which an element was looked up last
	spare  [][]T        // empty blocks
}

// segment is a block, a part of a queue. No block is empty.
type segment[T any] struct {
	list []T
	end  int // the number of elements up to the end of the block, counted from the first block
}

const queueBlock = 1024

// Len returns the number of elements.
func (q *Queue[T]) Len() int { return q.length }

// Push adds an element at the end.
func (q *Queue[T]) Push(x T) {
	q.length++
	if len(q.more) > 0 || q.length > queueBlock {
		q.pushBehind(x)
		return
	}
	if len(q.list) == cap(q.list) && 2*q.head >= len(q.list) {
		n := copy(q.list, q.list[q.head:])
		clear(q.list[n:])
		q.list, q.head = q.list[:n], 0
	}
	q.list = append(q.list, x)
}

// pushBehind adds an element to the last block, or to a new block if the last one is full.
func (q *Queue[T]) pushBehind(x T) {
	k := len(q.more) - 1
	if k < 0 || len(q.more[k].list) == queueBlock {
		end := 0
		if k >= 0 {
			end = q.more[k].end
		}
		var list []T
		if n := len(q.spare); n > 0 {
			list, q.spare = q.spare[n-1], q.spare[:n-1]
		} else {
			list = make([]T, 0, queueBlock)
		}
		q.more = append(q.more, segment[T]{list, end})
		k++
	}
	b := &q.more[k]
	b.list = append(b.list, x)
	b.end++
}

// At returns the i-th element, counted from the oldest. The pointer is good until the queue changes.
func (q *Queue[T]) At(i int) *T {
	if k := q.head + i; k < len(q.list) {
		return &q.list[k]
	}
	return q.atBehind(i)
}

func (q *Queue[T]) atBehind(i int) *T {
	k, i := q.find(i - (len(q.list) - q.head))
	return &q.more[k].list[i]
}

// find returns the block of the i-th element behind list, and the place of the element in its block.
func (q *Queue[T]) find(i int) (k, place int) {
	k = q.last
	if k >= len(q.more) || i >= q.more[k].end || i < q.more[k].end-len(q.more[k].list) {
		k = sort.Search(len(q.more), func(k int) bool { return q.more[k].end > i })
		q.last = k
	}
	b := &q.more[k]
	return k, i - (b.end - len(b.list))
}

// Pop removes and returns the oldest element; there must be one.
func (q *Queue[T]) Pop() T {
	x := *q.At(0)
	q.Remove(0)
	return x
}

// Remove removes the i-th element; the others keep their order.
func (q *Queue[T]) Remove(i int) {
	q.length--
	first := len(q.list) - q.head
	switch {
	case i >= first:
		q.removeBehind(i - first)
		return
	case i == 0 || 2*i < first: // the elements before the i-th move
		copy(q.list[q.head+1:], q.list[q.head:q.head+i])
		clear(q.list[q.head : q.head+1])
		q.head++
	default:
		q.list = cut(q.list, q.head+i)
	}
	if q.head == len(q.list) && len(q.more) > 0 {
		q.advance()
	}
}

// advance makes the first block the head of the queue.
func (q *Queue[T]) advance() {
	q.spare = append(q.spare, q.list[:0])
	q.list, q.head = q.more[0].list, 0
	q.drop(0)
	for k := range q.more {
		q.more[k].end -= len(q.list)
	}
}

// removeBehind removes the i-th element behind list. Two neighbouring blocks that fill half a block are united.
func (q *Queue[T]) removeBehind(i int) {
	k, i := q.find(i)
	q.more[k].list = cut(q.more[k].list, i)
	for j := k; j < len(q.more); j++ {
		q.more[j].end--
	}
	b := &q.more[k]
	switch {
	case len(b.list) == 0:
		q.spare = append(q.spare, b.list)
		q.drop(k)
	case k+1 < len(q.more) && len(b.list)+len(q.more[k+1].list) <= queueBlock/2:
		next := &q.more[k+1]
		b.list, b.end = append(b.list, next.list...), next.end
		clear(next.list)
		q.spare = append(q.spare, next.list[:0])
		q.drop(k + 1)
	}
}

// drop takes a block out of the list of blocks.
func (q *Queue[T]) drop(k int) {
	n := k + copy(q.more[k:], q.more[k+1:])
	q.more[n] = segment[T]{}
	q.more = q.more[:n]
}

// cut returns a list without its i-th element, of which it keeps no copy.
func cut[T any](list []T, i int) []T {
	n := i + copy(list[i:], list[i+1:])
	clear(list[n:])
	return list[:n]
}
