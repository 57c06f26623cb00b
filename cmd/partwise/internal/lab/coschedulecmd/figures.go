package coschedulecmd

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/partwise/partwise/cmd/partwise/internal/lab/cluster"
	"github.com/partwise/partwise/models/policy"
)

// Figure is a figure or a table of the paper: policies in cases.
type Figure struct {
	Name  string // "3", "table4"
	Title string
	Runs  []Run
	Jobs  int // of a replication; more where the differences are small
	View  View
}

// View is what a figure shows of its runs.
type View int

// The views.
const (
	Responses View = iota // response times, and what processors do
	States                // of the processes that are boosted
	Positions             // of these in the order of their node
)

// The jobs of figures: at the load of most of them policies differ and gang scheduling is not overloaded. Response times
// scale with the mean of the dedicated times, which is small beside those of real jobs, as it must be in the paper, too.
const (
	FigureLoad      = .7
	FigureDedicated = 2 // seconds
	figureJobs      = 50
	fewJobs         = 30 // where many runs are of communicating jobs, whose messages take long to simulate
	fairnessJobs    = 200
)

// Paper returns the case of the paper's default parameters with a workload.
func Paper(mix cluster.Mix) Case {
	return Case{Name: mix.Name, Cluster: cluster.Defaults(policy.Gang{}), Mix: mix, Load: FigureLoad,
		Source: Random{MaxNodes: 32, Dedicated: FigureDedicated}}
}

// paper returns it with the workload of a name.
func paper(name string) Case {
	m, err := cluster.MixNamed(name)
	if err != nil {
		panic(err)
	}
	return Paper(m)
}

// with returns the case with another name after a change.
func (c Case) with(name string, change func(c *Case)) Case {
	c.Name = name
	change(&c)
	return c
}

// Policies of figures, as the table of policies writes them.
var (
	allTen   = []string{"local", "gs", "sb", "dcs", "dcs-sb", "pb", "pb-sb", "sy", "pb-sy", "dcs-sy"}
	ofRules  = []string{"pb:a", "pb:b", "pb:c", "pb:d", "pb:e"}
	ofPrimed = []string{"pb:a'", "pb:b'", "pb:c'", "pb:d'", "pb:e'"}
)

// in returns the runs of policies in cases.
func in(policies []string, cases ...Case) []Run {
	table := policy.Standard()
	var runs []Run
	for _, c := range cases {
		for _, name := range policies {
			p, err := table.Parse(name)
			if err != nil {
				panic(err)
			}
			runs = append(runs, Run{c, p})
		}
	}
	return runs
}

