// A [JobModel] makes jobs as a published model of parallel workloads says that they come. Each entry of the table is a
// source of jobs in Standard Workload Format.

package workload

import (
	"fmt"
	"iter"
	"strings"

	"github.com/partwise/partwise/models/workload/joblog"
)

// JobModel makes jobs as they come to a parallel machine.
type JobModel interface {
	// Jobs returns jobs for a machine with the given number of nodes, in the order of their submission, without an end. All
	// that is random comes from u.
	Jobs(nodes int, u Uniform) (iter.Seq[joblog.Job], error)
}

// JobModelEntry is a line of the table of models.
type JobModelEntry struct {
	Name    string
	Summary string
	FromLog bool // the model is fitted to the jobs of a log
	New     func(jobs []joblog.Job) (JobModel, error)
}

// JobModels is the table of all models of jobs.
func JobModels() []JobModelEntry {
	return []JobModelEntry{
		{"feitelson96", "sizes harmonic, runs repeated, Poisson arrivals", false, fixed(feitelson96{})},
		{"feitelson96s", "the same with more small jobs", false, fixed(feitelson96{Small: true})},
		{"feitelson96l", "the same with longer runs", false, fixed(feitelson96{Long: true})},
		{"feitelson96sl", "the same with both", false, fixed(feitelson96{Small: true, Long: true})},
		{"lublin99", "run times that go with sizes, a daily cycle of arrivals", false, fixed(lublin99{})},
		{"jann97", "hyper-Erlang run and interarrival times by class of sizes, fitted to a log", true,
			func(jobs []joblog.Job) (JobModel, error) { return fitJann97(jobs) }},
	}
}

// fixed returns the function that makes a model which is not fitted to jobs.
func fixed(m JobModel) func([]joblog.Job) (JobModel, error) {
	return func([]joblog.Job) (JobModel, error) { return m, nil }
}

// JobModelNamed returns the entry of the table with the given name.
func JobModelNamed(name string) (JobModelEntry, error) {
	var names []string
	for _, e := range JobModels() {
		if e.Name == name {
			return e, nil
		}
		names = append(names, e.Name)
	}
	return JobModelEntry{}, fmt.Errorf("workload: unknown model %q: use %s", name, strings.Join(names, ", "))
}

// FirstJobs returns the first n jobs.
func FirstJobs(jobs iter.Seq[joblog.Job], n int) (first []joblog.Job) {
	for j := range jobs {
		if len(first) >= n {
			break
		}
		first = append(first, j)
	}
	return first
}

// made returns a job that a model made: nothing else is known of it.
func made(id int, submit, run float64, nodes int) joblog.Job {
	return joblog.Job{ID: id, Submit: submit, Wait: -1, Run: run, Processors: nodes, RequestedProcessors: nodes, ProcessorTime: -1,
		Memory: -1, Estimate: -1, RequestedMemory: -1, Status: joblog.Completed, User: -1, Group: -1, Application: -1, Queue: -1,
		Partition: -1, Preceding: -1, ThinkTime: -1}
}
