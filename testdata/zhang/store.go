// Package zhang keeps the simulated results of the figures of Zhang et al. in files beside its code.
package zhang

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/partwise/partwise/validate/lab"
)

// digits are those that sums are stored with: far more than the intervals of what is made from them have.
const digits = 7

// columns are the columns of stored outcomes: what names a replication, its sums but for the seconds that it took, and boosts.
var columns = []string{"case", "policy", "replication", "unfinished", "events", "sums", "boosts by state", "boosts by position"}

// The sums of a replication that have columns of their own, the first sum that does not, and the number of states with boosts.
const (
	unfinished = iota
	events
	seconds
	others
	states = 3
)

// Write stores outcomes as CSV, a row for each replication, for [Read].
func Write(w io.Writer, outcomes []lab.CoschedulingOutcome) error {
	rows := [][]string{columns}
	for i := range outcomes {
		o := &outcomes[i]
		positions := o.Width() - o.Case.Cluster.MPL
		at := positions - states
		for k, s := range o.Replications {
			rows = append(rows, []string{o.Case.Name, o.Policy.String(), fmt.Sprint(k), fmt.Sprint(int(s[unfinished])),
				fmt.Sprint(int(s[events])), join(s[others:at]), join(s[at:positions]), join(s[positions:])})
		}
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// join returns numbers as text with spaces between them.
func join(values []float64) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = strconv.FormatFloat(v, 'g', digits, 64)
	}
	return strings.Join(words, " ")
}

// Read returns the outcomes of runs that [Write] stored. The error says which line is wrong if the stored rows are not those of the
// runs, all of them in their order.
func Read(r io.Reader, runs []lab.CoschedulingRun) ([]lab.CoschedulingOutcome, error) {
	in := csv.NewReader(r)
	in.FieldsPerRecord = len(columns)
	rows, err := in.ReadAll()
	if err != nil {
		return nil, err
	}
	if len(rows) < 2 || rows[0][0] != columns[0] || (len(rows)-1)%len(runs) != 0 {
		return nil, fmt.Errorf("line 1: %d rows are not the replications of %d runs", max(len(rows)-1, 0), len(runs))
	}
	rows = rows[1:]
	each := len(rows) / len(runs)
	all := make([]lab.CoschedulingOutcome, len(runs))
	for i, row := range rows {
		o := &all[i/each]
		o.Run = runs[i/each]
		s, err := readSums(row, &o.Run)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+2, err)
		}
		o.Replications = append(o.Replications, s)
	}
	return all, nil
}

// readSums reads the row of a replication of a run.
func readSums(row []string, run *lab.CoschedulingRun) ([]float64, error) {
	if row[0] != run.Case.Name || row[1] != run.Policy.String() {
		return nil, fmt.Errorf("is of %s under %s, not of %s under %s", row[0], row[1], run.Case.Name, run.Policy)
	}
	words := strings.Fields(strings.Join(row[3:], " "))
	if want := run.Width() - 1; len(words) != want {
		return nil, fmt.Errorf("there are %d numbers, not %d", len(words), want)
	}
	numbers := make([]float64, len(words))
	for k, word := range words {
		var err error
		if numbers[k], err = strconv.ParseFloat(word, 64); err != nil {
			return nil, fmt.Errorf("%q is not a number", word)
		}
	}
	return slices.Insert(numbers, seconds, 0), nil
}
