package explore

import (
	"context"
	"errors"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate"
	"github.com/partwise/partwise/validate/machine"
)

// schedules shows which nodes each policy gives to the same jobs from time From to time To, in the time unit of the model.
type schedules struct {
	From      float64          `json:"from"`
	To        float64          `json:"to"`
	Schedules []policySchedule `json:"schedules"`
}

// policySchedule is the schedule of one policy: the jobs on the nodes as bars, and the length of the queue as steps.
type policySchedule struct {
	Policy string  `json:"policy"`
	Nodes  int     `json:"nodes"`
	Bars   []bar   `json:"bars"`
	Queue  []level `json:"queue"`
}

// bar is a job on adjacent nodes from time From to time To. Paused says that the job stands still for a resize.
type bar struct {
	Job    int     `json:"job"` // from 1
	From   float64 `json:"from"`
	To     float64 `json:"to"`
	First  int     `json:"first"` // node, from 0
	Nodes  int     `json:"nodes"`
	Paused bool    `json:"paused,omitempty"`
}

// level is the number of jobs that wait from time At until the next level.
type level struct {
	At      float64 `json:"at"`
	Waiting int     `json:"waiting"`
}

// schedule simulates the policies of the question on whole nodes. The same jobs stand still in a repartition as in the
// chain.
func schedule(ctx context.Context, q *Question, file *modelfile.Model) (any, error) {
	out := &schedules{Schedules: []policySchedule{}}
	options := validate.Options{Fidelity: validate.MachineFidelity, Seed: 1}
	for i, name := range q.Policies {
		p, err := policy.Standard().Parse(name)
		if err != nil {
			return nil, err
		}
		c, err := validate.WholeNodes(file.System, p, options)
		switch {
		case i > 0 && errors.As(err, new(*models.UnstableError)):
			continue
		case err != nil:
			return nil, err
		case i == 0:
			out.From, out.To = validate.Stretch(c, options)
		}
		r := &machine.Recorder{From: out.From, To: out.To}
		if err := validate.Record(ctx, c, options, 0, r, nil); err != nil {
			return nil, err
		}
		out.Schedules = append(out.Schedules, newSchedule(p, file.System.Nodes, r))
	}
	return out, nil
}

func newSchedule(p policy.Policy, nodes int, r *machine.Recorder) policySchedule {
	s := policySchedule{Policy: p.String(), Nodes: nodes, Bars: []bar{}, Queue: []level{}}
	for _, p := range r.Pieces {
		for _, b := range p.Blocks() {
			s.Bars = append(s.Bars, bar{p.Number + 1, p.From, p.To, b[0], b[1] - b[0], p.Paused})
		}
	}
	for _, step := range r.Queue {
		s.Queue = append(s.Queue, level(step))
	}
	return s
}
