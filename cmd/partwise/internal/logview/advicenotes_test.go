package logview_test

import (
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/policy"
)

// TestAdviceNotes: the sentences say each parameter of a rule, and how it was selected.
func TestAdviceNotes(t *testing.T) {
	text, err := os.ReadFile("advicenotes.txt")
	if err != nil {
		t.Fatal(err)
	}
	sentences := output.ParseProse(string(text))
	usual := map[string]any{"Lead": "The rule:", "Rule": policy.Resize{}, "Unit": "s", "Jobs": 0, "Tried": 0, "Left": 3, "Candidates": 40, "Sure": true,
		"Probability": 0.95, "Indifference": 0.01, "Static": 0, "Node": "node", "NodesOfJob": 16, "Flat": []string(nil), "Rigid": false,
		"Overloaded": "", "Losing": ""}
	for want, changed := range map[string]map[string]any{
		"The rule: divide the nodes evenly when jobs come or go.": {},
		"The rule: divide the nodes evenly among at most 7 jobs, into at least 2 shares when a job ends, if that changes shares by a " +
			"factor of 1.5 or more, after 3 changes; make jobs smaller only if at least 5 jobs wait; leave at least 60 s between two resizes.": {
			"Rule": policy.Resize{Cap: 7, Floor: 2, Departures: true, Hysteresis: 1.5, Batch: 3, Wait: 5, Cooldown: 60}},
		"The rule: divide the nodes evenly among at most 4 jobs, into at least 4 shares, and never resize a job.": {
			"Rule": policy.Resize{Cap: 4, Floor: 4, Cooldown: 60}},
		"when jobs come or go; make jobs smaller only if at least one job waits.":                                              {"Rule": policy.Resize{Wait: 1}},
		"3 of the 40 rules tried are statistically as good as the best, at the level 0.95.":                                    {"Jobs": 1000, "Tried": 1000},
		"All 40 rules tried are statistically as good as the best, at the level 0.95.":                                         {"Jobs": 1000, "Tried": 1000, "Left": 40},
		"at the level 0.95. They were tried on 50 jobs of some weeks alone; another rule may be better on all 1,000 jobs.":     {"Jobs": 1000, "Tried": 50},
		"With probability 0.95 no other of the 40 rules tried is more than 1.0 % better.":                                      {},
		"The selection ended at --jobs: with probability 0.95 the best rule is one of 3 of the 40 rules tried.":                {"Sure": false},
		"Rigid jobs (fcfs, easy) are not compared: the jobs of the model do not say how many nodes they ask for.":              {},
		"Rigid jobs are not compared: under fcfs they cannot keep up with these arrivals.":                                     {"Rigid": true, "Overloaded": "fcfs"},
		"Without one, jobs of 16 nodes each (static:2) are best.":                                                              {"Static": 2},
		"Without one, jobs of 16 CPUs each (static:2) are best.":                                                               {"Static": 2, "Node": "CPU"},
		"The rule: divide the CPUs evenly when jobs come or go.":                                                               {"Node": "CPU"},
		"Use static:2 in place of the rule where the rule would be carried out by ray: jobs would take more time by it there.": {"Static": 2, "Losing": "ray"},
		"Less than 1 % is lost if one of these is changed: a; b.":                                                              {"Flat": []string{"a", "b"}},
	} {
		about := maps.Clone(usual)
		maps.Copy(about, changed)
		if text := strings.Join(sentences.Sentences("notes", about), "\n"); !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for jobs, want := range map[int]string{0: "Shaded: 95 % intervals. The rule was selected on other jobs; rules that differ by less than 1.0 % " +
		"are equally good there.", 5: "Shaded: 95 % intervals. The best rule of this log need not be the best of the next."} {
		if got := sentences.Sentences("figure", map[string]any{"Level": 95.0, "Jobs": jobs, "Indifference": 0.01}); len(got) != 1 || got[0] != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}
