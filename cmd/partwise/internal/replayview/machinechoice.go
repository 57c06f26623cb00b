package replayview

import (
	"fmt"
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/validate/replay"
	"github.com/partwise/partwise/validate/study"
)

// MachineWords names the machine of a log: its nodes or CPUs, or its partitions where each is a machine of its own. The words
// tell partitions that overlap from others: their nodes are more than the machine has.
func MachineWords(log *replay.Log) string {
	unit := output.UnitWord(log.SizesIn())
	nodes := words.Count(log.Capacity(), unit)
	if log.Pools == nil {
		return nodes
	}
	kind := "partition"
	if log.Pools.Shared > 0 {
		kind = "overlapping partition"
	}
	return nodes + " in " + words.Count(len(log.Pools.List), kind)
}

// Machines lays out the candidates for the machine of a log.
type Machines struct{ study.Machines }

// clause names a candidate and its mean wait under EASY: 2,004 s on 1,228 CPUs.
func clause(one *study.Machine) string {
	if one.Waits == nil {
		return "unknown times on " + MachineWords(one.Log) + ", which cannot run the jobs"
	}
	return words.Seconds(one.Waits.Mean) + " on " + MachineWords(one.Log)
}

// Sentences say how jobs wait under EASY on the candidates that are not chosen, and why the chosen candidate is chosen. Sentences
// returns nil if there is only one candidate, or if the log has no waits.
func (m Machines) Sentences() []string {
	if !m.Compared() {
		return nil
	}
	chosen := m.Chosen()
	var all, others []string
	for i := range m.Machines {
		switch one := &m.Machines[i]; {
		case one.Chosen:
		case chosen.Waits.Reproduced && one.Waits != nil && one.Waits.Reproduced:
			all = append(all, m.equal(one))
		default:
			others = append(others, clause(one))
		}
	}
	if others != nil {
		first := "No other machine that was tried comes closer to the waits of the log:"
		if m.Closer() != nil {
			first = "On other machines that were tried,"
		}
		all = append(all, first+" jobs wait "+words.Or(others)+".")
	}
	if shared := m.SharedNodes(); shared > 0 {
		all = append(all, words.Count(shared, "node")+" of the log can be used by several partitions; each partition counts them.")
	}
	pools, unit := chosen.Log.Pools, output.UnitWord(chosen.Unit)
	switch {
	case pools == nil, pools.Shared > 0:
	case pools.Nodes() > chosen.Log.Nodes:
		all = append(all, fmt.Sprintf("The jobs of the partitions ran on %s by name, more than the %d of the machine: each partition "+
			"has the %ss of its jobs.", words.Count(pools.Nodes(), unit), chosen.Log.Nodes, unit))
	}
	return all
}

// StatedNodes says that the stated number of nodes decided, although another candidate agrees better with the waits of the log.
// It also says how to get the other candidate. It returns "" if no other candidate agrees better.
func (m Machines) StatedNodes() string {
	closer := m.Closer()
	if closer == nil {
		return ""
	}
	return fmt.Sprintf("--nodes is kept, although a replay on %s is closer to the waits of the log (%s; %s on %s): is --nodes "+
		"right? Without --nodes, the machine that is closest is taken", MachineWords(closer.Log), words.Seconds(closer.Waits.Mean),
		words.Seconds(m.Chosen().Waits.Mean), MachineWords(m.Chosen().Log))
}

// Tried names the other machines that were tried and do not give the waits of the log. It returns "" if no other machine was tried.
func (m Machines) Tried() string {
	if !m.Compared() {
		return ""
	}
	var tried []string
	for i := range m.Machines {
		if !m.Machines[i].Chosen && (m.Machines[i].Waits == nil || !m.Machines[i].Waits.Reproduced) {
			tried = append(tried, MachineWords(m.Machines[i].Log))
		}
	}
	if tried == nil {
		return ""
	}
	return "A replay on " + words.Or(tried) + " does not explain them either."
}

