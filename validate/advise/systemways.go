package advise

import (
	"fmt"
	"slices"
	"strings"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/sched"
)

// limit is one way in which systems fall short of a rule.
type limit struct {
	name  string // as tables have it
	words string // what it means
	// apply limits how a rule is carried out; second is a second in its time unit.
	apply func(c *Carried, second float64)
}

// Times of a resize and of a look at the queue, in seconds. torchrun waits 30 s for latecomers, and kill and restart
// were reported to take "typically 30 secs or even more" (pytorch/elastic#99). Slurm 22.05 starts a requeued job after
// two minutes at the earliest. An HPA looks at its metric every 15 s, and knows windows of an hour at most.
const (
	ControllerPoll = 60 // of the controller unless it is told otherwise, and of Ray's program
	restart        = 30
	requeue        = 120
	metricSync     = 15 // of the metric of an HPA
	hour           = 3600
)

// limits are all limits. Those that are named "no" and a part of the rule leave this part out.
var limits = slices.Concat([]limit{
	{"poll", fmt.Sprintf("a look each %d s, no start between", ControllerPoll),
		func(c *Carried, second float64) { c.Poll = ControllerPoll * second }},
	{"sync", fmt.Sprintf("a look each %d s", metricSync), func(c *Carried, second float64) { c.Poll = metricSync * second }},
	{"restart", fmt.Sprintf("a resized job stops %d s or more", restart),
		func(c *Carried, second float64) {
			c.Shrink, c.Expand = restart*second, max(c.Expand, restart*second)
		}},
	{"requeue", fmt.Sprintf("a growing job stops %d s or more", requeue),
		func(c *Carried, second float64) { c.Expand = requeue * second }},
	{"start free", "a job keeps the nodes of its start", widths(sched.Free)},
	{"no shrink", "a job takes free nodes for good", widths(sched.Growing)},
	{"apart", "each job alone; cooldown as a window",
		func(c *Carried, second float64) {
			c.Width, c.Cooldown = sched.Apart, min(c.Cooldown, hour*second)
		}},
	{"no cap", "jobs as fit on the fewest nodes", func(c *Carried, _ float64) { c.Uncapped = true }},
}, leftOut("cooldown", "hysteresis", "batch", "wait", "on"))

// widths returns the function apply of a limit that sets the width of a carried rule to w.
func widths(w sched.Width) func(*Carried, float64) {
	return func(c *Carried, _ float64) { c.Width = w }
}

// leftOut returns a limit for each of the named parts of a rule, by which a system leaves the part out. Its name is "no
// " and the part.
func leftOut(parts ...string) (all []limit) {
	for _, part := range parts {
		all = append(all, limit{"no " + part, "the rule without it", func(c *Carried, _ float64) {
			c.Resize, _ = c.With(part, 0) // leaves the parameter out, which is no error
		}})
	}
	return all
}

// Way is a way to carry a rule out, with what does it and how it falls short of the rule.
type Way struct {
	By     string
	Limits []string
	Carried
}

// staticLimit names the limit that jobs keep the nodes of the best static split, on which the files of some systems
// start them.
const staticLimit = "static"

// CarriedOut returns the carried rules of the ways alone, in their order, for [Options.Carried].
func CarriedOut(ways []Way) (all []Carried) {
	for _, w := range ways {
		all = append(all, w.Carried)
	}
	return all
}

// Ways returns the ways in which systems carry rule r out, each with its limits. second is the length of a second in
// the unit of time of the rule. split is the number of partitions of the best static split. The limits come from
// ways.csv: first for the controller on the systems that it knows, then for systems that have settings alone.
//
// If a system resizes jobs by its settings, the parts of the rule that carried.csv does not name for it are left out,
// too. Systems that do the same are one way, whose By names all of them. torchrun has no queue and is part of other
// systems.
func Ways(r policy.Resize, second float64, split int) []Way {
	var ways []Way
	for _, row := range rowsOf(waysTable) {
		by := row[0]
		names := slices.DeleteFunc(strings.Split(row[1], ";"), func(name string) bool { return name == "no cap" && r.Cap == 0 })
		if slices.Contains(names, "apart") {
			for _, name := range []string{"cooldown", "hysteresis", "batch", "wait", "on"} {
				if _, known := carried[[2]string{by, name}]; !known && r.Get(name) != 0 {
					names = append(names, "no "+name)
				}
			}
		}
		way := Way{by, names, limited(r, second, names...)}
		if slices.Contains(names, staticLimit) {
			way.Carried = Carried{Resize: policy.Resize{Floor: split, Cap: split}}
		}
		if i := slices.IndexFunc(ways, func(w Way) bool { return w.Carried == way.Carried && slices.Equal(w.Limits, names) }); i >= 0 {
			ways[i].By += ", " + strings.TrimPrefix(way.By, "controller.py, ")
			continue
		}
		ways = append(ways, way)
	}
	return ways
}

// limited returns rule r as it is carried out with the limits of the given names, applied in the order of the list
// limits. second is the length of a second in the unit of time of the rule. Unknown names are ignored.
func limited(r policy.Resize, second float64, names ...string) Carried {
	c := Carried{Resize: r}
	for _, l := range limits {
		if slices.Contains(names, l.name) {
			l.apply(&c, second)
		}
	}
	return c
}

// EachLimit returns a way for each limit that changes how rule r is carried out, with this limit alone, to show what
// each costs. By has the words of the limit. second is the length of a second in the unit of time of the rule. The
// limit "no cap" is left out.
func EachLimit(r policy.Resize, second float64) []Way {
	var ways []Way
	for _, l := range limits {
		if c := limited(r, second, l.name); l.name != "no cap" && c != (Carried{Resize: r}) {
			ways = append(ways, Way{l.words, []string{l.name}, c})
		}
	}
	return ways
}
