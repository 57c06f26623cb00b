package calendar

import (
	"slices"
	"sort"
)

// Queue is a first-come-first-served queue. The zero value is empty and ready. It allocates nothing once it has held
// twice as many elements.
//
// The elements lie in blocks of at most queueBlock elements. So the time to remove an element from the middle of a long
// queue hardly depends on the length of the queue.
type Queue[T any] struct {
	blocks [][]T // the last ones are not empty
	head   int   // blocks[0][:head] have left
	length int
	spare  [][]T // empty blocks
}

// queueBlock is the largest number of elements of a block.
const queueBlock = 1024

// Len returns the number of elements in the queue.
func (q *Queue[T]) Len() int { return q.length }

// Push adds an element at the end.
func (q *Queue[T]) Push(x T) {
	q.length++
	last := len(q.blocks) - 1
	if last < 0 || len(q.blocks[last]) == cap(q.blocks[last]) {
		last = q.makeRoom(last)
	}
	q.blocks[last] = append(q.blocks[last], x)
}

// makeRoom returns the index of a block to which an element can be added. last is the index of the last block, which is
// full, −1 without blocks. The result is last if half of its elements have left the queue, or if it may still grow. Then
// its elements move to the front, or the caller's append grows it. Otherwise a block is appended to q.blocks.
func (q *Queue[T]) makeRoom(last int) int {
	switch n := len(q.spare); {
	case last == 0 && 2*q.head >= len(q.blocks[0]):
		q.blocks[0] = slices.Delete(q.blocks[0], 0, q.head)
		q.head = 0
		return last
	case last >= 0 && len(q.blocks[last]) < queueBlock:
		return last
	case n > 0:
		q.blocks, q.spare = append(q.blocks, q.spare[n-1]), q.spare[:n-1]
	default:
		q.blocks = append(q.blocks, nil)
	}
	return last + 1
}

// At returns the i-th element, from 0, the oldest first; i must be below Len. The pointer is valid until the queue
// changes.
func (q *Queue[T]) At(i int) *T {
	if first := q.blocks[0]; q.head+i < len(first) {
		return &first[q.head+i]
	}
	block, i := q.find(i)
	return &q.blocks[block][i]
}

// find returns the index of the block that holds the i-th element, from 0, and the index of the element in this block.
// There must be such an element.
func (q *Queue[T]) find(i int) (block, place int) {
	for place = q.head + i; place >= len(q.blocks[block]); block++ {
		place -= len(q.blocks[block])
	}
	return block, place
}

// Search returns the index, from 0, of the first element for which reached is true, or Len if reached is true for no
// element. From that element on, reached must be true. The last elements of the blocks are bisected first, then the block
// that is found: [Queue.At] would look for a block at each step.
func (q *Queue[T]) Search(reached func(*T) bool) int {
	if q.length == 0 {
		return 0
	}
	block := sort.Search(len(q.blocks), func(k int) bool { return reached(&q.blocks[k][len(q.blocks[k])-1]) })
	if block == len(q.blocks) {
		return q.length
	}
	before := -q.head // elements that have left the queue
	for _, b := range q.blocks[:block] {
		before += len(b)
	}
	least := max(0, -before) // place of the first element of the block
	here := q.blocks[block][least:]
	return before + least + sort.Search(len(here), func(i int) bool { return reached(&here[i]) })
}

// Pop removes and returns the oldest element; there must be one.
func (q *Queue[T]) Pop() T {
	x := q.blocks[0][q.head]
	q.RemoveFirst()
	return x
}

// RemoveFirst removes the oldest element; there must be one. Large elements are not copied, as [Queue.Pop] does.
func (q *Queue[T]) RemoveFirst() {
	first := q.blocks[0]
	if q.head+1 == len(first) && len(q.blocks) > 1 {
		q.Remove(0)
		return
	}
	var none T
	first[q.head] = none // so that nothing is kept in memory through it
	q.head++
	q.length--
}

// Remove removes the i-th element, from 0; i must be below Len. The others keep their order. A block of which little is
// left is joined with the next block if both together fill at most half a block.
func (q *Queue[T]) Remove(i int) {
	q.length--
	k, i := q.find(i)
	b := &q.blocks[k]
	left := len(*b) - 1
	if k == 0 && 2*i < q.head+len(*b) { // the elements before it move
		copy((*b)[q.head+1:], (*b)[q.head:i])
		clear((*b)[q.head : q.head+1])
		q.head++
		left++
	} else {
		*b = slices.Delete(*b, i, i+1)
	}
	switch {
	case len(q.blocks) == 1:
	case k == 0 && left == q.head:
		q.drop(0)
		q.head = 0
	case left == 0:
		q.drop(k)
	case k > 0 && k+1 < len(q.blocks) && left+len(q.blocks[k+1]) <= queueBlock/2:
		*b = append(*b, q.blocks[k+1]...)
		q.drop(k + 1)
	}
}

// drop removes the k-th block, from 0, from q.blocks. It clears the elements, so that they are not kept in memory, and
// keeps the block in q.spare for later use.
func (q *Queue[T]) drop(k int) {
	clear(q.blocks[k])
	q.spare = append(q.spare, q.blocks[k][:0])
	q.blocks = slices.Delete(q.blocks, k, k+1)
}
