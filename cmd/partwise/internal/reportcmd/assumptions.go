package reportcmd

import (
	_ "embed"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/words"
)

//go:embed assumptions.txt
var assumptionsText string

var sentences = output.ParseProse(assumptionsText)

// assumptions says what the numbers of a model rest on, in words.
func assumptions(file *modelfile.Model) []string { return sentences.Sentences("assumptions", file) }

// machineTable lists what the models of series are, one a row.
func machineTable(series []modelfile.Series) *output.List {
	number := func(head string) output.Column { return output.InTable(head).Right() }
	return output.NewTable("", series, func(one *modelfile.Series) output.Row {
		s, unit := one.Model.System, one.Model.TimeUnit.Name
		n := s.Partitions()
		return output.Row{output.InTable("series").Is(one.Name), number("nodes").Is(s.Nodes), number("smallest").Is(s.MinNodes),
			number("jobs at most").Is(n), number("capacity").Is(words.Round(s.Capacity(), 4) + " /" + unit),
			number("arrival SCV").Is(words.Round(s.Arrivals.SCV(), 3)),
			number("run time alone").Is(words.WithUnit(s.Service[0].Mean(), unit)),
			number("shared by all").Is(words.WithUnit(s.Service[n-1].Mean(), unit)),
			number("SCV").Is(words.Round(s.Service[n-1].SCV(), 3)),
			number("mean resize costs").Is(overheadRange(s, unit))}
	})
}

// overheadRange is the span of the mean overheads.
func overheadRange(s *models.System, unit string) string {
	least, most := decide.OverheadRange(s)
	switch {
	case most == 0:
		return "none"
	case least == most:
		return words.WithUnit(most, unit)
	}
	return words.Round(least, 3) + " to " + words.WithUnit(most, unit)
}

// timesTable lists run times and overheads of a model by the number of jobs that share the machine.
func timesTable(file *modelfile.Model) *output.List {
	s := file.System
	return (&output.List{Form: output.NoCSV, Len: s.Partitions(), Row: func(k int) output.Row {
		jobs, service := k+1, s.Service[k]
		row := output.Row{output.InTable("jobs").Is(jobs), output.InTable("nodes of each").Digits(3).Is(float64(s.Nodes) / float64(jobs)),
			output.InTable("run time").Time().Digits(5).Is(service.Mean()), output.InTable("SCV").Digits(3).Is(service.SCV()),
			output.InTable("after an arrival").Time().Is(s.ShrinkTo(jobs).Mean())}
		departure := output.InTable("after a departure").Time().Right()
		if jobs == s.Partitions() {
			return append(row, departure.Is(nil))
		}
		return append(row, departure.Is(s.ExpandTo(jobs).Mean()))
	}}).In(file.TimeUnit.Name)
}
