package reportcmd

import (
	"fmt"
	"math"
	"strconv"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/phasetype"
)

// assumptions says what the numbers of a model rest on, in words.
func assumptions(file *modelfile.Model) []string {
	s := file.System
	resized := "A job that is resized goes on in the phase that it is in: what it has done is not lost."
	if len(s.PhaseMap) > 0 {
		resized = "A job that is resized draws a new phase by phase_map."
	}
	setup := "Static partitioning costs nothing: no job is set up."
	if len(s.Setup) > 0 {
		setup = "Under static partitioning every job is set up before it runs, which takes its partition."
	}
	return []string{
		arrivalsInWords(s),
		"Jobs wait first come, first served, and none leaves before it is done.",
		serviceInWords(s, file.TimeUnit.Name), sharingInWords(s), resized, overheadsInWords(s), setup,
		fmt.Sprintf("Partitions under static partitioning are equal, and their number K divides %d.", s.Partitions()),
		"All numbers are of the steady state.",
	}
}

func sharingInWords(s *models.System) string {
	text := fmt.Sprintf("Under dynamic partitioning up to %d jobs share the nodes evenly", s.Partitions())
	if s.Stops == models.ResizedStop {
		return text + ". Where the number of jobs does not divide the units of nodes, some jobs have one unit more; otherwise " +
			"all jobs are alike."
	}
	return text + fmt.Sprintf(". Where the number of jobs does not divide %d, each job counts as running on the average "+
		"partition.", s.Nodes)
}

func arrivalsInWords(s *models.System) string {
	m := s.Arrivals
	switch {
	case m.Phases() == 1:
		return "Jobs arrive at random, independently of each other (Poisson process)."
	case m.IsRenewal():
		return fmt.Sprintf("The times between arrivals are independent, with a squared coefficient of variation (SCV) of %s.",
			output.Round(m.SCV(), 3))
	}
	return fmt.Sprintf("The times between arrivals are correlated (lag-1 correlation %s), with a squared coefficient of "+
		"variation (SCV) of %s.", output.Round(m.LagCorrelation(1), 2), output.Round(m.SCV(), 3))
}

func serviceInWords(s *models.System, unit string) string {
	if n := len(s.Classes); n > 0 {
		return fmt.Sprintf("Jobs are of %s, drawn at each arrival. A job has the same number of nodes as every other job, or as many "+
			"as it can use if that is less.", modelfile.Count(n, "class", "classes"))
	}
	if s.Speedup == nil {
		return fmt.Sprintf("Run times are as measured for each number of jobs that share the machine, and all jobs are "+
			"alike: phase-type with %s.", output.Count(s.Service[0].Phases(), "phase"))
	}
	return fmt.Sprintf("All jobs are alike: their run time on one node (mean %s, SCV %s, phase-type with %s) "+
		"divided by the same speedup.", output.WithUnit(s.Demand.Mean(), unit), output.Round(s.Demand.SCV(),
		3), output.Count(s.Demand.Phases(), "phase"))
}

func overheadsInWords(s *models.System) string {
	if s.Free() {
		return "Repartitions cost nothing."
	}
	if s.Stops == models.ResizedStop {
		return "During a repartition the resized jobs and the newcomer stand still. An arrival or a departure that resizes " +
			"other jobs starts the repartition again."
	}
	return "During a repartition no job makes progress. An arrival that makes one more job run starts the repartition " +
		"again."
}

// machineTable lists what the models of series are, one a row.
func machineTable(series []modelfile.Series) output.Table {
	t := output.Table{Columns: []output.Column{{Name: "series"}, {Name: "nodes", Number: true},
		{Name: "smallest", Number: true}, {Name: "jobs at most", Number: true}, {Name: "capacity", Number: true},
		{Name: "arrival SCV", Number: true}, {Name: "run time alone", Number: true}, {Name: "shared by all", Number: true},
		{Name: "SCV", Number: true}, {Name: "mean overheads", Number: true}}}
	for _, one := range series {
		s, unit := one.Model.System, one.Model.TimeUnit.Name
		n := s.Partitions()
		t.Rows = append(t.Rows, []string{
			one.Name, strconv.Itoa(s.Nodes), strconv.Itoa(s.MinNodes), strconv.Itoa(n),
			output.Round(s.Capacity(), 4) + " /" + unit, output.Round(s.Arrivals.SCV(), 3),
			output.WithUnit(s.Service[0].Mean(), unit), output.WithUnit(s.Service[n-1].Mean(), unit),
			output.Round(s.Service[n-1].SCV(), 3), overheadRange(s, unit),
		})
	}
	return t
}

// overheadRange is the span of the mean overheads.
func overheadRange(s *models.System, unit string) string {
	least, most := math.Inf(1), 0.0
	see := func(d phasetype.Dist) { least, most = math.Min(least, d.Mean()), math.Max(most, d.Mean()) }
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
func timesTable(file *modelfile.Model) output.Table {
	s, unit := file.System, " ["+file.TimeUnit.Name+"]"
	t := output.Table{Columns: []output.Column{{Name: "jobs", Number: true}, {Name: "nodes of each", Number: true},
		{Name: "run time" + unit, Number: true}, {Name: "SCV", Number: true},
		{Name: "after an arrival" + unit, Number: true}, {Name: "after a departure" + unit, Number: true}}}
	for i := 1; i <= s.Partitions(); i++ {
		b := s.Service[i-1]
		expand := ""
		if i < s.Partitions() {
			expand = output.Round(s.ExpandTo(i).Mean(), 4)
		}
		t.Rows = append(t.Rows, []string{strconv.Itoa(i), output.Round(float64(s.Nodes)/float64(i), 3),
			output.Round(b.Mean(), 5), output.Round(b.SCV(), 3), output.Round(s.ShrinkTo(i).Mean(), 4), expand})
	}
	return t
}
