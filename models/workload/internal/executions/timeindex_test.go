package executions

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestTimeIndexFindsFirstThatAgrees: the index finds the same record as a search through all records of the time.
func TestTimeIndexFindsFirstThatAgrees(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		records := make([]member, 1+r.IntN(200))
		for k := range records {
			times := Times{Submit: uint32(r.IntN(3)), Wait: 0, Run: uint32(r.IntN(3)), Limit: None}
			records[k] = member{number: uint32(k), Record: &Record{Times: times, Units: uint32(1 + r.IntN(2))}}
		}
		index, places := newTimeIndex(records, func(r member) uint32 { return r.Submit })
		byTime := map[uint32][]member{}
		for k, record := range records {
			same := byTime[record.Submit]
			near := same[max(0, len(same)-mostAlike):]
			at := slices.IndexFunc(near, func(o member) bool { return o.agree(record.Record) })
			found, isFound, disagrees := index.find(places[k], record.Record)
			if isFound != (at >= 0) || disagrees != (at < 0 && len(same) > 0) || isFound && near[at].number != found {
				t.Fatalf("record %d of %d: found %d, %t, %t", k, len(records), found, isFound, disagrees)
			}
			if first, isKnown := index.first(record.Submit); isKnown != (len(same) > 0) || isKnown && first.number != same[0].number {
				t.Fatalf("first record of time %d: %d, %t", record.Submit, first.number, isKnown)
			}
			index.add(places[k], uint32(k))
			index.add(places[k], uint32(k))
			byTime[record.Submit] = append(same, record)
		}
	}
}
