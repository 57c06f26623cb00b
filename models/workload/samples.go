package workload

import "fmt"

// DataError says where a file of measurements holds something that is not one. Row and Column count from 1; Column is
// the name in the header where there is one, otherwise its number; both are empty or 0 where they do not apply.
type DataError struct {
	File    string
	Row     int
	Column  string
	Problem string
}

func (e *DataError) Error() string {
	s := e.File
	if e.Row > 0 {
		s += fmt.Sprintf(":%d", e.Row)
	}
	if e.Column != "" {
		s += ": column " + e.Column
	}
	return s + ": " + e.Problem
}

// Columns says what to read from a file of measurements.
type Columns struct {
	// Value, Weight and Censored name columns by their header or by their number from 1. An empty Value is the only
	// column, or the only one whose values are numbers; an empty Weight or Censored is none.
	Value, Weight, Censored string
	// Log is the quantity to take from a job log in Standard Workload Format; empty: the file is not a log.
	Log Quantity
	// SkipInvalid counts values that are not measurements by their problem instead of refusing the file.
	SkipInvalid bool
}

// Quantity is a series of numbers that a job log gives.
type Quantity string

// The quantities.
const (
	Interarrival Quantity = "interarrival" // differences of the sorted submit times, in seconds
	RunTime      Quantity = "runtime"      // run times, in seconds
	Work         Quantity = "work"         // run time × processors, in node-seconds
)

// Samples are the measurements read. Weights and Censored are nil when there is no such column.
type Samples struct {
	Values   []float64
	Weights  []float64
	Censored []bool
	Skipped  map[string]int // how many were left out, by problem
}
