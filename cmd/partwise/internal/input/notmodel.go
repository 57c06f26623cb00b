package input

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload/joblog"
)

// misread returns the error of a file that was read as a model or a study. If the file is something else, such as a job log, the
// error says what, and the hint which command reads it.
func misread(inv *cli.Invocation, name string, err error) error {
	var queue *modelfile.QueueError
	if errors.As(err, &queue) {
		return fault.Usagef("for example partwise "+inv.Command+" '"+queue.Similar()+"' --load 0.7", "%s", fault.Plain(err))
	}
	if modelfile.IsBinary(beginning(name)) {
		return fault.Hint(fault.ExitInput, "a model file is YAML or JSON, see partwise init",
			fmt.Errorf("%s: not a model file, but binary data", name))
	}
	var found modelfile.Errors
	if !errors.As(err, &found) || len(found) == 0 || found[0].File != name {
		return err
	}
	if text := beginning(name); found.SayNothing(text) {
		if found.Concern("kind") { // a key of fitted distributions and arrival processes, and of no model
			return fault.Hint(fault.ExitInput,
				fmt.Sprintf("a model refers to it, such as demand: {file: %s}; partwise ph show describes it", name),
				fmt.Errorf("%s: not a model file, but a fitted distribution or arrival process", name))
		}
		kind, _, _ := strings.Cut(joblog.Kind(text), ";")
		for _, k := range kindsOfFiles {
			if strings.HasPrefix(kind, k.kind) && (k.kind != table || !IsModel(name)) {
				return fault.Hint(fault.ExitInput, k.hint, fmt.Errorf("%s: not a model file, but %s", name, kind))
			}
		}
	}
	if found[0].Path == "" && found[0].Line == 1 && !strings.HasPrefix(found[0].Problem, "is not JSON") {
		return fault.Hint(fault.ExitInput, ofTimes+", a job log by partwise study", err)
	}
	return err
}

// table is what a model file that is damaged may look like, too.
const table = "a table"

const ofTimes = "measured times go into a model by partwise fit and partwise init from-log"

// kindsOfFiles are files that cannot be meant as models, as [joblog.Kind] calls them, with what reads them.
var kindsOfFiles = []struct{ kind, hint string }{
	{"a job log", "partwise study reads it; partwise init from-log LOG makes a model of it"},
	{"a page for browsers", "open it in a browser; a model file is YAML or JSON, see partwise init"},
	{"XML", "a model file is YAML or JSON, see partwise init"},
	{table, ofTimes},
}

// beginning returns the first bytes of a regular file, and nothing of any other.
func beginning(name string) []byte {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 1<<16))
	if err != nil {
		return nil
	}
	return text
}

// orStudy returns the error of a file that is not a model. If the file is a study, the error says which command reads it.
func orStudy(inv *cli.Invocation, err error) error {
	var found modelfile.Errors
	if !errors.As(err, &found) || !found.Concern("series") {
		return err
	}
	return fault.Hint(fault.ExitInput,
		fmt.Sprintf("partwise curve %s solves it; %s takes one of its models", words.Quoted(inv.Args[0]), inv.Command),
		fmt.Errorf("%s is a study, not a model", inv.Args[0]))
}
