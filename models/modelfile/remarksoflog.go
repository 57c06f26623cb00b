package modelfile

import (
	"fmt"
	"strings"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/words"
)

// RemarksOfLog returns the remarks on a system that was made of a log, by the fields of the model file. The file is fitted to the
// log, whose name may be "". The jobs offered the logged load to the machine on the nodes that they had. There are no remarks on
// no system.
func RemarksOfLog(log string, s *models.System, loggedLoad float64) map[string]string {
	if s == nil {
		return nil
	}
	from := "a job log"
	if log != "" {
		from = "the log " + oneLine(log)
	}
	remarks := map[string]string{
		"": "What partwise made of " + from + ". Change what is a guess, and solve it again:\n" +
			"partwise solve, curve, breakeven, report and validate --log take this file.",
		"machine": fmt.Sprintf("Nodes are given in units of min_nodes: at most %s share the machine, whatever they asked for. Large units keep\n"+
			"the chain small, and resizing gains more with them: compare other units (partwise init from-log --min-nodes).",
			words.Count(s.Partitions(), "job")),
		"arrivals": "Fitted to the log, whose clock ticks in seconds. In place of renewal arrivals, partwise fit --family map makes\n" +
			fmt.Sprintf("correlated ones. The load is %s by run times on min_nodes nodes; on the nodes that jobs had it was %s "+
				"(partwise log).",
				words.Load(s.Load()), words.Load(loggedLoad)),
		"jobs": "Demands are run times on ONE node, fitted to the log. The speedup is a guess: no log tells what jobs do on other\n" +
			"numbers of nodes.",
		"dynamic": "How long a job that is resized stands still, on average: a guess as well, unless it was measured. Published are 15\n" +
			"to 250 s for a restart from a checkpoint, and a few seconds for jobs that are resized in place; see partwise init\nfrom-log.",
		"dynamic.stops": "resized: those that are resized, and the newcomer; all: everybody.",
	}
	if len(s.Classes) > 0 {
		remarks["jobs"] = "Classes of jobs by the nodes that they asked for; share is the number of jobs. That a job can use up to " +
			"max_nodes is a\nguess, a multiple of those nodes.\n" + remarks["jobs"]
	}
	if len(s.Classes) > 1 {
		remarks["dynamic.stops"] = "all: everybody. The chain of classes knows nothing else."
	}
	return remarks
}

// oneLine returns a text without line breaks, which end a comment.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