// Figures returns all figures and tables of the paper, from figure 3 on, one of the
// loads at which policies saturate, and one that varies what the paper leaves open.
func Figures() []Figure {
	return []Figure{
		{"3", "Under sy and dcs response times grow fast with the load, wl7", in(allTen, loads(.3, .45, .6, .7, .8, .9)...), figureJobs, Responses},
		{"4", "Independent processes that spin (local) are worst on every workload", in(allTen, paper("wl4"), paper("wl5"), paper("wl2"), paper("wl3")), figureJobs, Responses},
		{"5", "Impact of the multiprogramming level: what processors do", in(allTen, slices.Concat(levels("wl2", 2, 5),
			levels("wl4", 2, 5), levels("wl5", 2, 5))...), 2 * fewJobs, Responses},
		{"6", "Skew slows gs down; dynamic policies hide more of it, wl4", in(allTen, skewLevels()...), figureJobs, Responses},
		{"7", "sb and pb-sb are fast with every pattern of messages, wl5", in(allTen, patterns()...), fewJobs, Responses},
		{"8", "On twice the nodes jobs take less than half the time under most policies, wl5", in(allTen, sizes()...), 2 * fewJobs, Responses},
		{"9", "One cluster is better than two halves, wl5", in(allTen, parts()...), fewJobs, Responses},
		{"10", "Fairness to types of jobs, wl8", in([]string{"local", "gs", "sb", "dcs", "pb", "pb-sb", "pb-sy"}, fair()), fairnessJobs, Responses},
		{"11", "Which process a periodic boost prefers changes response times little", in(ofRules, boostLevels()...), figureJobs, Responses},
		{"12", "The more jobs communicate, the more boosts go to processes that have messages", in(ofRules, boostLevels()...), figureJobs, States},
		{"13", "The more jobs communicate, the more often another process than the last one is boosted", in(ofRules, boostLevels()...), figureJobs, Positions},
		{"14", "Heuristics: fairness to types of jobs, wl8", in(ofRules, fair()), fairnessJobs, Responses},
		{"15", "Response times with a fair share (') and without, wl8", in(slices.Concat(ofRules, ofPrimed), paper("wl8")), figureJobs, Responses},
		{"saturation", "With a backlog processors compute half of the time at best, wl7", in(allTen, paper("wl7").with("wl7", func(c *Case) { c.Load = 0 })), figureJobs, Responses},
		{"table4", "At a higher multiprogramming level jobs wait less and run longer", in(allTen, slices.Concat(levels("wl2", 2, 5),
			levels("wl4", 2, 5, 16), levels("wl5", 2, 5, 16))...), 2 * fewJobs, Responses},
		{"table5", "Impact of overheads, wl5", slices.Concat(in([]string{"gs"}, gangCosts()...),
			in([]string{"sb", "dcs", "dcs-sb", "pb-sb", "pb"}, costs()...)), 2 * fewJobs, Responses},
		{"table6", "Heuristics with a fair share: fairness to types of jobs, wl8", in(ofPrimed, fair()), fairnessJobs, Responses},
		{"choices", "What the paper leaves open: wl5, and all to all", in([]string{"gs", "sb", "pb"}, choices()...), fewJobs, Responses},
	}
}

