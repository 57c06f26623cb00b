package lab

import (
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/lab/internal/epochs"
	"github.com/partwise/partwise/validate/sched"
)

type (
	// EpochExperiment is one of the experiments of McCann and Zahorjan; its method Do does the experiment at a point.
	EpochExperiment = epochs.Experiment
	// EpochCase is a machine with a number of jobs and the memory that the jobs need.
	EpochCase = epochs.Case
	// EpochPoint is a case with the other quantities that an experiment varies.
	EpochPoint = epochs.Point
	// EpochApplication says whether jobs adapt to the nodes that they get.
	EpochApplication = epochs.Application
	// EpochChoice is a policy that an experiment compares.
	EpochChoice = epochs.Choice
	// EpochOptions say how to do an experiment.
	EpochOptions = epochs.Options
	// EpochResult is what a policy makes of the jobs at a point.
	EpochResult = epochs.Result
)

// The experiments: how often nodes are reallocated, response times in closed systems, and response times of jobs that arrive.
const (
	OverheadExperiment = epochs.OverheadExperiment
	ResponseExperiment = epochs.ResponseExperiment
	OpenExperiment     = epochs.OpenExperiment
)

// The applications: jobs that keep the threads that they start with, and jobs that are repartitioned whenever their nodes change.
const (
	StaticApplication  = epochs.Static
	DynamicApplication = epochs.Dynamic
)

// EpochConfidence is the confidence level of all intervals of an [EpochResult].
const EpochConfidence = epochs.Confidence

// The bounds of a case.
const (
	MostEpochNodes = epochs.MostNodes
	MostEpochJobs  = epochs.MostJobs
)

// EpochChoices reads policies from texts. A policy that takes K, and is written without K, gets each value of ks.
func EpochChoices(table policy.Table, texts []string, ks []int) ([]EpochChoice, error) {
	return epochs.Choices(table, texts, ks)
}

// EpochSeries returns the names of the series of choices, in their order.
func EpochSeries(chosen []EpochChoice) []string { return epochs.SeriesOf(chosen) }

// EpochRules returns how the policies that make schedules of a quantum are written.
func EpochRules(table policy.Table) []string { return epochs.Rules(table) }

// ScheduleEpoch returns the checked schedule of a quantum for a problem, made by a policy of epochs.
func ScheduleEpoch(problem sched.EpochProblem, p policy.Policy) (sched.EpochSchedule, error) {
	return epochs.Schedule(problem, p)
}
