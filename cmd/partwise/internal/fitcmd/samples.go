package fitcmd

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/fit"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
)

// readSample reads the data that is the first argument, and counts what was left out by its problem.
func readSample(inv *cli.Invocation, o *options) (fit.Sample, map[string]int, error) {
	columns := o.columns
	columns.Second = measure.Second().Convert(1, o.unit)
	columns.Remarks = new(workload.Remarks)
	defer tell(inv, columns.Remarks)
	columns.Most = inv.MostKept(1000)
	if !columns.SkipInvalid {
		columns.MostLost = input.UsuallyLost
	}
	in, name, err := inv.Open(inv.Args[0])
	if err != nil {
		return fit.Sample{}, nil, err
	}
	defer in.Close()
	sample, skipped, err := modelfile.ReadSample(inv.Context, in, name, columns)
	if errors.Is(err, workload.ErrLost) {
		return fit.Sample{}, nil, fault.Hint(fault.ExitInput, "fit to the other jobs with --skip-invalid", err)
	}
	var data *workload.DataError
	switch {
	case errors.As(err, new(*fit.SampleError)):
		return fit.Sample{}, nil, fitError(inv, o, err)
	case errors.As(err, &data):
		return fit.Sample{}, nil, fault.Hint(fault.ExitCode(err), hintOn(data, &columns), err)
	case err != nil:
		return fit.Sample{}, nil, err
	}
	return sample, skipped, nil
}

// hintOn returns what would be right for data that cannot be read; "" if the error says it.
func hintOn(data *workload.DataError, c *workload.Columns) string {
	extension := filepath.Ext(data.File)
	switch {
	case errors.Is(data, joblog.ErrTooMany):
		return "raise --memory"
	case extension == ".yaml" || extension == ".yml":
		return "fit takes a table of measured times; partwise solve takes a model file"
	case strings.HasSuffix(data.Problem, "1 to 2 (no header)") && c.Value+c.Timestamps == "" && c.Decimal == 0:
		return "--decimal , if each line is a number with a decimal comma; else for example --column 2"
	case strings.HasPrefix(data.Problem, "has several columns") && c.Value+c.Timestamps == "" && c.Log == "":
		return "for example --column 2, or its name"
	case strings.HasPrefix(data.Problem, "looks like a job log"):
		return "for example --swf runtime"
	case strings.HasPrefix(data.Problem, "there is no such column") && strings.Contains(data.Problem, "|"):
		return "--swf runtime, interarrival or work reads a job log"
	case data.Row > 0 && data.Column != "" && !c.SkipInvalid && !strings.Contains(data.Problem, "; "):
		return "correct the row, or leave out all such rows with --skip-invalid"
	}
	return ""
}

// tell prints what was noticed while the data were read, as warnings and notes with the name of the file.
func tell(inv *cli.Invocation, r *workload.Remarks) {
	name := cli.NameOf(inv.Args[0])
	input.WarnFindings(inv, name, r.Log)
	for _, text := range r.Warnings {
		inv.Warnf("%s: %s", name, text)
	}
	for _, text := range r.Notes {
		inv.Notef("%s: %s", name, text)
	}
}
