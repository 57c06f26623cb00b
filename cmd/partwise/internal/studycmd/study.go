// Package studycmd is the command that goes from a log to a decision: study.
//
//	flags → study.OfLog → study.Answer → page, JSON, table
//
// The log decides, by replays of its jobs. The chain is one section: what it says of the same machine, and why it differs.
package studycmd

import (
	"cmp"
	_ "embed"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/progress"
	"github.com/partwise/partwise/cmd/partwise/internal/replayview"
	"github.com/partwise/partwise/cmd/partwise/internal/reportcmd"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/advise"
	"github.com/partwise/partwise/validate/replay"
	"github.com/partwise/partwise/validate/study"
)

//go:embed study.txt
var help string

// Study is the command that studies a log.
func Study() cli.Command { return command(newOptions) }

func command(fresh func() *options) cli.Command {
	return cli.WithOptions(fresh, run, cli.Described(help, cli.Command{
		Formats: []string{"json", "table"},
		First:   []string{"nodes", "summary", "output", "partition", "pool", "unit-of-allocation", "resize-cost", "time-zone"},
	}))
}

// options are the flags of study.
type options struct {
	input.LogOptions
	input.Assuming
	pool    study.Pooling // "": the one that gives the waits of the log, or comes closest
	samples int
	load    float64              // 0: as logged
	model   string               // the model file; "": none
	jobs    string               // the file of the jobs; "": none
	watch   func(*progress.Plan) // of tests
}

func newOptions() *options {
	o := &options{Assuming: input.NewAssuming()}
	o.SeveralNodes()
	o.Unit, o.UnitWords = 0, "such that at most 16 jobs share the machine of the chain" // see study.DivisionOf
	return o
}

// Flags binds the flags.
func (o *options) Flags() []cli.Flag {
	return slices.Concat(cli.Explained(o.LogOptions.Flags(), "nodes", "time-zone", "partition", "unit-of-allocation"),
		o.Assuming.Flags(""), o.FactorFlags(), []cli.Flag{
			cli.Summary(),
			cli.OwnOutput("write the page to `FILE`, a .html or .md (default: " + pageName + ")"),
			input.Pool(&o.pool, "tries both, and takes the one that gives the waits of the log"),
			cli.Explained([]cli.Flag{input.FlatCost(&o.Cost)}, "resize-cost")[0],
			o.WindowFlag(),
			input.OneLoad(&o.load, "replay", cli.About{
				Usage: "stretch the times between submissions to the load `LOAD`"}),
			cli.OutputFile(&o.model, "model", "write the model of the chain to the new `FILE`"),
			cli.OutputFile(&o.jobs, "swf-output", "write the jobs to `FILE`, in Standard Workload Format; the model is fitted to them"),
			cli.Int(&o.samples, "bootstrap", noneOrSeveral, cli.About{Hint: "for example --bootstrap 200, or 0 for none",
				Usage: "draw the weeks of the log again, fit and solve the chain `B` times", Default: "0"})})
}

// Check checks what cannot be asked for together. A model file that exists may have been edited: it is not overwritten.
func (o *options) Check(inv *cli.Invocation) error {
	if _, err := os.Stat(o.model); o.model != "" && !errors.Is(err, fs.ErrNotExist) {
		return fault.Usagef("name another file, or remove this one",
			"--model: %s exists, and may have been changed since it was written", o.model)
	}
	return cmp.Or(o.LogOptions.Check(inv), o.Assuming.Check(inv))
}

// noneOrSeveral checks a number of samples that may be 0.
func noneOrSeveral(n int) error {
	if n == 0 {
		return nil
	}
	return decide.SeveralSamples(n)
}

// pageName is the default name of the page.
const pageName = "study.html"

// pageOf returns the name of the page, which can be written.
func pageOf(inv *cli.Invocation) (string, error) {
	page := cmp.Or(inv.File, pageName)
	if ending := strings.ToLower(filepath.Ext(page)); ending != ".html" && ending != ".md" {
		return "", fault.Usagef("name a page, such as --output study.html or --output study.md; partwise replay --plot draws a picture",
			"--output: %s does not end in .html or .md", page)
	}
	return page, cmp.Or(inv.Files.Unread("output", page), output.Check(page))
}

// mostGarbage is the most garbage in per cent of the memory in use, see [input.SpareMemory]. A study of a million jobs takes some
// 430 MB with it.
const mostGarbage = 50

func run(inv *cli.Invocation, o *options) error {
	page, err := pageOf(inv)
	if err != nil {
		return err
	}
	var warnings []string
	inv.Warned = func(text string) { warnings = append(warnings, text) }
	foresight, clear := newForesight(inv, o.watch)
	defer clear()
	log, unit, err := o.readLog(inv)
	if err != nil {
		return err
	}
	foresight.read(log.Offer.Jobs)
	defer input.SpareMemory(log.Offer.Jobs, mostGarbage)()
	answer, err := study.OfLog(inv.Context, log.Log, o.Unit, o.Assumptions, o.settings(inv, log, unit, foresight))
	if err != nil {
		return input.Misfit(err)
	}
	log.WarnOverload()
	machines := replayview.Machines{Machines: answer.Machines}
	if text := machines.StatedNodes(); text != "" {
		inv.Warnf("%s: %s", log.Name, text)
	}
	on := *log
	on.Log = answer.Machine().Log
	v := newView(inv, o, &on, answer, foresight)
	v.page = page
	clear()
	if answer.Gains.SameLoad != nil {
		inv.Warnf("forecasts are for another stretch with the same load; with another one, %s", fault.Plain(answer.Gains.SameLoad))
	}
	for _, text := range v.logged.Warnings(log.Assumed != nil) {
		inv.Warnf("%s: %s", log.Name, text)
	}
	v.warnings, v.next = asSentences(log.Name, warnings), &nextCommands{inv, answer.Machine()}
	return o.write(inv, v)
}

