package reportcmd

import (
	"strings"
	"testing"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/phasetype"
	_ "github.com/partwise/partwise/testdata/phtest"
	"gonum.org/v1/gonum/mat"
)

// TestAssumptions: each kind of model has its sentences.
func TestAssumptions(t *testing.T) {
	const nine = 9 // sentences of every model
	for name, want := range map[string]string{
		"ips96-w1":     "Run times are as measured for each number of jobs that share the machine, and all jobs are alike: phase-type with ",
		"bursty":       "The times between arrivals are correlated (lag-1 correlation 0.",
		"gpu-training": "All jobs are alike: their run time on one node (mean ",
		"mixed":        "Jobs are of 2 classes, drawn at each arrival.",
		"slurm":        "The times between arrivals are independent, with a squared coefficient of variation (SCV) of ",
		"kubernetes":   "All numbers are of the steady state.",
	} {
		file, err := modelfile.Load("../modelcmd/examples/" + name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		check := func(want string) {
			t.Helper()
			all := assumptions(file)
			if text := strings.Join(all, "\n"); !strings.Contains(text, want) || strings.Contains(text, "<no value>") || len(all) != nine {
				t.Errorf("%s: %d sentences without %q:\n%s", name, len(all), want, text)
			}
		}
		check(want)
		s := *file.System
		file.System = &s
		s.Stops = models.ResizedStop
		check("Where the number of jobs does not divide the units of nodes, some jobs have one unit more; otherwise all jobs are alike.")
		check("During a repartition the resized jobs and the newcomer stand still.")
		s.Stops = models.AllStop
		check("each job counts as running on the average partition.")
		check("During a repartition no job makes progress.")
		s.Shrink, s.Expand, s.Setup = nil, nil, nil
		check("Repartitions cost nothing.")
		check("Static partitioning costs nothing: no job is set up.")
		s.Setup = map[int]phasetype.Dist{1: s.Service[0]}
		check("Under static partitioning every job is set up before it runs, which takes its partition.")
		s.PhaseMap = map[models.Change]*mat.Dense{{}: nil}
		check("A job that is resized draws a new phase by phase_map.")
		gap, err := phasetype.Exponential(1)
		if err == nil {
			s.Arrivals, err = phasetype.Renewal(gap)
		}
		if err != nil {
			t.Fatal(err)
		}
		check("Jobs arrive at random, independently of each other (Poisson process).")
	}
}
