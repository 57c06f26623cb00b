package packed

import (
	"cmp"
	"iter"
	"slices"
)

// Order is rows by their numbers, in some order. The zero value has no rows.
type Order struct {
	n    int
	list []uint32 // nil: the first n rows in their order
}

// FirstRows returns the first n rows in their order. It takes no memory.
func FirstRows(n int) Order { return Order{n: n} }

// OrderOf returns the order of a list, which is kept.
func OrderOf(list []uint32) Order { return Order{len(list), list} }

// Len returns the number of rows.
func (o Order) Len() int { return o.n }

// At returns the number of the k-th row, counted from 0.
func (o Order) At(k int) uint32 {
	if o.list == nil {
		return uint32(k)
	}
	return o.list[k]
}

// All returns the numbers of the rows one by one.
func (o Order) All() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for k := range o.n {
			if !yield(o.At(k)) {
				return
			}
		}
	}
}

// Where returns the rows that are kept, in the same order. It is the order itself if all are kept.
func (o Order) Where(isKept func(row uint32) bool) Order {
	kept := 0
	for i := range o.All() {
		if isKept(i) {
			kept++
		}
	}
	switch kept {
	case o.n:
		return o
	case 0:
		return Order{}
	}
	list := make([]uint32, 0, kept)
	for i := range o.All() {
		if isKept(i) {
			list = append(list, i)
		}
	}
	return OrderOf(list)
}

// mostSortFields is the number of fields by which rows are sorted at most.
const mostSortFields = 4

// Sorted returns packed rows sorted by one to four fields. Rows with the same fields keep their order. If the rows are sorted
// already, it returns the order itself; otherwise sorting takes 20 bytes a row meanwhile.
func (s *Rows[R]) Sorted(o Order, fields ...int) Order {
	type sortKey struct {
		values [mostSortFields]uint32
		place  uint32
	}
	cursor := s.Cursor(fields...)
	keyOf := func(k int) (key sortKey) {
		key.place = uint32(k)
		row := cursor.At(o.At(k))
		for f, field := range fields {
			key.values[f] = row[field]
		}
		return key
	}
	compare := func(a, b sortKey) int {
		for f := range fields {
			if c := cmp.Compare(a.values[f], b.values[f]); c != 0 {
				return c
			}
		}
		return cmp.Compare(a.place, b.place)
	}
	isSorted, before := true, sortKey{}
	for k := 0; k < o.n && isSorted; k++ {
		key := keyOf(k)
		isSorted, before = compare(before, key) <= 0, key
	}
	if isSorted {
		return o
	}
	keys := make([]sortKey, o.n)
	for k := range keys {
		keys[k] = keyOf(k)
	}
	slices.SortFunc(keys, compare)
	list := make([]uint32, o.n)
	for k := range keys {
		list[k] = o.At(int(keys[k].place))
	}
	return OrderOf(list)
}
