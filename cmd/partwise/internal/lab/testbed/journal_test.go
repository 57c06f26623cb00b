package testbed

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
)

// ReadJournal returns what became of the jobs of a run, in the order of their submission: of a scheduler that was killed, those
// that ran then are Running and those that waited are Waiting. A last line that was not finished is left out.
func ReadJournal(in io.Reader) ([]Record, error) {
	var all []Record
	place := map[int]int{}
	lines := bufio.NewScanner(in)
	for n := 1; lines.Scan(); n++ {
		var e Entry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			if !lines.Scan() {
				break
			}
			return nil, fmt.Errorf("testbed: line %d of the journal: %w", n, err)
		}
		i, known := place[e.Job]
		if !known {
			if e.Event != Submitted {
				return nil, fmt.Errorf("testbed: line %d of the journal: job %d was never submitted", n, e.Job)
			}
			i = len(all)
			place[e.Job] = i
			all = append(all, Record{ID: e.Job, Status: Waiting, Submit: e.At, Start: math.NaN(), End: math.NaN()})
		}
		j := &all[i]
		switch e.Event {
		case Started:
			j.Start, j.Status = e.At, Running
		case Resized:
			j.Resized++
		case Restarted:
			j.Restarted++
		case Ended:
			j.End, j.Status = e.At, Completed
		case Withdrawn:
			j.End, j.Status = e.At, Cancelled
		}
	}
	return all, lines.Err()
}
