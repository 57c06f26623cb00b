package joblog_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/partwise/partwise/models/workload/joblog"
)

// steadyJobs are jobs of two nodes that come every six hours from 1 March 2024 on, wait for ten minutes and run for an hour.
func steadyJobs(n int) []drawn {
	var jobs []drawn
	for i := range n {
		submit := int64(1709280000 + 6*3600*i)
		jobs = append(jobs, drawn{id: i + 1, user: "u", queue: "q", submit: submit, start: submit + 600, end: submit + 4200, nodes: 2, gpus: 1,
			state: "COMPLETED"})
	}
	return jobs
}

// Every format sets the same impossible times apart. The other jobs stay as they are.
func TestImpossibleTimesInEveryFormat(t *testing.T) {
	const day = 86400
	for _, c := range []struct {
		what  string
		spoil func(d *drawn)
	}{
		{startsEarly, func(d *drawn) { d.start = d.submit - 7200 }},
		{endsEarly, func(d *drawn) { d.end = d.start - 1800 }},
		{farAway, func(d *drawn) { d.submit, d.start, d.end = d.submit+3*365*day, d.start+3*365*day, d.end+3*365*day }},
		{farAway, func(d *drawn) { d.end += 5 * 365 * day }},
		{tooLongRun, func(d *drawn) { d.end += 100 * day }},
	} {
		for format, write := range writers {
			t.Run(fmt.Sprint(format, " ", c.what), func(t *testing.T) {
				jobs := steadyJobs(100)
				c.spoil(&jobs[40])
				l := readText(t, write(jobs), joblog.Options{})
				if l.Format != format {
					t.Errorf("recognised as %q", l.Format)
				}
				if len(l.Jobs) != 99 || held(&l) != 2*99 || len(l.Apart) != 1 || found(&l, c.what) != 1 || l.Lost.Lines != 1 {
					t.Errorf("%d jobs with %g node-hours, %d apart, lost %+v, found %v", len(l.Jobs), held(&l), len(l.Apart), l.Lost, l.Findings)
				}
			})
		}
	}
}

// Jobs of ElastiSim have run times and no starts.
func TestImpossibleTimesOfElastiSim(t *testing.T) {
	var jobs []any
	for i := range 100 {
		submit := 3600 * i
		if i == 40 {
			submit += 1_000_000_000
		}
		jobs = append(jobs, map[string]any{"submit_time": submit, "num_nodes": 2, "application_model": "a", "arguments": map[string]any{"run_time": 60}})
	}
	jobs = append(jobs, map[string]any{"submit_time": 1, "application_model": "a"})
	l := readText(t, asText(map[string]any{"jobs": jobs}), joblog.Options{})
	if len(l.Jobs) != 99 || found(&l, farAway) != 1 || l.Lost.Lines != 2 || !(l.Lost.Share > 0.015 && l.Lost.Share < 0.025) {
		t.Errorf("%d jobs, lost %+v, found %v", len(l.Jobs), l.Lost, l.Findings)
	}
}

// A long run is believed if the limit of the job allows it, if another job ran while it did, if it took a month, or if there are
// few jobs.
func TestLongRunsThatAreBelieved(t *testing.T) {
	const day = 86400
	for name, jobs := range map[string][]drawn{
		"a limit":   func() []drawn { j := steadyJobs(100); j[40].end += 100 * day; j[40].limit = 101 * day; return j }(),
		"a month":   func() []drawn { j := steadyJobs(20); j[4].end += 30 * day; return j }(),
		"few jobs":  func() []drawn { j := steadyJobs(9); j[4].end += 100 * day; return j }(),
		"long log":  func() []drawn { j := steadyJobs(1000); j[4].end += 200 * day; return j }(),
		"long jobs": func() []drawn { j := steadyJobs(100); j[4].end += 40 * day; j[99].end += 20 * day; return j }(),
	} {
		l := readText(t, writeSacct(jobs), joblog.Options{})
		if len(l.Jobs) != len(jobs) || len(l.Apart) != 0 {
			t.Errorf("%s: %d jobs of %d, %v", name, len(l.Jobs), len(jobs), l.Findings)
		}
	}
	jobs := steadyJobs(100)
	jobs[40].end += 100 * day
	jobs[60].end += 200 * day
	if l := readText(t, writeSacct(jobs), joblog.Options{}); found(&l, tooLongRun) != 2 {
		t.Errorf("two runs that are too long, of different lengths: %v", l.Findings)
	}
}

