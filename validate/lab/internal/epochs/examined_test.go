package epochs_test

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/lab/internal/epochs"
	"github.com/partwise/partwise/validate/sched"
)

// Each function examines a claim of the table and returns what became of it, with the figures behind it.

// made returns the scheduler of a rule.
func made(rule policy.EpochRule, spread int) sched.EpochPolicy {
	p, err := sched.NewEpochPolicy(policy.Epochs{Rule: rule, Spread: spread})
	if err != nil {
		panic(err)
	}
	return p
}

// counted returns the number of epochs that a rule needs.
func counted(rule policy.EpochRule, nodes int, least ...int) int {
	return epochsOf(made(rule, 0), nodes, least...)
}

// epochsOf returns the number of epochs that a policy needs.
func epochsOf(p sched.EpochPolicy, nodes int, least ...int) int {
	var s sched.EpochSchedule
	if err := p.Schedule(sched.EpochProblem{Nodes: nodes, Min: least}, &s); err != nil {
		panic(err)
	}
	return s.Overhead() / nodes
}

func equiIsNotOptimal(*experiment) (outcome, string) {
	text := slices.Repeat([]int{20}, 10)
	caption := slices.Repeat([]int{10}, 20)
	a, b := counted(policy.EquiEpoch, 140, text...), counted(policy.OptEpoch, 140, text...)
	c, d := counted(policy.EquiEpoch, 140, caption...), counted(policy.OptEpoch, 140, caption...)
	return verdict(a > b && c > d, a > b || c > d), fmt.Sprintf("N = 140: %d epochs, and %d are enough, for 10 jobs of 20 nodes "+
		"(the text); %d and %d for 20 of 10 (the caption).", a, b, c, d)
}

func greedyIsNotOptimal(*experiment) (outcome, string) {
	least := []int{4, 4, 4, 4, 8}
	a, b := counted(policy.HeuristicEpoch, 16, least...), counted(policy.EquiEpoch, 16, least...)
	return verdict(a > b, false), fmt.Sprintf("N = 16, M = 4, 4, 4, 4, 8: %d epochs; EQUI-EPOCH has %d.", a, b)
}

func partitions(*experiment) (outcome, string) {
	want := []int{8, 128, 2144, 21527, 144055, 692693, 2560378}
	for k, n := range want {
		if ways(128, k) != n {
			return fails, fmt.Sprintf("%d with k = %d.", ways(128, k), k)
		}
	}
	return holds, "The same numbers."
}

// ways returns the number of ways to write a number of nodes as a sum of positive widths, in whatever order, of
// which no two differ by more than k: the ways to divide the nodes in an epoch, of table 1 of the report.
func ways(nodes, k int) int {
	total := 0
	for c := 1; c <= nodes; c++ {
		of := make([]int, nodes+1) // to write a number with widths from c on, c among them
		of[c] = 1
		for w := c; w <= min(c+k, nodes); w++ {
			for n := c + w; n <= nodes; n++ {
				of[n] += of[n-w]
			}
		}
		total += of[nodes]
	}
	return total
}

// searches runs OPT(1) on the cases of figure 9.
func searches(*experiment) (outcome, string) {
	var mean, worst float64
	for _, c := range byJobs() {
		random := rand.New(rand.NewPCG(1, uint64(c.Jobs)))
		var tried, needed int
		opt := made(policy.OptEpoch, 1)
		p := sched.EpochProblem{Nodes: c.Nodes, Min: make([]int, c.Jobs)}
		for range 1000 {
			for j := range p.Min {
				p.Min[j] = 1 + random.IntN(c.Most())
			}
			needed += epochsOf(opt, c.Nodes, p.Min...)
			tried += opt.(interface{ Tried() int }).Tried()
		}
		ratio := float64(tried) / float64(needed)
		mean += ratio / float64(len(byJobs()))
		worst = max(worst, ratio)
	}
	return verdict(mean < 1.2 && worst < 2.98, mean < 2), fmt.Sprintf("%.2f on average over the cases of figure 9, %.2f at worst. "+
		"The search here asks for one epoch more at a time, which tries other ways.", mean, worst)
}

