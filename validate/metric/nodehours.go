package metric

import (
	"cmp"
	"math"

	"github.com/partwise/partwise/models/measure"
)

// addNodeHours adds where the node-time went from the first submission to the last end. What is held is useful, or lost
// to standing still or to speedups below the number of nodes; what is not held is idle.
func (l *Log) addNodeHours(v Values) {
	hour := cmp.Or(l.on.Hour, 3600)
	capacity := (l.last - l.first) * float64(l.on.Nodes) / hour
	held, busy, useful := l.nodeTime/hour, l.total[Held]/hour, l.total[Useful]/hour
	v[measure.NodeHoursHeld] = held
	v[measure.NodeHoursUseful] = useful
	left := func(a, b float64) float64 { // what is but the rounding of sums is nothing
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
