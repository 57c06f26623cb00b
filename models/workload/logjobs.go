package workload

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload/joblog"
)

// Shape says what is assumed of the jobs of a log beyond what it tells. Its zero value leaves them rigid.
type Shape struct {
	Kind Kind
	// Speedup returns the speedup of the i-th job, which ran on the given nodes; nil: linear.
	Speedup func(i, nodes int) (Speedup, error)
	// Mix, if not nil, says which jobs are malleable and which rigid, whatever Kind is.
	Mix *Mix
}

// Mix makes a share of the jobs of a log malleable, and the others rigid. Draw returns a number from 0 to 1 for the i-th
// job, below 1, the same whatever the share: the jobs that are malleable at one share are so at every larger one.
type Mix struct {
	Share float64
	Draw  func(i int) float64
	// Least and Most are the factors of the nodes that a malleable job asks for between which it runs, in whole nodes:
	// 0 ≤ Least ≤ 1 ≤ Most.
	Least, Most float64
}

// Check returns what is wrong with the mix.
func (m *Mix) Check() error {
	switch {
	case m == nil:
		return errors.New("workload: there is no mix of jobs")
	case !(m.Share >= 0 && m.Share <= 1):
		return invalid("malleable", "the share %v of the jobs is not between 0 and 1", m.Share)
	case !(m.Least >= 0 && m.Least <= 1):
		return invalid("malleable", "the smallest factor %v of the nodes asked for is not between 0 and 1", m.Least)
	case !(m.Most >= 1):
		return invalid("malleable", "the largest factor %v of the nodes asked for is less than 1", m.Most)
	}
	return nil
}

// apply makes the i-th job rigid or malleable.
func (m *Mix) apply(i int, j *Job) {
	if !(m.Draw(i) < m.Share) {
		j.Kind = Rigid
		return
	}
	j.Kind = Malleable
	j.Min = max(1, int(math.Ceil(m.Least*float64(j.Nodes))))
	j.Max = int(min(math.Floor(m.Most*float64(j.Nodes)), math.MaxInt32))
}

// WithSpeedup returns the shape of jobs that all have the same speedup.
func WithSpeedup(kind Kind, s Speedup) Shape {
	return Shape{Kind: kind, Speedup: func(int, int) (Speedup, error) { return s, nil }}
}

// WithParallelism returns the shape of jobs with Downey's speedup. Their average parallelism is the number of nodes on
// which they ran, as Downey assumes. sigma returns the sigma of the i-th job, which no log tells.
func WithParallelism(kind Kind, sigma func(i int) float64) Shape {
	return Shape{Kind: kind,
		Speedup: func(i, nodes int) (Speedup, error) { return NewSpeedup("downey", float64(nodes), sigma(i)) }}
}

// speedupRounding is how far rounding may lift a speedup above the number of nodes, relative to that number.
const speedupRounding = 1e-9

// Job returns the i-th job of a log. It asks for the nodes that it had, or requested where the log does not know, and
// its demand is such that it runs on them as long as logged: Run·S(Nodes).
func (s Shape) Job(i int, from *joblog.Job) (j Job, err error) {
	err = s.Set(&j, i, from)
	return j, err
}

// Set overwrites j with the job that [Shape.Job] returns. A replay makes each job of a log anew, and copies of jobs are a few
// percent of its time. j has no meaning beside an error.
func (s Shape) Set(j *Job, i int, from *joblog.Job) (err error) {
	if j == nil || from == nil {
		return invalid("job", "is missing")
	}
	*j = Job{}
	if math.IsNaN(from.Submit) || math.IsNaN(from.Run) {
		return invalid("job", "%d is submitted at %v and runs for %v", from.ID, from.Submit, from.Run)
	}
	if s.Mix != nil && s.Mix.Draw == nil {
		return invalid("malleable", "there are no random numbers")
	}
	j.setLogged(from)
	j.Kind = s.Kind
	if s.Mix != nil {
		s.Mix.apply(i, j)
	}
	if s.Speedup == nil {
		return nil
	}
	if j.Speedup, err = s.Speedup(i, j.Nodes); err != nil {
		return err
	}
	at := j.SpeedupOn(j.Nodes)
	if !(at > 0) {
		return invalid("speedup", "says nothing of job %d on %s", from.ID, words.Count(j.Nodes, "node"))
	}
	if at > float64(j.Nodes)*(1+speedupRounding) { // then more node-time would be useful than is held
		return invalid("speedup", "is %v for job %d on %s; use at most the number of nodes", at, from.ID, words.Count(j.Nodes, "node"))
	}
	j.Work = j.Run * at
	return nil
}

// AsLogged returns a job of a log as it is: rigid, with linear speedup.
func AsLogged(from *joblog.Job) Job {
	var j Job
	j.setLogged(from)
	return j
}

// setLogged makes j, the zero value, the job that [AsLogged] returns.
func (j *Job) setLogged(from *joblog.Job) {
	j.ID, j.User, j.Application, j.Submit = from.ID, from.User, from.Application, from.Submit
	j.Kind, j.Nodes, j.Run, j.Requested, j.Estimate = Rigid, from.Nodes(), from.Run, from.Estimate, from.Estimate
	j.Work = j.Run * float64(j.Nodes)
}

// Rigid returns a job of a log without what was assumed of it, see [Shape]: rigid, with linear speedup.
func (j Job) Rigid() Job {
	j.Kind, j.Speedup, j.Work = Rigid, nil, j.Run*float64(j.Nodes)
	return j
}

// FromLog returns the jobs of a log in the given shape. The error comes from [Shape.Job].
func FromLog(log *joblog.List, s Shape) ([]Job, error) { return shaped(log.All(), log.Len(), s) }

// shaped returns jobs in the given shape. most is the number of jobs for which the result has room at first. The error comes from
// reading the jobs, or from [Shape.Job].
func shaped(log joblog.Jobs, most int, s Shape) ([]Job, error) {
	jobs := make([]Job, 0, most)
	for from, err := range log {
		if err != nil {
			return nil, err
		}
		j, err := s.Job(len(jobs), from)
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, j)
	}
	return jobs, nil
}

// OnMachine returns the jobs of a log that can be run again on a machine with the given number of nodes, in the order
// of their submission. It also returns how many jobs were left out, by reason.
func OnMachine(log *joblog.List, nodes int, s Shape) (jobs []Job, skipped map[string]int, err error) {
	skipped = map[string]int{}
	fit := new(joblog.Range).Choose(log.All(), nodes, func(reason string, _ float64) { skipped[reason]++ })
	jobs, err = shaped(fit, log.Len(), s)
	slices.SortStableFunc(jobs, func(a, b Job) int { return cmp.Compare(a.Submit, b.Submit) })
	return jobs, skipped, err
}

// OfferOfLog returns what logged jobs offer.
func OfferOfLog(log joblog.Jobs) (o Offer, err error) {
	for j, err := range log {
		if err != nil {
			return o, err
		}
		o.add(j.Submit, j.NodeTime())
	}
	return o, nil
}