func ofJobs(j int, load float64) epochs.Case {
	return epochs.Case{Nodes: 128, Jobs: j, LoadFactor: load}
}

func manySubsets(e *experiment) (outcome, string) {
	all, some := true, false
	var parts []string
	for _, name := range []string{"buddy", "equi"} {
		for _, load := range []float64{1, 2} {
			var ratio float64 // least of the three
			ratio = math.Inf(1)
			for _, j := range []int{7, 15, 31} {
				ratio = min(ratio, e.overhead(ofJobs(j, load), name)/e.overhead(ofJobs(j+1, load), name))
			}
			all, some = all && ratio > 1.1, some || ratio > 1.1
			parts = append(parts, fmt.Sprintf("%s %.1f (L = %v)", name, ratio, load))
		}
	}
	return verdict(all, some), "Overhead of 7, 15 and 31 jobs over that of one job more, at least: " + strings.Join(parts, ", ") + "."
}

func unaffected(e *experiment) (outcome, string) {
	all := true
	var parts []string
	for _, load := range []float64{1, 2} {
		least, most := math.Inf(1), 0.
		for j := 8; j <= 32; j++ {
			for _, name := range []string{"opt:1", "heuristic:1"} {
				x := e.overhead(ofJobs(j, load), name)
				least, most = min(least, x), max(most, x)
			}
		}
		all = all && most/least < 1.15
		parts = append(parts, fmt.Sprintf("%.2f to %.2f at L = %v", least, most, load))
	}
	return verdict(all, false), "From 8 to 32 jobs: " + strings.Join(parts, ", ") + "."
}

func hybridBetween(e *experiment) (outcome, string) {
	between, cases, below := 0, 0, 0
	for _, c := range byJobs() {
		if bits.OnesCount(uint(c.Jobs)) == 1 {
			continue
		}
		b, h, x := e.overhead(c, "buddy"), e.overhead(c, "heuristic:1"), e.overhead(c, "hybrid:1")
		cases++
		switch {
		case x >= min(b, h)-0.02 && x <= max(b, h)+0.02:
			between++
		case x < min(b, h):
			below++
		}
	}
	return verdict(between == cases, between > cases/2), fmt.Sprintf("In %d of %d cases in which J is no power of two; in %d it is "+
		"below both.", between, cases, below)
}

func buddyIsLeast(e *experiment) (outcome, string) {
	all := true
	var parts []string
	for _, n := range []int{32, 64, 128, 256} {
		c := epochs.Case{Nodes: n, Jobs: 8, LoadFactor: 1}
		b, h := e.overhead(c, "buddy"), e.overhead(c, "opt:1")
		all = all && b < 0.9*h
		parts = append(parts, fmt.Sprintf("%.2f and %.2f (N = %d)", b, h, n))
	}
	return verdict(all, false), "BUDDY and OPT-EPOCH(1): " + strings.Join(parts, ", ") + "."
}

func primeFactors(e *experiment) (outcome, string) {
	at := func(n int) float64 { return e.overhead(epochs.Case{Nodes: n, Jobs: 8, LoadFactor: 1}, "equi") }
	peak := at(160) > 1.2*at(144) && at(160) > 1.2*at(176)
	return verdict(peak, at(160) > at(144)), fmt.Sprintf("%.2f, %.2f and %.2f at N = 144, 160 and 176; %.2f at 80.",
		at(144), at(160), at(176), at(80))
}

// falling reports whether values fall, but for what chance explains.
func falling(values []float64) bool {
	for i := 1; i < len(values); i++ {
		if values[i] > values[i-1]*1.002 {
			return false
		}
	}
	return true
}

