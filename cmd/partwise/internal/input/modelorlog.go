package input

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/words"
)

// IsModel reports whether the file of a command that takes a model or a log is a model. A queue in Kendall's notation is a model.
func IsModel(path string) bool {
	return modelfile.IsQueue(path) || slices.Contains([]string{".yaml", ".yml", ".json"}, strings.ToLower(filepath.Ext(path)))
}

// CheckKind refuses the flags of logs with a model, and the flags of models with a log.
func CheckKind(inv *cli.Invocation, ofModels, ofLogs []string) error {
	wrong, kind, other := ofModels, "a job log", "models"
	if IsModel(inv.Args[0]) {
		wrong, kind, other = ofLogs, "a model", "job logs"
	}
	if flag := inv.FirstGiven(wrong...); flag != "" {
		hint := "leave --" + flag + " out"
		if path := cli.InModels(flag); path != "" && kind == "a model" {
			hint = "the model says it: change " + path + " in its file"
		}
		return fault.Usagef(hint, "--%s is for %s, and %s is %s", flag, other, inv.Args[0], kind)
	}
	return nil
}

// Heading returns a title for results about jobs of the log, and the first fields of the results.
func (l *Selection) Heading(jobs, minNodes int, load float64) (title string, o output.Object) {
	unit := output.UnitWord(l.SizesIn())
	machine := words.Count(l.Capacity(), unit)
	if l.Pools != nil {
		machine += " in " + words.Count(len(l.Pools.List), "partition")
	}
	title = fmt.Sprintf("%s: %s on %s", l.Name, words.Count(jobs, "job"), machine)
	if words.Finite(load) {
		title += ", load " + words.Load(load)
	}
	o = output.Pairs("version", output.Version, "log", l.Name, "jobs", jobs, output.TimeUnit, "s",
		"machine", output.Pairs("nodes", l.Nodes, "min_nodes", minNodes), "load", load)
	return title, o
}
