package days_test

import (
	"context"
	"flag"
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/testdata/phtest"
	"github.com/partwise/partwise/validate/lab/internal/days"
	"github.com/partwise/partwise/validate/metric"
)

var (
	update = flag.Bool("update", false, "rewrite the claims of docs/downey96.md")
)

// claimDays is how many days lie behind each figure of a claim.
const claimDays = 480

// The loads of the claims, those of figures 11, 12 and 15, and that of table 1.
var claimLoads = []float64{0.5, 0.6, 0.7, 0.75, 0.8, 0.9, 1}

const tableLoad = 0.75

type outcome = phtest.Outcome

const holds, partly, fails outcome = "holds", "partly", "fails"

var (
	claim   = phtest.NewClaim[*experiment]
	verdict = phtest.Verdict
)

// claims is the table of statements of sections 5 to 7 of Downey's paper.
var claims = []phtest.Claim[*experiment]{
	claim("1", "5.3", "The best fraction k of A falls about linearly as the load rises, to k = 1 near load 0.",
		holds, linearFraction),
	claim("2", "6.1",
		"ASP has useful utilizations from .4 to .6 and mean response times from 5000 to 9000 s at loads .5 to 1.",
		holds, aspIsGood),
	claim("3", "6.1", "Stubborn SEV: mean response times about twice those of ASP.", holds, stubborn("sev", 1.6, 2.4)),
	claim("4a", "6.1", "Stubborn AVG: 5 to 8 times those of ASP.", holds, stubborn("avg", 4.5, 8.5)),
	claim("4b", "6.1", "Stubborn PWS: 13 to 17 times.", partly, stubborn("pws", 12.5, 17.5)),
	claim("4c", "6.1", "Stubborn MAX: 17 to 21 times.", partly, stubborn("max", 16.5, 21.5)),
	claim("5", "6.1", "What stubborn policies lose they lose in the queue.", holds, lostInQueue),
	claim("6", "6.2", "Greedy policies are better than stubborn ones by every metric.", holds, greedyIsBetter),
	claim("7", "6.2", "All greedy policies are better than ASP.", partly, betterThanASP),
	claim("8", "6.2", "Jobs get fewer nodes as the load rises, and ASP reacts most.", partly, fewerNodes),
	claim("9", "6.2", "PWS is a little worse than AVG: the knee of the speedup is not the best size.",
		holds, kneeIsWorse),
	claim("10", "6.3", "Policies that give many nodes have a high utilization.", partly, largeSizesHighLoad),
	claim("11", "6.3", "The highest useful utilization goes with the shortest mean response time.",
		partly, utilizationIsResponse),
	claim("12", "6.3", "SEV has far the smallest slowdowns.", holds, sevSlowdown),
	claim("13", "6.3", "The fewer nodes a policy gives the shorter is its queue (FIFO policies).",
		holds, sizesAndQueues),
	claim("14", "6.3",
		"SEV, AVG and PWS have the same useful utilization and similar mean response times; MAX is worse at both.",
		holds, threeAlike),
	claim("15", "6.3", "ASP has the largest coefficient of variation of the cluster size (1.24, others 1.04 to 1.11).",
		holds, aspVaries),
	claim("16", "6.4", "A minimum share improves no policy significantly.", fails, noShareHelps),
	claim("17", "6.4", "A large minimum share degrades performance greatly.", holds, largeShareHurts),
	claim("18", "6.4", "SEV and AVG bear minimum shares of .4 to .6 before they get significantly worse.",
		partly, sharesBorne),
	claim("19", "6.5", "Simplified SEV and 3/2·AVG give as many nodes as SEV and PWS.", holds, sameSizes),
	claim("20", "6.5", "SEV is no better for looking at sigma.", holds, sigmaIsUseless),
	claim("21", "6.5", "3/2·AVG is significantly worse than PWS by all metrics.", partly, threeHalvesIsWorse),
	claim("22", "7", "Sizes need not be set precisely: mean response times vary little within a wide range.",
		holds, wideOptimum),
	claim("23", "7", "Lifetimes that are uniform-log as observed have coefficients of variation from 2 to 4.",
		holds, variationOfLifetimes),
}

// experiment is what the claims are examined on.
type experiment struct {
	t    testing.TB
	runs map[float64]map[string]*days.Outcome
}

var (
	fractionLoads = []float64{0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1}
	shares        = []string{"0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9"}
	fifo          = five[:4] // but for ASP
)

var theExperiment = sync.OnceValue(func() map[float64]map[string]*days.Outcome {
	runs := map[float64]map[string]*days.Outcome{}
	add := func(load float64, n int, names ...string) {
		w := days.Downey(64, load)
		these, err := policies(names...)
		if err != nil {
			panic(err)
		}
		all, err := days.Simulate(context.Background(), w, these, n, days.Options{Seed: 1})
		if err != nil {
			panic(err)
		}
		if runs[load] == nil {
			runs[load] = map[string]*days.Outcome{}
		}
		for i := range all {
			runs[load][all[i].Policy.String()] = &all[i]
		}
	}
	for _, load := range claimLoads {
		names := append([]string{"simplified-sev", "3/2avg"}, five...)
		for _, s := range fifo {
			names = append(names, s+":stubborn")
			if load == tableLoad {
				for _, c := range shares {
					names = append(names, s+":"+c)
				}
			}
		}
		add(load, claimDays, names...)
	}
	for _, load := range fractionLoads {
		var names []string
		for k := 0.1; k < 1.01; k += 0.1 {
			names = append(names, fmt.Sprintf("k:%.1f", k))
		}
		add(load, claimDays/2, names...)
	}
	return runs
})

func newExperiment(t testing.TB) *experiment { return &experiment{t: t, runs: theExperiment()} }

// of returns a measure of a policy at a load.
func (e *experiment) of(load float64, policy, name string) float64 {
	return e.run(load, policy).Of(name).Mean
}

func (e *experiment) run(load float64, policy string) *days.Outcome {
	o := e.runs[load][policy]
	if o == nil {
		e.t.Fatalf("%s was not simulated at load %v", policy, load)
	}
	return o
}

// difference returns by how much a measure of policy a is larger than that of b, with its 95 % interval.
func (e *experiment) difference(load float64, a, b, name string) metric.Interval {
	return e.run(load, a).Difference(e.run(load, b), name)
}

// extremes returns the least and the largest of f at all loads.
func extremes(f func(load float64) float64) (least, most float64) {
	least, most = math.Inf(1), math.Inf(-1)
	for _, load := range claimLoads {
		least, most = math.Min(least, f(load)), math.Max(most, f(load))
	}
	return least, most
}

// TestClaimsPage holds every claim to the outcome that the table gives, and docs/downey96.md to the table.
func TestClaimsPage(t *testing.T) {
	if !*update {
		needs.Long(t, "simulates tens of thousands of days")
	}
	phtest.HoldClaims(t, "../../../../docs/downey96.md", "section", claims, newExperiment(t), nil, *update)
}
