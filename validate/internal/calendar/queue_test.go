package calendar_test

import (
	"slices"
	"testing"

	_ "github.com/partwise/partwise/testdata/phtest"
	"github.com/partwise/partwise/validate/internal/calendar"
	"pgregory.net/rapid"
)

// The queue agrees with a slice under any sequence of operations, on short queues and on queues of several blocks.
func TestQueueAgainstSlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q calendar.Queue[int]
		var list []int
		for x := range rapid.SampledFrom([]int{0, 0, 1000, 5000}).Draw(t, "elements at first") {
			q.Push(x)
			list = append(list, x)
		}
		for x := range rapid.IntRange(1, 300).Draw(t, "operations") {
			switch op := rapid.IntRange(0, 5).Draw(t, "op"); {
			case op == 0 && len(list) > 0:
				if got := q.Pop(); got != list[0] {
					t.Fatalf("Pop() = %d, want %d", got, list[0])
				}
				list = list[1:]
			case op == 1 && len(list) > 0:
				k := rapid.IntRange(0, len(list)-1).Draw(t, "remove")
				q.Remove(k)
				list = slices.Delete(list, k, k+1)
			case op == 5 && len(list) > 0: // a long part of the queue leaves
				k := rapid.IntRange(0, len(list)-1).Draw(t, "remove from")
				n := rapid.IntRange(0, len(list)-k).Draw(t, "remove so many")
				for range n {
					q.Remove(k)
				}
				list = slices.Delete(list, k, k+n)
			case op == 2 && len(list) > 0:
				k := rapid.IntRange(0, len(list)-1).Draw(t, "change")
				*q.At(k) = -x
				list[k] = -x
			default:
				q.Push(x)
				list = append(list, x)
			}
			if q.Len() != len(list) {
				t.Fatalf("%d elements, want %d", q.Len(), len(list))
			}
			for k := range list {
				if *q.At(k) != list[k] {
					t.Fatalf("At(%d) = %d, want %d", k, *q.At(k), list[k])
				}
			}
		}
	})
}

// Of ascending elements, Search finds each, and the first after each that is not in the queue, in one block and in several.
func TestQueueSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q calendar.Queue[int]
		var list []int
		for x := range rapid.SampledFrom([]int{0, 1, 50, 5000}).Draw(t, "elements") {
			q.Push(2 * x)
			list = append(list, 2*x)
		}
		for range rapid.IntRange(0, len(list)).Draw(t, "elements that leave first") {
			q.Pop()
			list = list[1:]
		}
		if n := rapid.IntRange(0, len(list)).Draw(t, "elements that leave"); n > 0 {
			k := rapid.IntRange(0, len(list)-n).Draw(t, "from")
			for range n {
				q.Remove(k)
			}
			list = slices.Delete(list, k, k+n)
		}
		for x := rapid.IntRange(-1, 100).Draw(t, "the first to look for"); x <= 10_001; x += 97 {
			want, _ := slices.BinarySearch(list, x)
			if got := q.Search(func(y *int) bool { return *y >= x }); got != want {
				t.Fatalf("%d of %d elements are less than %d, want %d", got, len(list), x, want)
			}
		}
	})
}

func TestQueueDoesNotAllocate(t *testing.T) {
	for _, length := range []int{50, 5000} {
		var q calendar.Queue[int]
		for i := range length {
			q.Push(i)
		}
		if n := testing.AllocsPerRun(10_000, func() {
			q.Push(q.Pop())
			q.Remove(length / 3)
			q.Push(1)
		}); n != 0 {
			t.Errorf("%v allocations per job in a queue of %d", n, length)
		}
	}
}

// What has left the queue is not held in memory by it.
func TestQueueForgets(t *testing.T) {
	var q calendar.Queue[*int]
	for range 3 {
		q.Push(new(int))
	}
	first := q.At(0)
	q.Remove(1)
	q.Pop()
	q.Pop()
	if *first != nil {
		t.Error("an element that was removed is still in memory")
	}
	q.Push(new(int))
	if q.Len() != 1 || *q.At(0) == nil {
		t.Error("the queue cannot be used again")
	}
}
