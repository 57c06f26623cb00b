package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/partwise/partwise/fit"
	"github.com/partwise/partwise/models/spec"
	"github.com/partwise/partwise/models/workload"
)

// quantities are what can be taken from a job log.
var quantities = []workload.Quantity{workload.Interarrival, workload.RunTime, workload.Work}

// samples reads the data that is the first argument, as the flags say, in the given unit, and says what was left out.
// Values pass through a sketch, so that their number is not limited by memory; intervals and truncated values are
// kept.
func (inv *invocation) samples(unit spec.TimeUnit) (fit.Sample, map[string]int, error) {
	columns, err := inv.columns()
	if err != nil {
		return fit.Sample{}, nil, err
	}
	in, name, err := inv.open(inv.args[0])
	if err != nil {
		return fit.Sample{}, nil, err
	}
	defer in.Close()
	factor := 1.0
	if columns.Log != "" {
		factor = spec.Second.Convert(1, unit)
	}
	var sketch fit.Sketch
	var kept fit.Sample
	read := 0
	skipped, err := workload.ReadMeasurements(in, name, columns, func(m workload.Measurement) error {
		if read++; read%65536 == 0 && inv.ctx.Err() != nil {
			return inv.ctx.Err()
		}
		if columns.Upper == "" && columns.Truncated == "" {
			return sketch.Add(m.Value*factor, m.Weight, m.Censored)
		}
		kept.Values = append(kept.Values, m.Value)
		kept.Weights = append(kept.Weights, m.Weight)
		kept.Censored = append(kept.Censored, m.Censored)
		if columns.Upper != "" {
			kept.Upper = append(kept.Upper, m.Upper)
		}
		if columns.Truncated != "" {
			kept.Truncated = append(kept.Truncated, m.Truncated)
		}
		return nil
	})
	var sample *fit.SampleError
	switch {
	case errors.As(err, &sample):
		return fit.Sample{}, nil, inv.fitError(err)
	case err != nil:
		return fit.Sample{}, nil, columnHint(err, columns)
	case kept.Values != nil:
		return kept, skipped, nil
	}
	return sketch.Sample(), skipped, nil
}

// columnHint adds to an error of a table of several columns how to say which one is meant.
func columnHint(err error, c workload.Columns) error {
	var data *workload.DataError
	if c.Value == "" && c.Log == "" && errors.As(err, &data) && strings.HasPrefix(data.Problem, "has several columns") {
		return &exitError{code: exitInput, err: err, hint: "for example --column 2, or its name"}
	}
	return err
}

// columns says what to read, as the flags say.
func (inv *invocation) columns() (workload.Columns, error) {
	c := workload.Columns{
		Value:       inv.flags.String("column"),
		Weight:      inv.flags.String("weights"),
		Censored:    inv.flags.String("censored"),
		Upper:       inv.flags.String("upper"),
		Truncated:   inv.flags.String("truncated"),
		Log:         workload.Quantity(inv.flags.String("swf")),
		SkipInvalid: inv.flags.Bool("skip-invalid"),
	}
	if inv.flags.IsSet("swf") && !slices.Contains(quantities, c.Log) {
		return c, usage("use "+quantityNames(), "--swf: no quantity %q", string(c.Log))
	}
	if c.Log != "" && c.Value+c.Weight+c.Censored+c.Upper+c.Truncated != "" {
		return c, usage("leave out --swf, or the columns", "--swf: a job log has its own columns")
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
