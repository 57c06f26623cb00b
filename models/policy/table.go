package policy

import (
	"slices"

	"github.com/partwise/partwise/models/workload"
)

// The papers that the table cites.
const (
	islam96  = "Islam, Prodromidis, Squillante 1996"
	mccann94 = "McCann, Zahorjan 1994"
	epochs94 = "McCann, Zahorjan 1994, TR 94-10-05"
	downey96 = "Downey 1996"
	mualem01 = "Mu'alem, Feitelson 2001"

	zhang01       = "Zhang, Sivasubramaniam, Moreira, Franke 2001"
	prabhakaran15 = "Prabhakaran et al. 2015"
)

// Standard returns the table of the policies that this module has.
func Standard() Table {
	table := Table{
		{Name: "dynamic", Example: "dynamic", RunsOn: Chain | WholeNodes, Jobs: workload.Malleable, Mixed: true,
			Source:  islam96,
			Summary: "divides the nodes evenly among all jobs whenever one arrives or departs", New: constant(Dynamic{})},
		{Name: "static", Parameter: "K", Means: "a number of partitions", Example: "static:4", RunsOn: Chain | WholeNodes,
			Jobs: workload.Moldable, Source: islam96, New: counted("static", "a number of partitions", func(k int) Policy { return Static{Partitions: k} }),
			Summary: "splits the machine once into K equal partitions, a job to each"},
		{Name: "capped", Parameter: "K", Means: "the largest number of jobs that run", Example: "capped:4",
			RunsOn: Chain | WholeNodes, Jobs: workload.Malleable, Mixed: true, New: counted("capped", "a number of jobs", func(k int) Policy { return Capped{Jobs: k} }),
			Summary: "divides the nodes evenly among at most K jobs"},
		{Name: "smoothing", Parameter: "MEAN[,SCV]", Means: "the mean of the minimum time between repartitions",
			Example: "smoothing:60", RunsOn: Chain | WholeNodes, Jobs: workload.Malleable, Source: islam96, New: newSmoothing,
			Summary: "divides the nodes evenly, with a minimum time between repartitions"},
		{Name: "resize", Parameter: "RULE", Optional: true, Means: "any of " + resizeMeans, Jobs: workload.Malleable,
			Example: "resize:hysteresis=1.5,wait=2", RunsOn: Chain | WholeNodes, Mixed: true, New: newResize,
			Summary: "divides the nodes evenly when a rule says so"},
		{Name: "folding", Example: "folding", RunsOn: WholeNodes, Jobs: workload.Malleable, Source: mccann94,
			Summary: "halves one partition for an arrival, gives the nodes of a departure to one job", New: constant(Folding{})},
		{Name: "limited", Parameter: "DEMAND", Means: "the demand up to which a job is not resized", Example: "limited:600",
			RunsOn: WholeNodes, Jobs: workload.Malleable, Source: islam96,
			Summary: "divides the nodes evenly, but never resizes jobs with a demand up to DEMAND",
			New: measured("limited", "a demand, the largest with which a job is not resized",
				func(demand float64) Policy { return Limited{Demand: demand} })},
		{Name: "fcfs", Example: "fcfs", RunsOn: WholeNodes, Jobs: workload.Rigid, Source: mualem01,
			Summary: "starts jobs in the order of their arrival on the nodes that they ask for", New: constant(FCFS{})},
		{Name: "easy", Example: "easy", RunsOn: WholeNodes, Jobs: workload.Rigid, Source: mualem01,
			Summary: "EASY backfilling: a job may overtake if that does not delay the first of the queue",
			New:     constant(EASY{})},
		{Name: "easy-malleable", Example: "easy-malleable", RunsOn: WholeNodes, Jobs: workload.Malleable, Mixed: true,
			Source:  prabhakaran15,
			Summary: "EASY backfilling in which malleable jobs shrink for waiting jobs and grow onto idle nodes",
			New:     constant(EASYMalleable{})},
		{Name: "conservative", Parameter: "WHEN", Optional: true,
			Means:   "the time at which reservations are compressed: early, always or never",
			Example: "conservative:always", RunsOn: WholeNodes, Jobs: workload.Rigid, Source: mualem01, New: newConservative,
			Summary: "conservative backfilling: a job may overtake if that does not delay any reservation"},
	}
	for _, m := range []struct {
		size    Size
		summary string
	}{
		{SEV, "gives a job A nodes, fewer under load (Sevcik), A being its average parallelism"},
		{AVG, "gives a job A nodes"},
		{PWS, "gives a job its processor working set"},
		{MAX, "gives a job the fewest nodes on which it runs as fast as it can"},
		{ThreeHalves, "gives a job 3/2 of A nodes"},
		{SimplifiedSEV, "gives a job A nodes, fewer under load, with sigma 1 for all jobs"},
	} {
		table = table.With(Entry{Name: string(m.size), Parameter: "C", Optional: true, Means: shareMeans,
			Example: string(m.size) + ":0.4", RunsOn: WholeNodes, Jobs: workload.Moldable, Source: downey96,
			Summary: m.summary, New: molding(m.size)})
	}
	table = append(table,
		Entry{Name: string(ASP), Example: "asp", RunsOn: WholeNodes, Jobs: workload.Moldable, Source: downey96,
			Summary: "divides the free nodes among the waiting jobs (adaptive static partitioning)",
			New:     constant(Molding{Size: ASP})},
		Entry{Name: "k", Parameter: "K", Means: "the fraction of its average parallelism that a job waits for",
			Example: "k:0.7", RunsOn: WholeNodes, Jobs: workload.Moldable, Source: downey96, New: measured("k", "a positive fraction of the average parallelism",
				func(k float64) Policy { return Fraction{K: k} }),
			Summary: "makes a job wait for the fraction K of its average parallelism"})
	return slices.Concat(table, epochEntries(), timeSharedEntries())
}

// constant makes New of a policy without parameters.
func constant(p Policy) func(string) (Policy, error) {
	return func(string) (Policy, error) { return p, nil }
}
