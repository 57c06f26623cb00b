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

// Schedules are what policies do with the same jobs, for a while.
type Schedules struct {
	From      float64    `json:"from"`
	To        float64    `json:"to"`
	Schedules []Schedule `json:"schedules"`
}

// Schedule is who has which nodes when.
type Schedule struct {
	Policy string  `json:"policy"`
	Nodes  int     `json:"nodes"`
	Bars   []Bar   `json:"bars"`
	Queue  []Level `json:"queue"`
}

// Bar is a job on neighbouring nodes for a time.
type Bar struct {
	Job    int     `json:"job"` // from 1
	From   float64 `json:"from"`
	To     float64 `json:"to"`
	First  int     `json:"first"` // node, from 0
	Nodes  int     `json:"nodes"`
	Paused bool    `json:"paused,omitempty"`
}

// Level is a number of jobs that wait from a time on.
type Level struct {
	At      float64 `json:"at"`
	Waiting int     `json:"waiting"`
}

// schedule simulates the policies of the question on whole nodes. The same jobs stand still in a repartition as in the
// chain.
func schedule(ctx context.Context, q *Question, file *modelfile.Model) (any, error) {
	out := &Schedules{Schedules: []Schedule{}}
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

func newSchedule(p policy.Policy, nodes int, r *machine.Recorder) Schedule {
	s := Schedule{Policy: p.String(), Nodes: nodes, Bars: []Bar{}, Queue: []Level{}}
	for _, p := range r.Pieces {
		for _, b := range p.Blocks() {
			s.Bars = append(s.Bars, Bar{p.Number + 1, p.From, p.To, b[0], b[1] - b[0], p.Paused})
		}
	}
	for _, step := range r.Queue {
		s.Queue = append(s.Queue, Level(step))
	}
	return s
}
