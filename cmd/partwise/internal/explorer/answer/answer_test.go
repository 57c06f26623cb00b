package answer_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/explorer/answer"
	"github.com/partwise/partwise/validate/explore"
)

const model = `
version: 1
time_unit: min
machine: {nodes: 4}
arrivals: {rate: 1, load: 0.6}
jobs: {demand: {moments: {mean: 60, scv: 4}}, speedup: {amdahl: {serial: 0.05}}}
dynamic: {shrink: {means: 0.5, scv: 2}, expand: {means: 0.5, scv: 2}}
`

// sentences returns what an answer says in sentences.
func sentences(t *testing.T, q explore.Question) string {
	t.Helper()
	q.Model = model
	text, err := json.Marshal(q)
	if err != nil {
		t.Fatal(err)
	}
	var told struct {
		Sentences []string
		Sentence  string
		Error     string
	}
	if err := json.Unmarshal(answer.To(t.Context(), text), &told); err != nil {
		t.Fatal(err)
	}
	return strings.Join(append(told.Sentences, told.Sentence, told.Error), " ")
}

// TestAnswersAreTold: decisions, rigid jobs, cooldowns and mistakes in a model are told in sentences, a mistake by its field.
func TestAnswersAreTold(t *testing.T) {
	for _, c := range []struct {
		q    explore.Question
		want string
	}{
		{explore.Question{Kind: "decision"}, "under dynamic partitioning"},
		{explore.Question{Kind: "decision", Values: map[string]float64{"job_nodes": 2}}, "rigid jobs in their order (fcfs)"},
		{explore.Question{Kind: "cooldown", Cooldown: 5}, "With a cooldown of 5 min "},
		{explore.Question{Kind: "decision", Values: map[string]float64{"work_scv": -1}}, "jobs.demand.moments.scv: "},
	} {
		if got := sentences(t, c.q); !strings.Contains(got, c.want) {
			t.Errorf("%s %v: %q, want %q", c.q.Kind, c.q.Values, got, c.want)
		}
	}
}
