package metric

import (
	"cmp"
	"math"

	"github.com/partwise/partwise/models/measure"
)

// addNodeHours sets the measures in v, in node-hours, that tell where the capacity went between the first submission
// and the last end. Held node-hours are useful, lost to standing still, or lost to speedups below the number of nodes.
// Other node-hours are idle.
func (l *Log) addNodeHours(v Values) {
	hour := cmp.Or(l.on.Hour, 3600)
	capacity := (l.last - l.first) * float64(l.on.Nodes) / hour
	held, busy, useful := l.nodeTime/hour, l.total[Held]/hour, l.total[Useful]/hour
	v[measure.NodeHoursHeld] = held
	v[measure.NodeHoursUseful] = useful
	left := func(a, b float64) float64 { // a difference within the rounding error of the sums counts as 0
		if math.Abs(a-b) <= 1e-13*capacity {
			return 0
		}
		return a - b
	}
	v[measure.NodeHoursReconfiguration] = left(held, busy)
	v[measure.NodeHoursImperfectSpeedup] = left(busy, useful)
	v[measure.NodeHoursIdle] = left(capacity, held)
	v[measure.NodeHoursCapacity] = capacity
}
