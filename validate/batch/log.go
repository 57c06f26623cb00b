package batch

import (
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/swf"
	"github.com/partwise/partwise/validate/des"
)

// Log returns the jobs of a log as rigid requests: each asks for the nodes that it had, or requested where the log does
// not know. Jobs must be in the order of their submission and fit the machine; see [swf.Filter]. Policies plan with the
// user's estimate or the logged run time, whichever is longer; the machine kills, if it does, at the user's estimate.
func Log(jobs swf.Source) Source {
	var j swf.Job
	return SourceFunc(func(q *Request) error {
		if err := jobs.Next(&j); err != nil {
			return err
		}
		*q = FromLog(&j)
		return nil
	})
}

// FromLog returns a job of a log as a rigid request.
func FromLog(j *swf.Job) Request {
	return Request{ID: j.ID, Submit: j.Submit, Nodes: j.Nodes(), Run: j.Run, Requested: j.Estimate, User: j.User,
		Application: j.Application}
}

// Estimating returns the configuration with estimates in place of those that jobs come with. Where they are random,
// each job draws from a stream of its own below key, so that it has the same estimate whatever the policy.
//
// A job is killed, if the machine kills, at what its user requested where policies plan with that, or a multiple; at
// its estimate otherwise. There a job of no length, which failed before all its nodes were there, reserves but a
// second, as in the independent program that the tests compare with; its user's estimate holds nodes where nothing is
// killed.
func Estimating(c Config, e workload.Estimator, key des.Key) Config {
	admit, done := c.Admit, c.Done
	learner, learns := e.(workload.Learner)
	number, stream := uint64(0), des.Stream{}
	c.Admit = func(q *Request, now float64) {
		stream = key.At(number).Stream()
		number++
		s := q.submission()
		q.Estimate, q.Limit = e.Estimate(s, now, &stream), 0
		switch e.(type) {
		case workload.Logged, workload.Multiplied:
			q.Limit = max(q.Requested, 0)
			q.Estimate = max(q.Estimate, q.Run)
		}
		if c.KillAtEstimate && q.Run == 0 {
			q.Estimate = leastReservation
		}
		if admit != nil {
			admit(q, now)
		}
	}
	if learns {
		c.Done = func(r *Record) {
			learner.Ended(r.submission(), r.End)
			if done != nil {
				done(r)
			}
		}
	}
	return c
}

func (q *Request) submission() workload.Submission {
	return workload.Submission{User: q.User, Application: q.Application, Nodes: q.Nodes, Run: q.Run,
		Requested: q.Requested}
}
