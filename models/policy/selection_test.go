package policy_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/partwise/partwise/models/policy"
)

// TestSelect: on six nodes.
func TestSelect(t *testing.T) {
	statics := []string{"static:1", "static:2", "static:3", "static:6"}
	for _, c := range []struct {
		texts       string
		run, named  []string
		best, every bool
	}{
		{"dynamic", []string{"dynamic"}, []string{"dynamic"}, false, false},
		{"static", statics, statics, false, true},
		{"best-static", statics, nil, true, true},
		{"static:3 best-static", []string{"static:3", "static:1", "static:2", "static:6"}, []string{"static:3"}, true, true},
		{"dynamic best-static dynamic", append([]string{"dynamic"}, statics...), []string{"dynamic"}, true, true},
		{"static:6 static:3 static:2 static:1", []string{"static:6", "static:3", "static:2", "static:1"},
			[]string{"static:6", "static:3", "static:2", "static:1"}, false, true},
		{"static:2 static", []string{"static:2", "static:1", "static:3", "static:6"},
			[]string{"static:2", "static:1", "static:3", "static:6"}, false, true},
		{"capped:5 smoothing:60,1 smoothing:60", []string{"capped:5", "smoothing:60"}, []string{"capped:5", "smoothing:60"},
			false, false},
		{"", nil, nil, false, false},
	} {
		s, err := table.Select(sixNodes, policy.Chain, strings.Fields(c.texts)...)
		if err != nil {
			t.Errorf("%s: %v", c.texts, err)
			continue
		}
		if diff := cmp.Diff(c.run, texts(s.Run)); diff != "" {
			t.Errorf("%s: run (-want +got)\n%s", c.texts, diff)
		}
		if diff := cmp.Diff(c.named, texts(s.Named)); diff != "" {
			t.Errorf("%s: named (-want +got)\n%s", c.texts, diff)
		}
		if s.Best != c.best || s.Every != c.every {
			t.Errorf("%s: best %v, every %v", c.texts, s.Best, s.Every)
		}
	}
}

func texts(policies []policy.Policy) []string {
	var all []string
	for _, p := range policies {
		all = append(all, p.String())
	}
	return all
}

// TestAddRunsWithoutShowing: what is added is run once and not shown.
func TestAddRunsWithoutShowing(t *testing.T) {
	s, err := table.Select(sixNodes, policy.Chain, "dynamic")
	if err != nil {
		t.Fatal(err)
	}
	s.Add(policy.Dynamic{}, policy.Static{Partitions: 2})
	if fmt.Sprint(texts(s.Run), texts(s.Named)) != "[dynamic static:2] [dynamic]" {
		t.Errorf("runs %v, shows %v", s.Run, s.Named)
	}
}

