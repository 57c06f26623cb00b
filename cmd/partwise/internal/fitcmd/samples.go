package fitcmd

import (
	"errors"
	"fmt"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/joblog"
	"github.com/partwise/partwise/fit"
	"github.com/partwise/partwise/models/quantity"
	"github.com/partwise/partwise/models/workload"
)

// quantities are what can be taken from a job log.
var quantities = []workload.Quantity{workload.Interarrival, workload.RunTime, workload.Work}

// readSample reads the data that is the first argument, as the options say, and says what was left out. Values pass
// through a sketch, so that their number is not limited by memory; intervals and truncated values are read as they are.
func readSample(inv *cli.Invocation, o *fitOptions) (fit.Sample, map[string]int, error) {
	columns := o.columns
	columns.LogOptions = o.reading.LogOptions()
	columns.Location = columns.LogOptions.Location
	columns.Second = quantity.Second.Convert(1, o.unit)
	columns.MaxGap = o.maxGap.in(o.unit)
	columns.Remarks = new(workload.Remarks)
	defer tell(inv, columns.Remarks)
	columns.Speedup = o.speedup
	columns.Most = inv.MostKept(1000)
	in, name, err := inv.Open(inv.Args[0])
	if err != nil {
		return fit.Sample{}, nil, err
	}
	defer in.Close()
	factor := 1.0
	if columns.Log != "" {
		factor = columns.Second
	}
	var sketch fit.Sketch
	var rows fit.Sample
	read := 0
	skipped, err := workload.ReadMeasurements(in, name, columns, func(m workload.Measurement) error {
		if read++; read%65536 == 0 && inv.Context.Err() != nil {
			return inv.Context.Err()
		}
		if columns.Upper == "" && columns.Truncated == "" {
			return sketch.Add(m.Value*factor, m.Weight, m.Censored)
		}
		if len(rows.Values) == columns.Most {
			return &workload.DataError{File: name, Problem: fmt.Sprintf("holds more than %d values, which do not fit into the memory allowed",
				columns.Most)}
		}
		rows.Values = append(rows.Values, m.Value)
		rows.Weights = append(rows.Weights, m.Weight)
		rows.Censored = append(rows.Censored, m.Censored)
		if columns.Upper != "" {
			rows.Upper = append(rows.Upper, m.Upper)
		}
		if columns.Truncated != "" {
			rows.Truncated = append(rows.Truncated, m.Truncated)
		}
		return nil
	})
	var sample *fit.SampleError
	switch {
	case errors.As(err, &sample):
		return fit.Sample{}, nil, fitError(inv, o, err)
	case err != nil:
		return fit.Sample{}, nil, columnHint(err, columns)
	case rows.Values != nil:
		return rows, skipped, nil
	}
	return sketch.Sample(), skipped, nil
}

// tell tells what was found in the data.
func tell(inv *cli.Invocation, r *workload.Remarks) {
	joblog.WarnFindings(inv, inv.Args[0], r.Log)
	for _, text := range r.Warnings {
		inv.Warnf("%s: %s", inv.Args[0], text)
	}
	for _, text := range r.Notes {
		inv.Notef("%s: %s", inv.Args[0], text)
	}
}

// columnHint adds to an error of a table of several columns how to say which one is meant.
func columnHint(err error, c workload.Columns) error {
	var data *workload.DataError
	if c.Value+c.Timestamps == "" && c.Log == "" && errors.As(err, &data) && strings.HasPrefix(data.Problem, "has several columns") {
		return &cli.Error{Code: cli.ExitInput, Err: err, Hint: "for example --column 2, or its name; --decimal , if the comma is decimal"}
	}
	return err
}
