package sched

import (
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// Fraction writes a time of the schedule as a fraction of the quantum, in lowest terms.
func (s *EpochSchedule) Fraction(time int) string {
	return big.NewRat(int64(time), int64(len(s.Pieces))).RatString()
}

// WriteText draws the schedule with characters: time runs upwards, as in the report, one row for each stretch of time in
// which nothing changes, and nodes from left to right, a few of them for a character where there are many. Jobs are
// written by their numbers, counted from 0.
func (s *EpochSchedule) WriteText(w io.Writer, columns int) error {
	moments := []int{}
	for i := range s.Pieces {
		moments = append(moments, s.Pieces[i].Start, s.Pieces[i].End)
	}
	slices.Sort(moments)
	moments = slices.Compact(moments)
	x := func(node int) int { return node * columns / s.Nodes }
	for i := len(moments) - 1; i > 0; i-- {
		line := []byte(strings.Repeat(" ", columns+1))
		for k := range s.Pieces {
			q := &s.Pieces[k]
			if q.Start >= moments[i] || q.End < moments[i] {
				continue
			}
			from, to := x(q.Offset), x(q.Offset+q.Width)
			line[from], line[to] = '|', '|'
			if q.End == moments[i] {
				name := strconv.Itoa(q.Job)
				if room := to - from - 1; len(name) <= room {
					copy(line[from+1+(room-len(name))/2:], name)
				}
			}
		}
		if _, err := fmt.Fprintf(w, "%9s %s\n", s.Fraction(moments[i]), line); err != nil {
			return err
		}
	}
	return nil
}
