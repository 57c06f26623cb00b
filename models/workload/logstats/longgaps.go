package logstats

// A gap is long from two months on. The machines of public logs have gaps of up to a week. Long gaps are told if at most a tenth of
// the gaps are long, and if no other gap is longer than a quarter of two months: otherwise the machine had few jobs.
const (
	leastLongGap = 60 * 86400 // seconds
	mostOtherGap = 0.25       // of leastLongGap
	mostLongGaps = 0.1        // of the gaps
)

// LongGaps are times of at least two months in which no job was submitted. A wrong date of a job makes such a gap, and so do the jobs
// of two periods in one log.
type LongGaps struct {
	Number   int
	Sum      float64 // seconds
	From, To float64 // submissions before and after the longest gap
}

// add takes in a long gap between two submissions.
func (g *LongGaps) add(from, to float64) {
	g.Number++
	g.Sum += to - from
	if to-from > g.To-g.From {
		g.From, g.To = from, to
	}
}

// MostOf reports whether the long gaps are more than half of a span of submissions, in seconds: the load of the log then tells less
// than half of the load at other times.
func (g *LongGaps) MostOf(span float64) bool { return 2*g.Sum > span }