// TestSelectRefuses: what is wrong is a typed error, with what would be right.
func TestSelectRefuses(t *testing.T) {
	for _, c := range []struct {
		on         policy.Runner
		text, want string
		as         any
	}{
		{policy.Chain, "folding", "folding has no exact chain", new(*policy.RunnerError)},
		{policy.Chain, "limited:30", "limited:30 has no exact chain", new(*policy.RunnerError)},
		{policy.Chain, "easy", "easy has no exact chain", new(*policy.RunnerError)},
		{policy.Chain, "static:4", "policy static:4: the machine can be split into 1, 2, 3, 6 equal partitions",
			new(*policy.ParameterError)},
		{policy.Chain, "capped:7", "policy capped:7: at most K jobs can run at once, K = 1..6", new(*policy.ParameterError)},
		{policy.WholeNodes, "capped", "policy capped: write capped:K with the largest number of jobs that run",
			new(*policy.ParameterError)},
		{policy.Chain, "magic", `unknown policy "magic"; there are ` + strings.Join(table.Choices(policy.Chain), ", "),
			new(*policy.UnknownError)},
	} {
		s, err := table.Select(sixNodes, c.on, "dynamic", c.text)
		if s != nil || err == nil || err.Error() != c.want || !errors.As(err, c.as) {
			t.Errorf("%s: %v, want %s", c.text, err, c.want)
		}
	}
	for _, text := range []string{"dynamic:2", "smoothing", "smoothing:-1", "folding:2", "limited"} {
		if _, err := table.Select(sixNodes, policy.WholeNodes, text); !errors.As(err, new(*policy.ParameterError)) {
			t.Errorf("%s: %v", text, err)
		}
	}
	onlyChain := table.With(policy.Entry{Name: "own", RunsOn: policy.Chain,
		New: func(string) (policy.Policy, error) { return own{}, nil }})
	_, err := onlyChain.Select(sixNodes, policy.WholeNodes, "own")
	if want := "own does not run on the simulated machine"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestExampleFitsTheMachine: where only the machine forbids a parameter, the example is one that it allows.
func TestExampleFitsTheMachine(t *testing.T) {
	for text, want := range map[string]string{"static:4": "static:3", "static:5": "static:6", "static:100": "static:6", "capped:7": "capped:6"} {
		_, err := table.Select(sixNodes, policy.Chain, text)
		var parameter *policy.ParameterError
		if !errors.As(err, &parameter) || parameter.Example != want {
			t.Errorf("%s: %v with %+v, want %s", text, err, parameter, want)
		}
	}
	var none *policy.ParameterError
	if err := (policy.Static{Partitions: 1}).Check(policy.Machine{}); !errors.As(err, &none) || none.Example != "" {
		t.Errorf("without partitions: %v with %+v", err, none)
	}
}

// TestChoicesCanBeAskedFor: whatever help lists can be asked for, and whatever can be asked for is listed.
func TestChoicesCanBeAskedFor(t *testing.T) {
	if diff := cmp.Diff([]string{"dynamic", "static", "static:K", "best-static", "capped:K", "smoothing:MEAN[,SCV]",
		"resize[:RULE]", "fcfs", "first-fit:W"},
		table.Choices(policy.Chain)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"dynamic", "static", "static:", "best-static", "capped:", "smoothing:", "resize", "fcfs",
		"first-fit:"},
		table.Words(policy.Chain)); diff != "" {
		t.Error(diff)
	}
	for _, on := range []policy.Runner{policy.Chain, policy.WholeNodes, policy.Chain | policy.WholeNodes} {
		some := table.On(on)
		choices := table.Choices(on)
		for _, e := range some {
			if !slices.Contains(choices, e.Syntax()) {
				t.Errorf("%v: %s is not listed", on, e.Name)
			}
			if _, err := table.Select(policy.Machine{Nodes: 64, Unit: 1}, on, e.Example); err != nil {
				t.Errorf("%v: %v", on, err)
			}
		}
		for _, c := range table.Words(on) {
			if strings.HasSuffix(c, ":") {
				continue // the parameter is missing
			}
			if _, err := table.Select(policy.Machine{Nodes: 8, Unit: 1}, on, c); err != nil {
				t.Errorf("%v: %v", on, err)
			}
		}
		if len(choices) != len(some)+2 {
			t.Errorf("%v: %d choices for %d entries, static and best-static", on, len(choices), len(some))
		}
	}
}

// A selection is divided into the policies that a runner can run and the others. Policies that are run but not shown
// stay with the runner.
func TestSplitSelection(t *testing.T) {
	both, err := table.Select(sixNodes, policy.Chain|policy.WholeNodes, "dynamic", "easy", "best-static", "conservative")
	if err != nil {
		t.Fatal(err)
	}
	chains, others := both.Split(table, policy.Chain)
	if !chains.Best || len(chains.Run) != 5 || len(chains.Named) != 1 || chains.Named[0] != policy.Policy(policy.Dynamic{}) {
		t.Errorf("chains: %+v", chains)
	}
	if fmt.Sprint(others) != "[easy conservative]" || len(both.Named) != 3 {
		t.Errorf("without a chain: %v, of %v", others, both.Named)
	}
}