// FigureNamed returns the figure of a name.
func FigureNamed(name string) (Figure, error) {
	all := Figures()
	var names []string
	for _, f := range all {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return Figure{}, fmt.Errorf("there is no figure %q; there are %s", name, strings.Join(names, ", "))
}

func loads(values ...float64) (all []Case) {
	for _, load := range values {
		all = append(all, paper("wl7").with(fmt.Sprintf("load %v", load), func(c *Case) { c.Load = load }))
	}
	return all
}

// busy returns the case with jobs that are half as long and come faster than they can be done: with fewer at a time there
// are no waits that could depend on anything.
func (c Case) busy() Case {
	c.Load, c.Source = 1.5, Random{MaxNodes: 32, Dedicated: FigureDedicated / 2.}
	return c
}

func levels(mix string, values ...int) (all []Case) {
	for _, mpl := range values {
		all = append(all, paper(mix).busy().with(fmt.Sprintf("%s, MPL %d", mix, mpl), func(c *Case) { c.Cluster.MPL = mpl }))
	}
	return all
}

func skewLevels() (all []Case) {
	for _, s := range []float64{.2, 1.5} {
		all = append(all, paper("wl4").with(fmt.Sprintf("skew %v", s), func(c *Case) { c.Cluster.Skew = s }))
	}
	return all
}

func patterns() (all []Case) {
	for p := cluster.NearestNeighbour; p <= cluster.Linear; p++ {
		all = append(all, paper("wl5").with(p.String(), func(c *Case) { c.Cluster.Pattern = p }))
	}
	return all
}

// sizes are the same jobs on 16 nodes and, with half the load, on 32.
func sizes() []Case {
	c := paper("wl5").busy()
	c.Source = Random{MaxNodes: 16, Dedicated: FigureDedicated / 2.}
	return []Case{c.with("16 nodes", func(c *Case) { c.Cluster.Nodes = 16 }),
		c.with("32 nodes", func(c *Case) { c.Load /= 2 })}
}

// parts are the same jobs on two clusters of 16 nodes and on one of 32.
func parts() []Case {
	c := paper("wl5")
	c.Source = Random{MaxNodes: 16, Dedicated: FigureDedicated}
	return []Case{c.with("2 × 16 nodes", func(c *Case) { c.Clusters, c.Cluster.Nodes = 2, 16 }),
		c.with("32 nodes", func(*Case) {})}
}

func fair() Case { return paper("wl8").with("wl8, no skew", func(c *Case) { c.Cluster.Skew = 0 }) }

func boostLevels() []Case { return []Case{paper("wl4"), paper("wl8"), paper("wl5")} }

func gangCosts() []Case {
	set := func(quantum, change time.Duration) func(c *Case) {
		return func(c *Case) { c.Cluster.Costs.GangQuantum, c.Cluster.Costs.GangSwitch = quantum, change }
	}
	const ms = time.Millisecond
	c := paper("wl5").busy()
	return []Case{c.with("Q 200 ms, CS 2 ms", set(200*ms, 2*ms)), c.with("Q 100 ms, CS 1 ms", set(100*ms, ms)),
		c.with("Q 100 ms, CS 2 ms", set(100*ms, 2*ms))}
}

func costs() []Case {
	set := func(change, interrupt time.Duration) func(c *Case) {
		return func(c *Case) { c.Cluster.Costs.Switch, c.Cluster.Costs.Interrupt = change, interrupt }
	}
	const us = time.Microsecond
	c := paper("wl5").busy()
	return []Case{c.with("CS 200 µs, I 50 µs", set(200*us, 50*us)), c.with("CS 100 µs, I 25 µs", set(100*us, 25*us)),
		c.with("CS 100 µs, I 50 µs", set(100*us, 50*us))}
}

// choices are the communication-intensive workload, and the same with messages to all, under what the paper may have
// meant instead. A choice that makes a difference says on what the paper's result rests.
func choices() (all []Case) {
	for _, v := range variants {
		all = append(all, paper("wl5").with(v.name, v.change))
	}
	for _, v := range variants {
		if v.forAll {
			all = append(all, paper("wl5").with("all to all, "+v.name, func(c *Case) {
				c.Cluster.Pattern = cluster.AllToAll
				v.change(c)
			}))
		}
	}
	return all
}

var variants = []struct {
	name   string
	forAll bool // with messages to all, too
	change func(c *Case)
}{
	{"as set", true, func(*Case) {}},
	{"1 message", false, func(c *Case) { c.Cluster.Messages = 1 }},
	{"2 messages", false, func(c *Case) { c.Cluster.Messages = 2 }},
	{"preempted first", true, func(c *Case) { c.Cluster.Choices.PreemptedFirst = true }},
	{"weak boosts", false, func(c *Case) { c.Cluster.Choices.WeakBoost = true }},
	{"strong wake-ups", false, func(c *Case) { c.Cluster.Choices.StrongWakeUp = true }},
	{"half duplex", true, func(c *Case) { c.Cluster.Choices.HalfDuplex = true }},
	{"first nodes", false, func(c *Case) { c.Cluster.Choices.LowestFirst = true }},
	{"interface 10 µs, wire 159.48 µs", true, func(c *Case) {
		c.Cluster.Costs.Interface, c.Cluster.Costs.Wire = 10*time.Microsecond, 159480
	}},
	{"spin 1 ms", true, func(c *Case) { c.Cluster.Costs.SpinTime = time.Millisecond }},
	{"interrupt 200 µs", false, func(c *Case) { c.Cluster.Costs.Interrupt = 200 * time.Microsecond }},
	{"interrupt 500 µs", true, func(c *Case) { c.Cluster.Costs.Interrupt = 500 * time.Microsecond }},
	{"CS 1 ms", true, func(c *Case) { c.Cluster.Costs.Switch = time.Millisecond }},
	{"load 0.9", false, func(c *Case) { c.Load = .9 }},
	{"16 to 32 nodes", true, func(c *Case) { c.Source = Random{MinNodes: 16, MaxNodes: 32, Dedicated: FigureDedicated} }},
	{"MPL 2", false, func(c *Case) { c.Cluster.MPL = 2 }},
}