func inequityHelps(e *experiment) (outcome, string) {
	all := true
	var parts []string
	for _, c := range bySpread {
		var values []float64
		for _, k := range spreads {
			values = append(values, e.overhead(c, fmt.Sprintf("heuristic:%d", k)))
		}
		all = all && falling(values)
		parts = append(parts, fmt.Sprintf("%.2f to %.2f (J = %d)", values[0], values[len(values)-1], c.Jobs))
	}
	return verdict(all, false), "HEURISTIC-EPOCH(1) to (32): " + strings.Join(parts, ", ") + ", falling all the way."
}

func firstStep(e *experiment) (outcome, string) {
	all := true
	var parts []string
	for _, c := range []epochs.Case{bySpread[0], bySpread[2]} {
		zero, one, last := e.overhead(c, "equi"), e.overhead(c, "heuristic:1"), e.overhead(c, "heuristic:16")
		all = all && zero-one > one-last
		parts = append(parts, fmt.Sprintf("J = %d: %.2f, %.2f and %.2f", c.Jobs, zero, one, last))
	}
	return verdict(all, false), "EQUI-EPOCH, HEURISTIC-EPOCH(1) and (16), " + strings.Join(parts, "; ") + "."
}

func quantumMatters(*experiment) (outcome, string) {
	c := epochs.Case{Nodes: 128, Jobs: 8, LoadFactor: 1}
	names := []string{"buddy", "equi", "opt:1", "heuristic:4"}
	run := func(quantum float64) []epochs.Result {
		all, err := responses(context.Background(), c, epochs.Static, policiesOn(128, names),
			epochs.Options{Seed: 1, Jobs: 1000, Quantum: quantum})
		if err != nil {
			panic(err)
		}
		return all
	}
	var absolute, relative float64
	small, ten := run(0), run(10)
	for i := range small {
		absolute = max(absolute, math.Abs(ten[i].Of(measure.MeanResponseTime).Mean/small[i].Of(measure.MeanResponseTime).Mean-1))
		relative = max(relative, math.Abs(ten[i].Of(epochs.RelativeResponse).Mean/small[i].Of(epochs.RelativeResponse).Mean-1))
	}
	return verdict(absolute < 0.02, absolute < 0.1), fmt.Sprintf("J = 8: with T = 10, mean response times differ by up to %.1f %% "+
		"from those of a small quantum, relative ones by up to %.1f %%.", 100*absolute, 100*relative)
}

// inCase returns the relative response times of all policies in a case, opt:1 among them.
func (e *experiment) inCase(a epochs.Application, c epochs.Case) (ratios []float64) {
	for _, name := range append(heuristics(), series...) {
		if r, ok := e.responses[responseKey(a, c, name)]; ok {
			ratios = append(ratios, r)
		}
	}
	return ratios
}

// differences returns by how much the slowest policy of a case is slower than the fastest, of all cases of the figures,
// and how much the policies of all cases differ from OPT-EPOCH(1).
func (e *experiment) differences(a epochs.Application) (cases, policies []float64, at epochs.Case) {
	for _, c := range slices.Concat(everyOther(), byNodes(), bySpread) {
		ratios := e.inCase(a, c)
		cases = append(cases, slices.Max(ratios)/slices.Min(ratios)-1)
		if cases[len(cases)-1] == slices.Max(cases) {
			at = c
		}
		for _, r := range ratios {
			policies = append(policies, math.Abs(r-1))
		}
	}
	return cases, policies, at
}

func equalIsBetter(e *experiment) (outcome, string) {
	var parts, jobs []string
	all, some := true, false
	for _, c := range bySpread {
		equal := min(e.response(epochs.Static, c, "buddy"), e.response(epochs.Static, c, "equi"))
		unequal := math.Inf(1)
		for _, k := range []int{1, 2, 3, 4, 6, 8} {
			unequal = min(unequal, e.response(epochs.Static, c, fmt.Sprintf("heuristic:%d", k)))
		}
		better := equal < 0.98*unequal
		all, some = all && better, some || better
		if better {
			jobs = append(jobs, strconv.Itoa(c.Jobs))
		}
		parts = append(parts, fmt.Sprintf("%.3f and %.3f (J = %d)", equal, unequal, c.Jobs))
	}
	return verdict(all, some), "By 2 % or more for J = " + strings.Join(jobs, ", ") + ".\nThe best of equal and of unequal shares, k = 1 to 8: " +
		strings.Join(parts, ", ") + "."
}

