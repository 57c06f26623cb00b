package reportcmd

import (
	_ "embed"
	"math"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/phasetype"
)

//go:embed assumptions.txt
var assumptionsText string

var sentences = output.ParseProse(assumptionsText)

// assumptions says what the numbers of a model rest on, in words.
func assumptions(file *modelfile.Model) []string { return sentences.Sentences("assumptions", file) }

// machineTable lists what the models of series are, one a row.
func machineTable(series []modelfile.Series) *output.List {
	type row struct {
		Series    string `head:"series"`
		Nodes     int    `head:"nodes"`
		Smallest  int    `head:"smallest"`
		Jobs      int    `head:"jobs at most"`
		Capacity  string `head:"capacity" form:"number"`
		Arrivals  string `head:"arrival SCV" form:"number"`
		Alone     string `head:"run time alone" form:"number"`
		Shared    string `head:"shared by all" form:"number"`
		SCV       string `head:"SCV" form:"number"`
		Overheads string `head:"mean overheads" form:"number"`
	}
	return output.ListOf("", "", output.NoCSV, output.RowsOf(series, func(one modelfile.Series) row {
		s, unit := one.Model.System, one.Model.TimeUnit.Name
		n := s.Partitions()
		return row{one.Name, s.Nodes, s.MinNodes, n, output.Round(s.Capacity(), 4) + " /" + unit, output.Round(s.Arrivals.SCV(), 3),
			output.WithUnit(s.Service[0].Mean(), unit), output.WithUnit(s.Service[n-1].Mean(), unit),
			output.Round(s.Service[n-1].SCV(), 3), overheadRange(s, unit)}
	}), "")
}

// overheadRange is the span of the mean overheads.
func overheadRange(s *models.System, unit string) string {
	least, most := math.Inf(1), 0.0
	see := func(d phasetype.Dist) { least, most = min(least, d.Mean()), max(most, d.Mean()) }
	for i := 1; i <= s.Partitions(); i++ {
		see(s.ShrinkTo(i))
		if i < s.Partitions() {
			see(s.ExpandTo(i))
		}
	}
	switch {
	case most == 0:
		return "none"
	case least == most:
		return output.WithUnit(most, unit)
	}
	return output.Round(least, 3) + " to " + output.WithUnit(most, unit)
}

// timesTable lists run times and overheads of a model by the number of jobs that share the machine.
func timesTable(file *modelfile.Model) *output.List {
	type row struct {
		Jobs      int     `head:"jobs"`
		Nodes     float64 `head:"nodes of each" form:"digits=3"`
		RunTime   float64 `head:"run time [unit]" form:"digits=5"`
		SCV       float64 `head:"SCV" form:"digits=3"`
		Arrival   float64 `head:"after an arrival [unit]" form:"digits=4"`
		Departure any     `head:"after a departure [unit]" form:"number digits=4"`
	}
	s := file.System
	var rows []row
	for i := 1; i <= s.Partitions(); i++ {
		b := s.Service[i-1]
		rows = append(rows, row{i, float64(s.Nodes) / float64(i), b.Mean(), b.SCV(), s.ShrinkTo(i).Mean(),
			output.When(i < s.Partitions(), s.ExpandTo(i).Mean())})
	}
	return output.ListOf("", "", output.NoCSV, rows, file.TimeUnit.Name)
}
