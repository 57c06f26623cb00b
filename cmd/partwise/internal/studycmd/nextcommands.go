package studycmd

import (
	"slices"
	"strconv"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/study"
)

// nextCommands writes commands that continue a study: on the same jobs of the same log.
type nextCommands struct {
	inv     *cli.Invocation
	machine *study.Machine // that the study chose
}

// The flags of a study that choose jobs of the log, and the flags that say what no log tells.
var (
	choosing = []string{"from", "to", "sizes", "status", "partition", "user", "account", "qos", "log-format", "fields",
		"time-zone", "allow-skipped"}
	assuming = []string{"min-nodes", "resize-cost", "stops", "speedup", "min-factor", "max-factor", "start-window", "interarrival",
		"load"}
)

// command returns a command on the log: its flags of a machine, and flags of the study as far as they were given.
func (n *nextCommands) command(name, machine string, flags []string) string {
	return input.CommandLine(n.inv, name, machine, flags...)
}

// onMachine returns a command on the machine of the study, under its assumptions.
func (n *nextCommands) onMachine(name string) string {
	return n.command(name, n.ofMachine(), slices.Concat(assuming, choosing))
}

// ofMachine returns the flags of the machine of the study.
func (n *nextCommands) ofMachine() string {
	flags := " --nodes " + strconv.Itoa(n.machine.Log.Nodes) + n.ofUnit()
	if n.machine.Pooling == study.Partitions {
		flags += " --pool " + string(n.machine.Pooling)
	}
	return flags
}

// ofUnit returns the flag of the unit of the machine; "" if sizes count nodes.
func (n *nextCommands) ofUnit() string {
	if n.machine.Unit == joblog.InNodes {
		return ""
	}
	return " --unit-of-allocation " + string(n.machine.Unit)
}

// whoWaits returns the command that shows how the jobs of each partition, user, account and quality of service waited.
func (n *nextCommands) whoWaits() string {
	return n.command("log", n.ofMachine(), choosing) + " --by partition,user,account,qos --format table"
}

// byTheClock returns the study under a rule by the clock.
func (n *nextCommands) byTheClock(rule string) string {
	return n.onMachine("study") + " --start-window '" + rule + "'"
}

// onPartition returns the command that replays the jobs of a partition under EASY on its nodes, and on up to four times as many.
func (n *nextCommands) onPartition(name string, nodes int) string {
	others := slices.DeleteFunc(slices.Clone(choosing), func(flag string) bool { return flag == "partition" })
	step := strconv.Itoa(nodes)
	machine := " --partition " + words.Quoted(name) + " --nodes " + step + ":" + strconv.Itoa(4*nodes) + ":" + step + n.ofUnit()
	return n.command("replay", machine, others) + " --policy easy --format table"
}