// equal says that a candidate reproduces the waits of the log, too, and why it is not chosen.
func (m Machines) equal(one *study.Machine) string {
	chosen := m.Chosen()
	if one.Waits.Distance() < chosen.Waits.Distance() {
		return fmt.Sprintf("A replay on %s is closer (%s); the stated number of nodes (--nodes) is kept.",
			MachineWords(one.Log), words.Seconds(one.Waits.Mean))
	}
	if one.Waits.Distance() > chosen.Waits.Distance() {
		return fmt.Sprintf("A replay on %s reproduces the waits, too, less closely: %s.", MachineWords(one.Log),
			words.Seconds(one.Waits.Mean))
	}
	return fmt.Sprintf("A replay on %s is as close (%s); %ss are taken, the usual unit.", MachineWords(one.Log),
		words.Seconds(one.Waits.Mean), output.UnitWord(chosen.Unit))
}

// OtherUnit says what the other unit of sizes would say of resizing. like is a run on the chosen machine. OtherUnit returns "" if
// one unit alone was studied, if its jobs are too few, or if the log contradicts its replay.
func (m Machines) OtherUnit(like *replay.Run) string {
	one, run := m.InOtherUnit(like)
	if run == nil {
		return ""
	}
	g := Gains{Gains: &study.Gains{EASY: run.Baseline, Runs: one.Runs}, Unit: one.Unit}
	return fmt.Sprintf("Counted in %ss in place of %ss (--unit-of-allocation %s), %s.", output.UnitWord(one.Unit),
		output.UnitWord(m.Chosen().Unit), one.Unit, g.verdictClause())
}

// OtherUnitSummary is [Machines.OtherUnit] for a summary: it is "" unless the other unit is as close to the waits of
// the log, and has another verdict or a mixed one.
func (m Machines) OtherUnitSummary(like *replay.Run) string {
	one, run := m.InOtherUnit(like)
	if run == nil || !m.AsClose(one) {
		return ""
	}
	verdict, _ := replay.ResizingPays(one.Runs)
	if verdict == like.Verdict() && !replay.IsMixed(one.Runs) {
		return ""
	}
	return m.OtherUnit(like)
}

// Table has a row for each candidate; nil if there is one.
func (m Machines) Table() *output.List {
	if !m.Compared() {
		return nil
	}
	return output.NewTable("The machine of the log: waits under EASY on each candidate", m.Machines,
		func(one *study.Machine) output.Row {
			name, taken := "one, "+MachineWords(one.Log), ""
			if one.Log.Pools != nil {
				name = "each partition, " + MachineWords(one.Log)
			}
			if one.Chosen {
				taken = "yes"
			}
			row := output.Row{output.InTable("machine").Is(name)}
			wait := func(head string, decimals int) output.Column {
				return output.InTable(head).Decimals(decimals).Else("–")
			}
			if w := one.Waits; w != nil {
				row = append(row, wait("mean wait [s]", 0).Is(w.Mean), wait("90 %", 0).Is(w.P90),
					wait("rank correlation", 2).Is(w.RankCorrelation), output.InTable("reproduced").Is(yesNo(w.Reproduced)))
			}
			return append(row, output.InTable("taken").Else("–").Is(output.NonZero(taken)))
		})
}

// yesNo writes whether something is so.
func yesNo(so bool) string {
	if so {
		return "yes"
	}
	return "no"
}

// Objects returns what JSON has of the candidates.
func (m Machines) Objects() []output.Object {
	var all []output.Object
	for i := range m.Machines {
		o := output.Pairs("unit", string(m.Machines[i].Unit), "pool", string(m.Machines[i].Pooling),
			"nodes", m.Machines[i].Log.Capacity())
		var forecast []output.Object
		for _, run := range m.Machines[i].Runs {
			forecast = append(forecast, output.Pairs("malleable_share", run.Share, "ratio_to_easy", estimateObject(run.Ratio())))
		}
		all = append(all, slices.Concat(o, replayedPairs(m.Machines[i].Waits),
			output.Pairs("chosen", m.Machines[i].Chosen, "forecast", output.When(forecast != nil, forecast))))
	}
	return all
}
