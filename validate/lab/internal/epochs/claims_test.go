package epochs_test

import (
	"context"
	"flag"
	"fmt"
	"sync"
	"testing"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/testdata/phtest"
	"github.com/partwise/partwise/validate/lab/internal/epochs"
)

var (
	update = flag.Bool("update", false, "rewrite the claims of docs/mccann94.md")
)

type outcome = phtest.Outcome

const holds, partly, fails outcome = "holds", "partly", "fails"

var (
	claim   = phtest.NewClaim[*experiment]
	verdict = phtest.Verdict
)

// claims is the table of statements of sections 4 and 5 of the report.
var claims = []phtest.Claim[*experiment]{
	claim("1", "4.1.2", "EQUI-EPOCH is not optimal where N is no power of two (figure 7).", holds, equiIsNotOptimal),
	claim("2", "4.1.3", "Nor is the same from the largest job on, where N is one (figure 8).", holds, greedyIsNotOptimal),
	claim("3", "4.2", "128 nodes can be divided in 8, 128, 2144, 21,527, 144,055, 692,693 and 2,560,378 ways with k = 0 to 6 "+
		"(table 1).", holds, partitions),
	claim("4", "4.2", "OPT-EPOCH(1) tries 1.08 ways to load an epoch for each epoch of a schedule; 2.98 at worst, on the "+
		"average of an experiment.", holds, searches),
	claim("5", "5.1", "BUDDY and EQUI-EPOCH react badly to numbers of jobs that are sums of many powers of two (figure 9).",
		holds, manySubsets),
	claim("6", "5.1", "OPT-EPOCH(1) and HEURISTIC-EPOCH(1) are hardly affected by the number of jobs.", holds, unaffected),
	claim("7", "5.1", "HYBRID(1) lies between BUDDY and HEURISTIC-EPOCH(1).", partly, hybridBetween),
	claim("8", "5.1", "With a power of two of jobs BUDDY has clearly the least overhead (figure 10).", holds, buddyIsLeast),
	claim("9", "5.1", "EQUI-EPOCH follows the prime factors of N, with a peak at N = 160.", holds, primeFactors),
	claim("10", "5.1", "More inequity means less overhead (figure 11).", holds, inequityHelps),
	claim("11", "5.1", "Much of that comes with k = 1 where J is no power of two.", holds, firstStep),
	claim("12", "5.2", "Response times hardly depend on the quantum.", holds, quantumMatters),
	claim("13", "5.2.1", "Static applications: equal shares are substantially better than unequal ones (figures 13 to 15).",
		partly, equalIsBetter),
	claim("14", "5.2.1", "The penalty of unequal shares grows with the inequity.", partly, penaltyGrows),
	claim("15", "5.2.2", "Static applications: policies differ by up to 90 %.", partly, staticDifferences),
	claim("16", "5.2.2", "Dynamic applications: almost all differences are under 10 %.", holds, dynamicDifferences),
	claim("17", "5.2.2", "Dynamic applications: policies with unequal shares are in general better.", partly, unequalIsBetter),
	claim("18", "5.2.2", "Equality is not needed for short response times: the more inequity the shorter (figure 18).",
		holds, equalityIsNotNeeded),
}

// series are the policies of the figures.
var series = []string{"buddy", "equi", "opt:1", "hybrid:1", "heuristic:1"}

// experiment is what the claims are examined on.
type experiment struct {
	overheads map[string]float64 // by case and policy
	responses map[string]float64 // relative, by application, case and policy
}

func overheadKey(c epochs.Case, policy string) string { return fmt.Sprint(c, policy) }

func responseKey(a epochs.Application, c epochs.Case, policy string) string {
	return fmt.Sprint(a, c, policy)
}

// overhead returns the mean overhead of a policy in a case.
func (e *experiment) overhead(c epochs.Case, policy string) float64 {
	return e.overheads[overheadKey(c, policy)]
}

// response returns the relative response time.
func (e *experiment) response(a epochs.Application, c epochs.Case, policy string) float64 {
	return e.responses[responseKey(a, c, policy)]
}

