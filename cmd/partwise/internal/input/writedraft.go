package input

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/validate/study"
)

// WriteDraft writes the draft of a model as a model file, which says what is fitted and what is a guess. The distributions are fitted to
// log whenever the file is read; without a log the file has the fitted numbers. file is the name of the model file, which names the log
// as it lies from there; "" is standard output.
func WriteDraft(w io.Writer, d *study.Draft, title, file, log string) error {
	m := &modelfile.Model{Title: title, TimeUnit: measure.Second(), System: d.System}
	return modelfile.WriteFitted(w, m, originsOf(d, seenFrom(file, log)))
}

// seenFrom returns the name of a log as it lies from the folder of a file, with slashes. "" stays "".
func seenFrom(file, log string) string {
	if file != "" && log != "" && !filepath.IsAbs(log) {
		if near, err := filepath.Rel(filepath.Dir(file), log); err == nil {
			log = near
		}
	}
	return filepath.ToSlash(log)
}

// originsOf returns what the distributions of a draft were fitted to, and the remarks on its guesses.
func originsOf(d *study.Draft, log string) modelfile.Origins {
	o := modelfile.Origins{Remarks: draftRemarks(d, log)}
	if log == "" {
		return o
	}
	o.Arrivals = fittedTo(&d.Arrivals, log)
	for k := range d.Demands {
		o.Demands = append(o.Demands, fittedTo(&d.Demands[k], log))
	}
	return o
}

// fittedTo returns what a distribution was fitted to, as a model file says it, so that a reader of the file can fit it
// again.
func fittedTo(f *study.Fit, log string) *modelfile.FittedTo {
	return &modelfile.FittedTo{File: log, Quantity: f.Quantity, Sizes: f.Sizes, Resolution: f.Resolution, Phases: f.Phases}
}

// draftRemarks returns the remarks on a draft by the fields of the model file.
func draftRemarks(d *study.Draft, log string) map[string]string {
	from := "a job log"
	if log != "" {
		from = "the log " + oneLine(log)
	}
	remarks := map[string]string{
		"": "What partwise made of " + from + ". Change what is a guess, and solve it again:\n" +
			"partwise solve, curve, breakeven, report and validate --log take this file.",
		"machine": fmt.Sprintf("Nodes are given in units of min_nodes: at most %s share the machine, whatever they asked for. Large units keep\n"+
			"the chain small, and resizing gains more with them: compare other units (partwise init from-log --min-nodes).",
			words.Count(d.System.Partitions(), "job")),
		"arrivals": "Fitted to the log, whose clock ticks in seconds. In place of renewal arrivals, partwise fit --family map makes\ncorrelated ones.",
		"jobs": "Demands are run times on ONE node, fitted to the log. The speedup is a guess: no log tells what jobs do on other\n" +
			"numbers of nodes.",
		"dynamic": "How long a job that is resized stands still, on average: a guess as well, unless it was measured. Published are 15\n" +
			"to 250 s for a restart from a checkpoint, and a few seconds for jobs that are resized in place; see partwise init\nfrom-log.",
		"dynamic.stops": "resized: those that are resized, and the newcomer; all: everybody.",
	}
	if len(d.System.Classes) > 0 {
		remarks["jobs"] = "Classes of jobs by the nodes that they asked for; share is the number of jobs. That a job can use up to max_nodes is a\n" +
			"guess, a multiple of those nodes.\n" + remarks["jobs"]
	}
	if len(d.System.Classes) > 1 {
		remarks["dynamic.stops"] = "all: everybody. The chain of classes knows nothing else."
	}
	return remarks
}

// oneLine returns a text without line breaks, which end a comment.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
