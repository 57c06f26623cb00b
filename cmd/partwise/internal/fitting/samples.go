package fitting

import (
	"errors"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/fit"
	"github.com/partwise/partwise/models/spec"
	"github.com/partwise/partwise/models/workload"
)

// quantities are what can be taken from a job log.
var quantities = []workload.Quantity{workload.Interarrival, workload.RunTime, workload.Work}

// readSample reads the data that is the first argument, as the flags say, in the given unit, and says what was left
// out. Values pass through a sketch, so that their number is not limited by memory; intervals and truncated values are
// read as they are.
func readSample(inv *cli.Invocation, unit spec.TimeUnit) (fit.Sample, map[string]int, error) {
	columns, err := readColumns(inv)
	if err != nil {
		return fit.Sample{}, nil, err
	}
	in, name, err := inv.Open(inv.Args[0])
	if err != nil {
		return fit.Sample{}, nil, err
	}
	defer in.Close()
	factor := 1.0
	if columns.Log != "" {
		factor = spec.Second.Convert(1, unit)
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
		return fit.Sample{}, nil, fitError(inv, err)
	case err != nil:
		return fit.Sample{}, nil, columnHint(err, columns)
	case rows.Values != nil:
		return rows, skipped, nil
	}
	return sketch.Sample(), skipped, nil
}

// columnHint adds to an error of a table of several columns how to say which one is meant.
func columnHint(err error, c workload.Columns) error {
	var data *workload.DataError
	if c.Value == "" && c.Log == "" && errors.As(err, &data) && strings.HasPrefix(data.Problem, "has several columns") {
		return &cli.Error{Code: cli.ExitInput, Err: err, Hint: "for example --column 2, or its name"}
	}
	return err
}

// readColumns says what to read, as the flags say.
func readColumns(inv *cli.Invocation) (workload.Columns, error) {
	c := workload.Columns{
		Value:       inv.Flags.String("column"),
		Weight:      inv.Flags.String("weights"),
		Censored:    inv.Flags.String("censored"),
		Upper:       inv.Flags.String("upper"),
		Truncated:   inv.Flags.String("truncated"),
		Log:         workload.Quantity(inv.Flags.String("swf")),
		SkipInvalid: inv.Flags.Bool("skip-invalid"),
	}
	if inv.Flags.IsSet("swf") && !slices.Contains(quantities, c.Log) {
		return c, cli.Usagef("use "+quantityNames(), "--swf: no quantity %q", string(c.Log))
	}
	if c.Log != "" && c.Value+c.Weight+c.Censored+c.Upper+c.Truncated != "" {
		return c, cli.Usagef("leave out --swf, or the columns", "--swf: a job log has its own columns")
	}
	return c, nil
}

func quantityNames() string {
	var names []string
	for _, q := range quantities {
		names = append(names, string(q))
	}
	return strings.Join(names, ", ")
}
