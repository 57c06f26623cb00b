package modelfile

import (
	"context"
	"io"
	"slices"

	"github.com/partwise/partwise/fit"
	"github.com/partwise/partwise/models/workload"
)

// ReadSample reads the measurements of a table or a log, for a fit. The values of a log are multiplied by columns.Second, to have the
// unit that the user asks for. skipped counts what was left out, by its problem.
//
// Interarrival times of a log whose clock shows whole seconds have the resolution of a second, if some are zero. Other samples have
// no resolution.
//
// The values pass through a sketch, so that memory does not limit their number. Intervals and truncated values are read as they are.
// The error comes from [workload.ReadSamples], [fit.Sketch] or ctx.
func ReadSample(ctx context.Context, in io.Reader, name string,
	columns workload.Columns) (s fit.Sample, skipped map[string]int, err error) {
	if columns.Upper+columns.Truncated != "" {
		rows, err := workload.ReadSamples(in, name, columns)
		return fit.Sample{Values: rows.Values, Weights: rows.Weights, Censored: rows.Censored,
			Upper: rows.Upper, Truncated: rows.Truncated}, rows.Skipped, err
	}
	factor := 1.0
	if columns.Log != "" {
		factor = columns.Second
	}
	const between = 65536 // values between two looks at ctx
	var sketch fit.Sketch
	read := 0
	skipped, err = workload.ReadMeasurements(in, name, columns, func(m workload.Measurement) error {
		if read++; read%between == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		return sketch.Add(m.Value*factor, m.Weight, m.Censored)
	})
	s = sketch.Sample()
	s.Resolution = secondsOfGaps(columns.Log, s.Values, factor)
	return s, skipped, err
}

// secondsOfGaps returns a second, if values are interarrival times of a log whose clock shows whole seconds and some of them are zero.
// Otherwise it returns 0. Without the resolution, a fit would leave out the zeros, and its mean would be too long. second is the length
// of a second in the unit of the values. A clock of whole seconds has no values between zero and a second.
func secondsOfGaps(q workload.Quantity, values []float64, second float64) float64 {
	const rounding = 1e-9
	tooShort := func(x float64) bool { return x > 0 && x < second*(1-rounding) }
	if q != workload.Interarrival || !slices.Contains(values, 0) || slices.ContainsFunc(values, tooShort) {
		return 0
	}
	return second
}
