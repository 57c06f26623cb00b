package coschedulecmd

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// digits are those that sums are stored with: far more than the intervals of what is made from them have.
const digits = 7

// storedColumns are those of stored outcomes.
var storedColumns = []string{"case", "policy", "replication", "unfinished", "events", "sums", "boosts by state", "boosts by position"}

// Write stores outcomes as CSV, a row for each replication, for [Read].
func Write(w io.Writer, outcomes []Outcome) error {
	if w == nil {
		return errors.New("coschedulecmd: there is nothing to write to")
	}
	rows := [][]string{storedColumns}
	for i := range outcomes {
		o := &outcomes[i]
		for k := range o.Replications {
			s := &o.Replications[k]
			rows = append(rows, []string{o.Case.Name, fmt.Sprint(o.Policy), strconv.Itoa(k), strconv.Itoa(s.Unfinished),
				strconv.FormatInt(s.Events, 10), join(s.Values), join(s.ByState[:]), join(s.ByPosition)})
		}
	}
	return csv.NewWriter(w).WriteAll(rows)
}

func join[T float64 | int64](values []T) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = strconv.FormatFloat(float64(v), 'g', digits, 64)
	}
	return strings.Join(words, " ")
}

// StoreError says which line of stored outcomes is wrong, and how.
type StoreError struct {
	Line    int
	Problem string
}

func (e *StoreError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Problem) }

// Read returns the outcomes of runs that [Write] stored. The error is a *[StoreError] if what is stored is not of these
// runs, all of them in their order.
func Read(r io.Reader, runs []Run, confidence float64) ([]Outcome, error) {
	if r == nil {
		return nil, errors.New("coschedulecmd: there is nothing to read from")
	}
	in := csv.NewReader(r)
	in.FieldsPerRecord = len(storedColumns)
	rows, err := in.ReadAll()
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 || rows[0][0] != storedColumns[0] || len(runs) == 0 || (len(rows)-1)%len(runs) != 0 || len(rows) == 1 {
		return nil, &StoreError{1, fmt.Sprintf("%d rows are not the replications of %d runs", max(len(rows)-1, 0), len(runs))}
	}
	rows = rows[1:]
	each := len(rows) / len(runs)
	all := make([]Outcome, len(runs))
	for i := range all {
		all[i] = Outcome{Run: runs[i], Confidence: confidence}
		for k, row := range rows[i*each : (i+1)*each] {
			s, err := readSums(row, &runs[i])
			if err != nil {
				return nil, &StoreError{i*each + k + 2, err.Error()}
			}
			all[i].Replications = append(all[i].Replications, s)
		}
	}
	return all, nil
}

// readSums reads the row of a replication of a run.
func readSums(row []string, run *Run) (s Sums, err error) {
	if row[0] != run.Case.Name || row[1] != run.Policy.String() {
		return s, fmt.Errorf("is of %s under %s, not of %s under %s", row[0], row[1], run.Case.Name, run.Policy)
	}
	if s.Unfinished, err = strconv.Atoi(row[3]); err != nil {
		return s, fmt.Errorf("%q is not a number of jobs", row[3])
	}
	if s.Events, err = strconv.ParseInt(row[4], 10, 64); err != nil {
		return s, fmt.Errorf("%q is not a number of events", row[4])
	}
	var states []float64
	var positions []float64
	if s.Values, err = numbers(row[5], width+2*len(run.Case.Mix.Types)); err != nil {
		return s, err
	}
	if states, err = numbers(row[6], len(s.ByState)); err != nil {
		return s, err
	}
	if positions, err = numbers(row[7], run.Case.Cluster.MPL); err != nil {
		return s, err
	}
	for k, v := range states {
		s.ByState[k] = int64(v)
	}
	for _, v := range positions {
		s.ByPosition = append(s.ByPosition, int64(v))
	}
	s.types = run.Case.Mix.Types
	return s, nil
}

// numbers reads n numbers that are separated by blanks.
func numbers(text string, n int) (all []float64, err error) {
	for word := range strings.FieldsSeq(text) {
		v, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return nil, fmt.Errorf("%q is not a number", word)
		}
		all = append(all, v)
	}
	if len(all) != n {
		return nil, fmt.Errorf("there are %d numbers, not %d", len(all), n)
	}
	return all, nil
}