var theExperiment = sync.OnceValue(func() *experiment {
	e := &experiment{overheads: map[string]float64{}, responses: map[string]float64{}}
	for _, c := range append(byJobs(), byNodes()...) {
		e.addOverheads(c, series)
	}
	for _, c := range append(everyOther(), byNodes()...) {
		for _, a := range []epochs.Application{epochs.Static, epochs.Dynamic} {
			e.addResponses(a, c, series, epochs.Options{Seed: 1, Replications: 10, Jobs: 500})
		}
	}
	for _, c := range bySpread {
		some := append(heuristics(), series...)
		e.addOverheads(c, some)
		for _, a := range []epochs.Application{epochs.Static, epochs.Dynamic} {
			e.addResponses(a, c, some, epochs.Options{Seed: 1, Jobs: 1000})
		}
	}
	return e
})

// byJobs are the cases of figure 9.
func byJobs() (all []epochs.Case) {
	for j := 2; j <= 32; j++ {
		all = append(all, epochs.Case{Nodes: 128, Jobs: j, LoadFactor: 1}, epochs.Case{Nodes: 128, Jobs: j, LoadFactor: 2})
	}
	return all
}

// everyOther are those of figures 13 and 16: even numbers of jobs with the load factor 1, odd ones with 2.
func everyOther() (all []epochs.Case) {
	for _, c := range byJobs() {
		if c.Jobs%2 == int(c.LoadFactor)-1 {
			all = append(all, c)
		}
	}
	return all
}

// byNodes are the cases of figures 10, 14 and 17 with eight jobs.
func byNodes() (all []epochs.Case) {
	for n := 32; n <= 256; n += 16 {
		if n != 128 {
			all = append(all, epochs.Case{Nodes: n, Jobs: 8, LoadFactor: 1})
		}
	}
	return all
}

// bySpread are the cases of figures 11, 15 and 18, with the values of k.
var (
	bySpread = []epochs.Case{{Nodes: 128, Jobs: 7, LoadFactor: 1}, {Nodes: 128, Jobs: 8, LoadFactor: 1},
		{Nodes: 128, Jobs: 15, LoadFactor: 2}, {Nodes: 128, Jobs: 16, LoadFactor: 2}}
	spreads = []int{1, 2, 3, 4, 6, 8, 12, 16, 32}
)

func heuristics() (names []string) {
	for _, k := range spreads[1:] {
		names = append(names, fmt.Sprintf("heuristic:%d", k))
	}
	return names
}

// policiesOn returns the policies that run on a machine.
func policiesOn(nodes int, names []string) (all []policy.Policy) {
	for _, name := range names {
		p, err := policy.Standard().Parse(name)
		if err != nil {
			panic(err)
		}
		if p.Check(policy.Machine{Nodes: nodes, Unit: 1}) == nil {
			all = append(all, p)
		}
	}
	return all
}

func (e *experiment) addOverheads(c epochs.Case, names []string) {
	all, err := overheads(context.Background(), c, policiesOn(c.Nodes, names), epochs.Options{Seed: 1, Draws: 4000})
	if err != nil {
		panic(err)
	}
	for _, o := range all {
		e.overheads[overheadKey(c, o.Policy.String())] = o.Of(epochs.NormalizedOverhead).Mean
	}
}

func (e *experiment) addResponses(a epochs.Application, c epochs.Case, names []string, o epochs.Options) {
	all, err := responses(context.Background(), c, a, policiesOn(c.Nodes, names), o)
	if err != nil {
		panic(err)
	}
	for _, r := range all {
		e.responses[responseKey(a, c, r.Policy.String())] = r.Of(epochs.RelativeResponse).Mean
	}
}

// TestClaimsPage holds every claim to the outcome that the table gives, and docs/mccann94.md to the table.
func TestClaimsPage(t *testing.T) {
	if !*update {
		needs.Long(t, "simulates every figure of the report")
	}
	phtest.HoldClaims(t, "../../../../docs/mccann94.md", "section", claims, theExperiment(), nil, *update)
}
