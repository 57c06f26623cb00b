package calendar_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/partwise/partwise/validate/internal/calendar"
)

// Times know the earliest time and its events, as a plain list of times does.
func TestTimesAreAList(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	var times calendar.Times
	times.Clear()
	var list []float64
	for i := range 20000 {
		k, adds := 0, i/500%2 == 0 // the list grows and shrinks in turns
		if len(list) > 0 {
			k = random.IntN(len(list))
		}
		switch random.IntN(3) {
		case 0:
			if k = len(list); adds && k < calendar.Most {
				list = append(list, float64(random.IntN(20)))
				times.Set(k, list[k])
			}
		case 1:
			if !adds && len(list) > 0 {
				times.Remove(k, len(list))
				list = append(list[:k], list[k+1:]...)
			}
		default:
			if len(list) > 0 {
				list[k] = []float64{-1, 0, math.Copysign(0, -1), 7.5, math.Inf(1)}[random.IntN(5)]
				times.Set(k, list[k])
			}
		}
		earliest, events := math.Inf(1), uint64(0)
		for k, at := range list {
			if at < earliest {
				earliest, events = at, 0
			}
			if at == earliest {
				events |= 1 << k
			}
		}
		at, first := times.Earliest(len(list))
		if at != earliest || !math.IsInf(at, 1) && first != events {
			t.Fatalf("the earliest of %v is %v, events %b; want %v, events %b", list, at, first, earliest, events)
		}
	}
}
