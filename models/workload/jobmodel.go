package workload

import (
	"fmt"
	"io"
	"strings"

	"github.com/partwise/partwise/models/workload/swf"
)

// JobModel makes jobs as they come to a parallel machine.
type JobModel interface {
	Name() string
	// Jobs returns a source of jobs for a machine with the given number of nodes, in the order of their submission,
	// without an end. All that is random comes from u.
	Jobs(nodes int, u Uniform) (swf.Source, error)
}

// JobModelEntry is a line of the table of models.
type JobModelEntry struct {
	Name    string
	Summary string
	FromLog bool // the model is fitted to the jobs of a log
	New     func(jobs []swf.Job) (JobModel, error)
}

// JobModels is the table of all models of jobs.
var JobModels = []JobModelEntry{
	{"feitelson96", "sizes harmonic, runs repeated, Poisson arrivals", false,
		func([]swf.Job) (JobModel, error) { return Feitelson96{}, nil }},
	{"feitelson96s", "the same with more small jobs", false,
		func([]swf.Job) (JobModel, error) { return Feitelson96{Small: true}, nil }},
	{"feitelson96l", "the same with longer runs", false,
		func([]swf.Job) (JobModel, error) { return Feitelson96{Long: true}, nil }},
	{"feitelson96sl", "the same with both", false,
		func([]swf.Job) (JobModel, error) { return Feitelson96{Small: true, Long: true}, nil }},
	{"lublin99", "run times that go with sizes, a daily cycle of arrivals", false,
		func([]swf.Job) (JobModel, error) { return Lublin99{}, nil }},
	{"jann97", "hyper-Erlang run and interarrival times by class of sizes, fitted to a log", true, fitJann},
}

func fitJann(jobs []swf.Job) (JobModel, error) { return FitJann97(jobs) }

// NamedJobModel returns the entry of the table with the given name.
func NamedJobModel(name string) (JobModelEntry, error) {
	names := make([]string, len(JobModels))
	for i, e := range JobModels {
		if e.Name == name {
			return e, nil
		}
		names[i] = e.Name
	}
	return JobModelEntry{}, fmt.Errorf("workload: unknown model %q: use %s", name, strings.Join(names, ", "))
}

// First returns the first n jobs of a source.
func First(in swf.Source, n int) swf.Source { return &first{in, n} }

type first struct {
	in   swf.Source
	left int
}

func (f *first) Next(j *swf.Job) error {
	if f.left <= 0 {
		return io.EOF
	}
	f.left--
	return f.in.Next(j)
}

// blank returns a job of which nothing is known.
func blank(id int) swf.Job {
	return swf.Job{ID: id, Wait: -1, ProcessorTime: -1, Memory: -1, RequestedProcessors: -1, Estimate: -1,
		RequestedMemory: -1, Status: swf.Completed, User: -1, Group: -1, Application: -1, Queue: -1, Partition: -1,
		Preceding: -1, ThinkTime: -1}
}