// readLog reads the log, as far as the flags select it, and says what was left out. Each partition has the nodes on which its
// jobs ran. The unit of sizes is "" unless the command line fixes it.
func (o *options) readLog(inv *cli.Invocation) (log *input.Selection, unit joblog.Unit, err error) {
	o.NameNodes()
	o.AssumeNodes()
	unit = o.KeepCPUs()
	if log, err = o.Select(inv, inv.Args[0]); err != nil {
		return nil, unit, err
	}
	if err := o.KeepWindow(log); err != nil {
		return nil, unit, err
	}
	if log, err = log.AtLoad(o.load); err != nil {
		return nil, unit, err
	}
	log.WarnSkipped()
	return log, unit, nil
}

// settings returns how the log is studied.
func (o *options) settings(inv *cli.Invocation, log *input.Selection, unit joblog.Unit, f *foresight) study.Settings {
	machine := policy.Machine{Nodes: log.Nodes, Unit: max(1, o.Unit)}
	return study.Settings{
		Pooling: o.pool, Unit: unit, NodesStated: inv.Given("nodes"), MoreNodes: o.Numbers(), Samples: o.samples,
		Table: inv.Table, Memory: inv.Memory, Workers: inv.Workers, Observer: f.observer(),
		Carried: func(a *advise.Advice) []advise.Carried {
			return advise.CarriedOut(advise.Ways(a.Rule, 1, a.Split(machine)))
		},
	}
}

// write writes the files that are asked for, the page and the result.
func (o *options) write(inv *cli.Invocation, v *view) error {
	if err := o.writeSources(inv, v); err != nil {
		return err
	}
	if err := o.writePage(inv, v); err != nil {
		return err
	}
	if err := inv.Emit(v.result()); err != nil {
		return err
	}
	inv.Notef("wrote %s", words.And(words.NonEmpty(v.page, v.model, v.jobs)))
	return v.differ()
}

// asSentences returns warnings of a file as sentences without the name of the file.
func asSentences(file string, warnings []string) []string {
	return words.Texts(warnings, func(text string) string {
		text = strings.TrimPrefix(text, file+": ")
		if strings.HasSuffix(text, "?") {
			return words.Capitalized(text)
		}
		return words.Sentence(strings.TrimSuffix(text, "."))
	})
}

// writeSources writes the jobs and the model, as far as they are asked for. Without a model there is a warning.
func (o *options) writeSources(inv *cli.Invocation, v *view) error {
	if o.jobs != "" {
		if err := v.writeJobs(inv, o.jobs); err != nil {
			return err
		}
		v.jobs = o.jobs
	}
	if o.model == "" {
		return nil
	}
	if v.Chain.Draft == nil {
		inv.Warnf("--model: %s is not written, because there is no model: %s", o.model, v.noChain())
		return nil
	}
	v.model = o.model
	return output.WriteFile(o.model, func(w io.Writer) error {
		return input.WriteDraft(w, v.Chain.Draft, v.title(), o.model, o.jobs)
	})
}

// writeJobs writes the jobs that the model is fitted to. Where partitions are machines of their own, these are the jobs of one.
func (v *view) writeJobs(inv *cli.Invocation, file string) error {
	machine := *v.log.Log // another header than that of the log that was read
	log, jobs := *v.log, v.Log.Jobs
	log.Log = &machine
	if v.Pool != nil {
		part, err := log.Partition(v.Pool)
		if err != nil {
			return err
		}
		if jobs, err = part.List(0); err != nil {
			return err
		}
		log = *part
		inv.Notef("%s: holds the %s of partition %s, whose jobs wait longest", file, words.Count(jobs.Len(), "job"), v.Pool.Name)
	}
	if log.Nodes != log.Header.Size() {
		log.Header.StateSize(log.Nodes)
	}
	return log.WriteSWF(file, jobs)
}

// writePage writes the page.
func (o *options) writePage(inv *cli.Invocation, v *view) error {
	title, parts := v.document()
	return reportcmd.WritePage(v.page, title, parts, nil, o.command(inv))
}

// command returns the words that make the page again.
func (o *options) command(inv *cli.Invocation) string {
	return input.CommandLine(inv, "study", "", "nodes", "pool", "min-nodes", "resize-cost", "stops", "speedup",
		"min-factor", "max-factor", "start-window",
		"bootstrap", "interarrival", "load", "from", "to", "sizes", "status", "partition", "user", "account", "qos",
		"log-format", "fields", "unit-of-allocation", "time-zone", "allow-skipped", "output", "model", "swf-output")
}

// assumed returns what no flag gave.
func (o *options) assumed(inv *cli.Invocation) []output.Assumption {
	return o.Assumed(inv, replay.Setting{Policy: policy.EASYMalleable{}})
}
