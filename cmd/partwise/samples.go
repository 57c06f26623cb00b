package main

import (
	"slices"
	"strings"

	"github.com/partwise/partwise/models/workload"
)

// quantities are what can be taken from a job log.
var quantities = []workload.Quantity{workload.Interarrival, workload.RunTime, workload.Work}

// samples reads the data that is the first argument, as the flags say.
func (inv *invocation) samples() (workload.Samples, error) {
	columns := workload.Columns{
		Value:       inv.flags.String("column"),
		Weight:      inv.flags.String("weights"),
		Censored:    inv.flags.String("censored"),
		Log:         workload.Quantity(inv.flags.String("swf")),
		SkipInvalid: inv.flags.Bool("skip-invalid"),
	}
	if inv.flags.IsSet("swf") && !slices.Contains(quantities, columns.Log) {
		return workload.Samples{}, usage("use "+quantityNames(), "--swf: no quantity %q", string(columns.Log))
	}
	if columns.Log != "" && columns.Value+columns.Weight+columns.Censored != "" {
		return workload.Samples{}, usage("leave out --swf, or the columns", "--swf: a job log has its own columns")
	}
	if inv.args[0] == "-" {
		return workload.ReadSamples(inv.stdin, "standard input", columns)
	}
	return workload.LoadSamples(inv.args[0], columns)
}

func quantityNames() string {
	var names []string
	for _, q := range quantities {
		names = append(names, string(q))
	}
	return strings.Join(names, ", ")
}
