package coschedulecmd

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
)

// Draw draws the outcomes of a figure, as the command does.
func Draw(w io.Writer, f Figure, outcomes []Outcome) error {
	return chart.Write(w, (&options{figure: f}).drawing(outcomes), "svg")
}

// digits are those that sums are stored with: far more than the intervals of what is made from them have.
const digits = 7

// storedColumns are those of stored outcomes.
var storedColumns = []string{"case", "policy", "replication", "unfinished", "events", "sums", "boosts by state", "boosts by position"}

// Write stores outcomes as CSV, a row for each replication, for [Read].
func Write(w io.Writer, outcomes []Outcome) error {
	rows := [][]string{storedColumns}
	for i := range outcomes {
		o := &outcomes[i]
		at := o.boosts()
		for k, s := range o.Replications {
			rows = append(rows, []string{o.Case.Name, o.Policy.String(), fmt.Sprint(k), fmt.Sprint(int(s[unfinished])),
				fmt.Sprint(int(s[events])), join(slices.Concat(s[:unfinished], s[width:at])), join(s[at : at+states]), join(s[at+states:])})
		}
	}
	return csv.NewWriter(w).WriteAll(rows)
}

func join(values []float64) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = strconv.FormatFloat(v, 'g', digits, 64)
	}
	return strings.Join(words, " ")
}

// Read returns the outcomes of runs that [Write] stored. The error says which line is wrong if what is stored
// is not of these runs, all of them in their order.
func Read(r io.Reader, runs []Run) ([]Outcome, error) {
	in := csv.NewReader(r)
	in.FieldsPerRecord = len(storedColumns)
	rows, err := in.ReadAll()
	if err != nil {
		return nil, err
	}
	if len(rows) < 2 || rows[0][0] != storedColumns[0] || (len(rows)-1)%len(runs) != 0 {
		return nil, fmt.Errorf("line 1: %d rows are not the replications of %d runs", max(len(rows)-1, 0), len(runs))
	}
	rows = rows[1:]
	each := len(rows) / len(runs)
	all := make([]Outcome, len(runs))
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
func readSums(row []string, run *Run) (s Sums, err error) {
	if row[0] != run.Case.Name || row[1] != run.Policy.String() {
		return s, fmt.Errorf("is of %s under %s, not of %s under %s", row[0], row[1], run.Case.Name, run.Policy)
	}
	words := strings.Fields(strings.Join(row[3:], " "))
	if want := run.width() - 1; len(words) != want {
		return s, fmt.Errorf("there are %d numbers, not %d", len(words), want)
	}
	numbers := make([]float64, len(words))
	for k, word := range words {
		if numbers[k], err = strconv.ParseFloat(word, 64); err != nil {
			return s, fmt.Errorf("%q is not a number", word)
		}
	}
	return slices.Concat(numbers[2:2+unfinished], numbers[:2], []float64{0}, numbers[2+unfinished:]), nil
}
