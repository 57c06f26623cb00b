package executions

import (
	"math"

	"github.com/partwise/partwise/models/workload/internal/packed"
	"github.com/partwise/partwise/models/workload/internal/wholelog"
)

// SetApart returns the ended and the unfinished records whose times can be right, and the ended records whose times cannot be
// right. Records come and stay in the order of their submission, and must be packed. tell is told why the times of a record
// cannot be right, and its line.
func (l *List) SetApart(ended, unfinished packed.Order,
	tell func(what string, line int)) (keptEnded, keptUnfinished, apart packed.Order) {
	from, to := int64(math.MinInt64), int64(math.MaxInt64)
	if n := ended.Len(); n >= wholelog.LeastJobs {
		k := wholelog.Trimmed(n)
		from = int64(l.Value(ended.At(k), Submit)) - wholelog.LongestYear
		to = int64(l.Value(ended.At(n-1-k), Submit)) + wholelog.LongestYear
	}
	l.judgeDates(ended, from, to)
	l.judgeDates(unfinished, from, to)
	l.judgeElapsed(ended)
	l.judgeRuns(ended)
	if len(l.impossible) == 0 {
		return ended, unfinished, packed.Order{}
	}
	isPossible := func(i uint32) bool { return l.impossible[i] == "" }
	for _, records := range [...]packed.Order{ended, unfinished} {
		for i := range records.All() {
			if !isPossible(i) {
				tell(l.impossible[i], int(l.Value(i, Line)))
			}
		}
	}
	return ended.Where(isPossible), unfinished.Where(isPossible), ended.Where(func(i uint32) bool { return !isPossible(i) })
}

// judgeDates finds records with a time outside a range.
func (l *List) judgeDates(records packed.Order, from, to int64) {
	cursor := l.Cursor(timeFields...)
	for i := range records.All() {
		r := timesOf(cursor.At(i))
		last := int64(r.start())
		if r.Run != None {
			last += int64(r.Run)
		}
		if (int64(r.Submit) < from || last > to) && l.impossible[i] == "" {
			l.impossible[i] = wholelog.FarAway
		}
	}
}

// judgeElapsed judges the records whose elapsed time is longer than the time from their start to their end. It finds those whose
// elapsed time is also longer than the log: the time from the first submission to the last end of other records.
func (l *List) judgeElapsed(ended packed.Order) {
	if len(l.overlong) == 0 {
		return
	}
	first, last, cursor := uint32(None), uint32(0), l.Cursor(timeFields...)
	for i := range ended.All() {
		if r := timesOf(cursor.At(i)); !l.overlong[i] && l.impossible[i] == "" {
			first, last = min(first, r.Submit), max(last, r.Submit, r.end())
		}
	}
	for i := range l.overlong {
		if run := l.Value(i, Run); first <= last && run > last-first && l.impossible[i] == "" {
			l.impossible[i] = wholelog.TooLongRun
		}
	}
}

// judgeRuns finds records whose run time is longer than the log of all other records, although it agrees with the start and the end.
func (l *List) judgeRuns(ended packed.Order) {
	length, cursor := wholelog.NewLogLength(), l.Cursor(timeFields...)
	for i := range ended.All() {
		if l.impossible[i] != "" {
			continue
		}
		r := timesOf(cursor.At(i))
		stay := wholelog.Stay{Place: int(i), Submit: float64(r.Submit), End: float64(max(r.Submit, r.end()))}
		if r.Run != None && (r.Limit == None || r.Run > r.Limit) {
			stay.Run = float64(r.Run)
		}
		length.Add(stay)
	}
	for _, i := range length.TooLong() {
		l.impossible[uint32(i)] = wholelog.TooLongRun
	}
}
