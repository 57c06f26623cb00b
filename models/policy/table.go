package policy

import (
	_ "embed"
	"encoding/csv"
	"slices"
	"strings"

	"github.com/partwise/partwise/models/workload"
)

//go:embed policies.csv
var policies string

// standard holds the rows of policies.csv, each with the function of makers that has its name.
var standard = readTable()

// Standard returns the table of the policies that this module has.
func Standard() Table { return slices.Clone(standard) }

func readTable() (all Table) {
	rows, err := csv.NewReader(strings.NewReader(policies)).ReadAll()
	if err != nil {
		panic("policy: policies.csv: " + err.Error()) // it is part of the program
	}
	kinds := []workload.Kind{workload.Rigid, workload.Moldable, workload.Malleable}
	for _, row := range rows[1:] {
		e := Entry{Name: row[0], Alias: row[1], Parameter: row[2], Optional: row[3] == "yes", Means: row[4], Example: row[5],
			Mixed: row[8] == "yes", Source: row[9], Summary: row[10], New: makers[row[0]]}
		for i, name := range runners {
			if slices.Contains(strings.Fields(row[6]), name) {
				e.RunsOn |= 1 << i
			}
		}
		e.Jobs = kinds[slices.IndexFunc(kinds, func(k workload.Kind) bool { return k.String() == row[7] })]
		all = append(all, e)
	}
	return all
}

// makers are the functions New of the policies by name.
var makers = func() map[string]func(parameter string) (Policy, error) {
	all := map[string]func(string) (Policy, error){
		"static":       counted("a number of partitions", func(k int) Policy { return Static{Partitions: k} }),
		"capped":       counted("a number of jobs", func(k int) Policy { return Capped{Jobs: k} }),
		"smoothing":    newSmoothing,
		"resize":       newResize,
		"conservative": newConservative,
		"limited": measured("a demand, the largest with which a job is not resized",
			func(demand float64) Policy { return Limited{Demand: demand} }),
		"k": measured("a positive fraction of the average parallelism", func(k float64) Policy { return Fraction{K: k} }),
	}
	for _, p := range []Policy{Dynamic{}, Folding{}, FCFS{}, EASY{}, EASYMalleable{}, Gang{}} {
		all[p.Name()] = func(string) (Policy, error) { return p, nil }
	}
	for _, size := range sizes {
		all[string(size)] = molding(size)
	}
	for _, rule := range []EpochRule{Buddy, Hybrid, EquiEpoch, OptEpoch, HeuristicEpoch} {
		all[string(rule)] = epochs(rule)
	}
	for arrival, names := range coschedulingNames {
		for wait, name := range names {
			all[name] = boosted(Coscheduling{Wait: Waiting(wait), Arrival: Arrival(arrival)})
		}
	}
	return all
}()
