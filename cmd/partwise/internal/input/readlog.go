package input

import (
	"errors"
	"fmt"
	"time"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload/joblog"
)

// Reading are the flags that say how a job log is read. The zero value recognises its format.
type Reading struct {
	Options      joblog.Options
	allowSkipped bool
}

// Flags binds the flags.
func (r *Reading) Flags() []cli.Flag {
	return append(r.FormatFlags(), topic(cli.Switch(&r.allowSkipped, "allow-skipped", fmt.Sprintf(
		"go on if jobs that cannot be run held more than %g %% of the node-seconds of the log", 100*UsuallyLost))).Referred()...)
}

// NameNodes has the names of the nodes kept on which jobs ran, unless sizes count GPUs. The size of the machine and of its
// partitions follows from them.
func (r *Reading) NameNodes() { r.Options.NodeNames = r.Options.Unit != joblog.InGPUs }

// KeepCPUs has the CPUs of jobs kept beside their nodes, unless the command line fixes the unit of sizes. It returns that unit,
// "" where the command line does not fix it.
func (r *Reading) KeepCPUs() joblog.Unit {
	r.Options.CPUs = r.Options.Unit == ""
	return r.Options.Unit
}

// FormatFlags binds the flags that say what the log looks like.
func (r *Reading) FormatFlags() []cli.Flag {
	return topic(
		cli.Choice(&r.Options.Format, "log-format", "unknown format", joblog.Formats(), cli.About{
			Default: "recognised by how the log begins", Usage: "read the log in the format `FORMAT`:"}),
		cli.Text(&r.Options.Fields, "fields", cli.About{Default: "as the first line of the log says",
			Usage: "read a table without a header, such as sacct --noheader writes, with columns of the `NAMES` that sacct gives them",
			Hint:  "for example --fields JobID,Submit,Start,End,AllocNodes,State"}),
		cli.Choice(&r.Options.Unit, "unit-of-allocation", "unknown unit", joblog.Units(), cli.About{
			Default: "nodes; the processors of a log in SWF", Usage: "count the sizes of jobs, and --nodes of the machine, in " +
				"`UNIT`:"}),
		cli.Value(&r.Options.Location, "time-zone", parseZone, cli.About{Default: "UTC",
			Usage: "read times without a zone as those of `ZONE`, such as Europe/Berlin",
			Hint:  "for example --time-zone Europe/Berlin"})).Referred()
}

// Given returns the first of the flags that the command line gives, "" if it gives none.
func (r *Reading) Given(inv *cli.Invocation) string {
	return inv.FirstGiven(cli.Names(r.Flags())...)
}

// parseZone reads the name of a time zone of the IANA database; the empty name is no zone.
func parseZone(name string) (*time.Location, error) {
	if name == "" {
		return nil, nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil || name == "Local" {
		return nil, fmt.Errorf("%q is not a time zone of the IANA database", name)
	}
	return zone, nil
}

// bytesOfJob is what a job takes that is kept, with what is made from it, room for the list to grow, and for garbage.
const bytesOfJob = 1000

// WithRemedy says what can be done about a file that is not a log, and about one of more jobs than fit into memory.
func WithRemedy(err error) error {
	switch {
	case errors.Is(err, joblog.ErrNotLog):
		return fault.Hint(fault.ExitInput, "partwise solve takes a model file, partwise fit a table of measured "+
			"times; --fields names the columns of a table without its header, --log-format the format of a job log: "+
			words.Or(words.Strings(joblog.Formats())), err)
	case errors.Is(err, joblog.ErrTooMany):
		return fault.Hint(fault.ExitTooLarge, "choose some of its jobs, as by --from and --to, or raise --memory", err)
	}
	return err
}

// ReadLog reads a whole log, and warns of what is wrong with it.
func (r *Reading) ReadLog(inv *cli.Invocation, path string) (joblog.Log, error) {
	log, list, err := r.pack(inv, path)
	if err != nil {
		return log, WithRemedy(err)
	}
	WarnFindings(inv, cli.NameOf(path), log.Findings)
	log.Jobs = list.Jobs()
	return log, nil
}

// pack reads a log and returns it without jobs, and its jobs as a list that takes little memory.
func (r *Reading) pack(inv *cli.Invocation, path string) (joblog.Log, *joblog.List, error) {
	file, name, err := inv.Open(path)
	if err != nil {
		return joblog.Log{}, nil, err
	}
	defer file.Close()
	o := r.Options
	o.Most = inv.MostKept(bytesOfJob)
	return joblog.Pack(file, name, o)
}

// WarnFindings prints as warnings what was found in a log.
func WarnFindings(inv *cli.Invocation, name string, found []joblog.Finding) {
	for _, text := range joblog.Sentences(found) {
		inv.Warnf("%s: %s", name, text)
	}
}