// The jobs of a log with those set apart are all jobs that can be run, in the order of their submission.
func TestWithApart(t *testing.T) {
	for format, write := range writers {
		jobs := steadyJobs(100)
		jobs[30].start -= 7200                                            // before the submission
		jobs[50].end = jobs[50].start - 5                                 // tells no run time
		jobs[70].end += 5 * 365 * 86400                                   // far away
		jobs[80].submit -= 3 * 365 * 86400                                // far away, and before all others
		jobs[90].submit, jobs[90].start = jobs[90].start, jobs[90].submit // before the submission
		if format == joblog.SWF {                                         // which has no submission before the first
			jobs[80].submit += 3 * 365 * 86400
		}
		log, list, err := joblog.Pack(strings.NewReader(write(jobs)), "f", joblog.Options{})
		if err != nil {
			t.Fatal(err)
		}
		with, moved := log.WithApart(list)
		all := with.Jobs()
		if first := slices.MinFunc(log.Apart, joblog.BySubmission); moved != max(0, -first.Submit) {
			t.Errorf("%s: times moved by %g s, with a job at %g s", format, moved, first.Submit)
		}
		if len(all) != 99 || list.Len() != 100-len(log.Apart) || all[0].Submit < 0 || !slices.IsSortedFunc(all, joblog.BySubmission) {
			t.Errorf("%s: %d jobs, %d without those apart, from %g s on", format, len(all), list.Len(), all[0].Submit)
		}
		if format != joblog.SWF && all[0].Submit != 0 {
			t.Errorf("%s: the first job is submitted at %g", format, all[0].Submit)
		}
	}
	log, list, err := joblog.Pack(strings.NewReader(writeSWF(steadyJobs(20))), "f", joblog.Options{})
	if same, moved := log.WithApart(list); err != nil || same != list || moved != 0 {
		t.Errorf("without jobs apart the list is another: %v", err)
	}
}

// TestScanLeavesImpossibleJobsOut: jobs that are read one by one are judged by the order of their times, as those of a whole log.
func TestScanLeavesImpossibleJobsOut(t *testing.T) {
	text := "; MaxNodes: 4\n" +
		"1 0 0 10 1 -1 -1 1 10 -1 1 1 1 1 1 1 -1 -1\n" +
		"2 5 -500 10 1 -1 -1 1 10 -1 1 1 1 1 1 1 -1 -1\n" +
		"3 9 0 -20 1 -1 -1 1 10 -1 1 1 1 1 1 1 -1 -1\n" +
		"4 9 0 30 1 -1 -1 1 10 -1 1 1 1 1 1 1 -1 -1\n"
	var given []int
	scanned, err := joblog.Scan(strings.NewReader(text), "f", joblog.Options{Format: joblog.SWF}, func(j *joblog.Job) bool {
		given = append(given, j.ID)
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := joblog.Read(strings.NewReader(text), "f", joblog.Options{Format: joblog.SWF})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(given, []int{1, 4}) {
		t.Errorf("jobs %v are given, want 1 and 4", given)
	}
	if scanned.Lost != whole.Lost || !slices.Equal(scanned.Findings, whole.Findings) {
		t.Errorf("one by one %+v, %+v; of the whole log %+v, %+v", scanned.Lost, scanned.Findings, whole.Lost, whole.Findings)
	}
}
