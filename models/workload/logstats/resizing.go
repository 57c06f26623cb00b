package logstats

import (
	"math"

	"github.com/partwise/partwise/models/workload/joblog"
)

// Resizing says how jobs of a log were resized while they ran.
type Resizing struct {
	Jobs    int // that were resized
	Resizes int
	Grown   int // resizes to more nodes
	Shrunk  int // resizes to fewer nodes
	// Factor is the geometric mean of the factors by which resizes changed the number of nodes, larger over smaller; NaN without
	// resizes.
	Factor float64
	// Kept is the mean time in seconds for which jobs had the same nodes before a resize. Pause is the mean time in seconds between
	// the end of a piece and the start of the next. Both are NaN without resizes.
	Kept, Pause float64
}

// ResizingOf returns how the jobs were resized, from their pieces.
func ResizingOf(jobs *joblog.List) Resizing {
	var r Resizing
	logs, kept, pause := 0.0, 0.0, 0.0
	for j := range jobs.All() {
		if len(j.Pieces) > 1 {
			r.Jobs++
		}
		for k := 1; k < len(j.Pieces); k++ {
			before, after := j.Pieces[k-1], j.Pieces[k]
			r.Resizes++
			switch {
			case after.Nodes > before.Nodes:
				r.Grown++
			case after.Nodes < before.Nodes:
				r.Shrunk++
			}
			logs += math.Abs(math.Log(float64(max(after.Nodes, 1)) / float64(max(before.Nodes, 1))))
			kept += before.Run
			pause += after.After - before.After - before.Run
		}
	}
	n := float64(r.Resizes)
	r.Factor, r.Kept, r.Pause = math.Exp(logs/n), kept/n, pause/n
	return r
}
