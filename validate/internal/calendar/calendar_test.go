package calendar_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/partwise/partwise/testdata/phtest"
	"github.com/partwise/partwise/validate/internal/calendar"
	"github.com/partwise/partwise/validate/internal/des"
)

// next takes the next event out of a calendar.
func next[E any](c *calendar.Calendar[E]) (at float64, event E, ok bool) {
	at, ok = c.Peek()
	event, taken := c.Take(at, 0)
	return at, event, ok && taken
}

func TestEqualTimesComeInTheOrderOfScheduling(t *testing.T) {
	var c calendar.Calendar[int]
	for i := range 100 {
		c.Schedule(float64(i%3), 0, i)
	}
	last := [3]int{-1, -1, -1}
	for range 100 {
		at, i, ok := next(&c)
		if !ok || int(at) != i%3 || i <= last[i%3] {
			t.Fatalf("event %d at %v after %d", i, at, last[i%3])
		}
		last[i%3] = i
	}
	if _, _, ok := next(&c); ok {
		t.Error("an empty calendar has an event")
	}
}

// Of the same time the lower rank comes first, whenever it was scheduled, and of the same rank what was scheduled
// first.
func TestRanksOrderEqualTimes(t *testing.T) {
	var c calendar.Calendar[string]
	c.Schedule(1, 2, "alarm")
	c.Schedule(1, 1, "departure")
	late := c.Schedule(2, 0, "later")
	c.Schedule(1, 0, "arrival")
	gone := c.Schedule(1, 1, "cancelled")
	c.Schedule(1, 1, "second departure")
	c.Schedule(0.5, 9, "earlier")
	c.Cancel(gone)
	var got []string
	for c.Len() > 1 {
		_, event, _ := next(&c)
		got = append(got, event)
	}
	want := []string{"earlier", "arrival", "departure", "second departure", "alarm"}
	if !slices.Equal(got, want) || !c.Cancel(late) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestTicketOfAGoneEventNamesNothing(t *testing.T) {
	var c calendar.Calendar[string]
	if c.Cancel(calendar.Ticket{}) {
		t.Error("the zero ticket names an event")
	}
	first := c.Schedule(1, 0, "first")
	next(&c)
	c.Schedule(2, 0, "second") // in the place of the first
	if c.Cancel(first) {
		t.Error("the ticket of an event that has happened cancels another")
	}
	if at, ok := c.Peek(); !ok || at != 2 {
		t.Errorf("Peek() = %v, %v; want 2, true", at, ok)
	}
}

// The calendar agrees with a sorted list under any sequence of operations, while the number of events rises and falls: as a list,
// as a heap, and in between.
func TestCalendarAgainstSortedList(t *testing.T) {
	type event struct {
		at     float64
		rank   uint64
		id     int
		ticket calendar.Ticket
	}
	times := rapid.SampledFrom([]float64{math.Inf(-1), -2, -1, math.Copysign(0, -1), 0, .5, 1, 2, 1e300, math.Inf(1)})
	rapid.Check(t, func(t *rapid.T) {
		var c calendar.Calendar[int]
		var list []event
		insert := func(e event) {
			k := 0
			for k < len(list) && (list[k].at < e.at || list[k].at == e.at && list[k].rank <= e.rank) {
				k++
			}
			list = slices.Insert(list, k, e)
		}
		schedule := func(id int) {
			at, rank := times.Draw(t, "at"), rapid.Uint64Range(0, 2).Draw(t, "rank")
			insert(event{at, rank, id, c.Schedule(at, rank, id)})
		}
		reschedule := func(k int) {
			e := list[k]
			e.at = times.Draw(t, "new time")
			e.ticket = c.Reschedule(e.ticket, e.at)
			list = slices.Delete(list, k, k+1)
			insert(e)
		}
		take := func() {
			at, got, ok := next(&c)
			if want := list[0]; !ok || got != want.id || at != want.at {
				t.Fatalf("Next() = %v, %v, %v; want %v, %v", at, got, ok, want.at, want.id)
			}
			list = list[1:]
		}
		id := 0
		for _, events := range rapid.SliceOfN(rapid.SampledFrom([]int{0, 20, 40, 70, 120}), 1, 4).Draw(t, "numbers of events") {
			for ; len(list) < events; id++ {
				schedule(id)
			}
			for len(list) > events {
				take()
			}
			for range rapid.IntRange(1, 400).Draw(t, "operations") {
				switch op := rapid.IntRange(0, 6).Draw(t, "op"); {
				case op == 0 && len(list) > 0:
					take()
				case op == 1 && len(list) > 0:
					k := rapid.IntRange(0, len(list)-1).Draw(t, "cancel")
					if !c.Cancel(list[k].ticket) {
						t.Fatalf("cannot cancel event %d", list[k].id)
					}
					list = slices.Delete(list, k, k+1)
				case op == 3 && len(list) > 0:
					reschedule(rapid.IntRange(0, len(list)-1).Draw(t, "reschedule"))
				case op == 2:
					at, rank := times.Draw(t, "by"), rapid.Uint64Range(0, 2).Draw(t, "least rank")
					if len(list) > 0 && list[0].at <= at && !c.Due(at) {
						t.Fatalf("Due(%v) is false with %+v", at, list)
					}
					got, ok := c.Take(at, rank)
					if due := len(list) > 0 && list[0].at <= at && list[0].rank >= rank; ok != due || due && got != list[0].id {
						t.Fatalf("Take(%v, %d) = %d, %v from %+v", at, rank, got, ok, list)
					}
					if ok {
						list = list[1:]
					}
				default:
					schedule(id)
					id++
				}
				if c.Len() != len(list) {
					t.Fatalf("Len() = %d, want %d", c.Len(), len(list))
				}
			}
		}
	})
}

func TestCalendarDoesNotAllocate(t *testing.T) {
	for _, events := range []int{8, 64, 200} {
		var c calendar.Calendar[int]
		s := des.Seed(1).Stream()
		for i := range events {
			c.Schedule(s.Exp(), 0, i)
		}
		n := testing.AllocsPerRun(1000, func() {
			at, i, _ := next(&c)
			ticket := c.Schedule(at+s.Exp(), 0, i)
			c.Cancel(ticket)
			ticket = c.Schedule(at+s.Exp(), 0, i)
			c.Reschedule(ticket, at+s.Exp())
		})
		if n != 0 {
			t.Errorf("%v allocations per event of %d", n, events)
		}
	}
}