func penaltyGrows(e *experiment) (outcome, string) {
	grows := true
	var tops []int
	var parts []string
	for _, c := range bySpread {
		worst, at := 0., 0
		for _, k := range spreads {
			if x := e.response(epochs.Static, c, fmt.Sprintf("heuristic:%d", k)); x > worst {
				worst, at = x, k
			}
		}
		grows, tops = grows && at == spreads[len(spreads)-1], append(tops, at)
		parts = append(parts, fmt.Sprintf("%.3f at k = %d, %.3f at k = 32 (J = %d)", worst, at,
			e.response(epochs.Static, c, "heuristic:32"), c.Jobs))
	}
	return verdict(grows, true), fmt.Sprintf("Only up to k = %d to %d: with much inequity there are fewer, longer turns on "+
		"fewer nodes.\nIt grows to ", slices.Min(tops), slices.Max(tops)) + strings.Join(parts, ", ") + "."
}

func staticDifferences(e *experiment) (outcome, string) {
	cases, _, at := e.differences(epochs.Static)
	most := slices.Max(cases)
	return verdict(most > 0.8, most > 0.1), fmt.Sprintf("By up to %.0f %%, at J = %d and N = %d.", 100*most, at.Jobs, at.Nodes)
}

func dynamicDifferences(e *experiment) (outcome, string) {
	cases, policies, at := e.differences(epochs.Dynamic)
	small := 0
	for _, d := range policies {
		if d < 0.1 {
			small++
		}
	}
	share := float64(small) / float64(len(policies))
	return verdict(share > 0.9, share > 0.5), fmt.Sprintf("%.0f %% of those from OPT-EPOCH(1); between any two policies up to %.0f %%, "+
		"at J = %d and N = %d.", 100*share, 100*slices.Max(cases), at.Jobs, at.Nodes)
}

func unequalIsBetter(e *experiment) (outcome, string) {
	better, cases := 0, 0
	var powers []string
	for _, c := range everyOther() {
		equal := min(e.response(epochs.Dynamic, c, "buddy"), e.response(epochs.Dynamic, c, "equi"))
		unequal := e.response(epochs.Dynamic, c, "heuristic:1")
		cases++
		if unequal <= equal {
			better++
		} else if bits.OnesCount(uint(c.Jobs)) == 1 && c.LoadFactor == 1 && c.Jobs > 2 {
			powers = append(powers, fmt.Sprintf("%.2f at J = %d", equal, c.Jobs))
		}
	}
	return verdict(better == cases, better > cases/2), fmt.Sprintf("HEURISTIC-EPOCH(1) is at least as good as BUDDY and EQUI-EPOCH in "+
		"%d of %d cases of figure 16; BUDDY is better with powers of two of jobs.\nOf OPT-EPOCH(1), L = 1: %s.", better, cases,
		strings.Join(powers, ", "))
}

func equalityIsNotNeeded(e *experiment) (outcome, string) {
	all := true
	var parts []string
	for _, c := range bySpread {
		var values []float64
		for _, k := range spreads {
			values = append(values, e.response(epochs.Dynamic, c, fmt.Sprintf("heuristic:%d", k)))
		}
		all = all && falling(values)
		parts = append(parts, fmt.Sprintf("%.3f (J = %d)", values[len(values)-1], c.Jobs))
	}
	return verdict(all, false), "HEURISTIC-EPOCH(32) relative to OPT-EPOCH(1): " + strings.Join(parts, ", ") + ", falling all the way."
}
