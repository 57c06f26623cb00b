package replay

import (
	"fmt"
	"reflect"
	"sync"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/sched"
)

// Setting is a policy on a machine, with the assumptions about the jobs of a log.
type Setting struct {
	Policy policy.Policy
	Table  policy.Table // which knows the policy; nil: [policy.Standard]
	Nodes  int          // of the machine
	Unit   int          // policies that divide the machine give multiples of so many nodes
	// Mixed says that only the share Share of the jobs is malleable and the others are rigid. Seed draws which jobs are
	// malleable. A job that is malleable at one share is malleable at every larger share.
	Mixed bool
	Share float64
	Seed  uint64
	Assumptions
	Limits Limits // of the system that applies the policy
}

// Kind returns the kind of jobs that the policy runs: rigid, moldable or malleable. It is malleable for a policy that
// the table does not know; [Study.Check] and [Setting.Machine] refuse such a policy. s.Policy must be set.
func (s *Setting) Kind() workload.Kind {
	if e, found := orStandard(s.Table).Named(s.Policy.Name()); found {
		return e.Jobs
	}
	return workload.Malleable
}

// standard returns the standard table of policies. The table is made once, because every replay looks up its policies.
var standard = sync.OnceValue(policy.Standard)

// orStandard returns the table of policies t, or the standard table if t is nil.
func orStandard(t policy.Table) policy.Table {
	if t == nil {
		return standard()
	}
	return t
}

// checkPolicy returns an error if policy p cannot be replayed, such as nil. The table t must know the policy, to tell
// which kind of jobs the policy runs; a nil table is the standard table. The policy must also run on a machine of whole
// nodes, and its values must be comparable by ==. The error is a *[SettingError], or a *[policy.ParameterError] if the
// table itself is wrong.
func checkPolicy(t policy.Table, p policy.Policy) error {
	if p == nil {
		return &SettingError{"policy", "is missing"}
	}
	t = orStandard(t)
	if err := t.Check(); err != nil {
		return err
	}
	e, found := t.Named(p.Name())
	problem := ""
	switch {
	case !found:
		problem = "the table does not say what jobs %s runs; set the field Table to policy.Standard().With(an entry for the policy)"
	case e.RunsOn&policy.WholeNodes == 0:
		problem = "%s does not run on the simulated machine"
	case !reflect.ValueOf(p).Comparable():
		problem = "values of the type of %s cannot be compared; use a type without slices, maps and functions"
	default:
		return nil
	}
	return &SettingError{"policy", fmt.Sprintf(problem, p)}
}

// Resizes reports whether the policy resizes running jobs: its [Setting.Kind] is malleable. Only then the costs of a
// resize matter. s.Policy must be set.
func (s *Setting) Resizes() bool { return s.Kind() == workload.Malleable }

// Molds reports whether the policy chooses the sizes of jobs by their parallelism. Then jobs have Downey's speedup. It
// is false for a [policy.Molding] of a size that [sched.SizingOf] does not know.
func (s *Setting) Molds() bool {
	_, molds := sched.SizingOf(s.Policy)
	return molds
}

// Bounded reports whether malleable jobs run on s.Least to s.Most times the nodes that they asked for. This is so if
// rigid jobs run beside them (s.Mixed), and under malleable EASY. Otherwise malleable jobs run on any number of nodes.
// It is false for a policy that does not resize jobs.
func (s *Setting) Bounded() bool {
	return s.Resizes() && (s.Mixed || s.Policy == policy.Policy(policy.EASYMalleable{}))
}

// keepsWindow reports whether the policy keeps to a start window: a job does not start if its limit would reach beyond
// the next of certain times of the week, such as weekdays at 17:00. Only EASY and malleable EASY do. [Study.Check]
// refuses a start window under other policies.
func (s *Setting) keepsWindow() bool {
	return s.Policy == policy.Policy(policy.EASY{}) || s.Policy == policy.Policy(policy.EASYMalleable{})
}

// mixStream is the key, below the seed, of the stream that draws which jobs are malleable. The keys of the estimates of
// replications are smaller numbers.
const mixStream = 1 << 63

// Shape returns how the jobs of a log run under the policy; it makes a simulated job of each job of the log. s.Policy
// must be set.
//
//   - If the policy gives jobs the nodes that they ask for, jobs are rigid. The speedup then only determines how much
//     of the held node-time is useful.
//   - If the policy needs to know the parallelism of jobs, they are moldable and have Downey's speedup with the
//     parameter s.Sigma. Their parallelism is the number of nodes that they ask for.
//   - Otherwise jobs are of the kind that [Setting.Kind] returns, with the assumed speedup, linear if it is nil. If
//     [Setting.Bounded], they run on s.Least to s.Most times the nodes that they ask for. If s.Mixed is set as well,
//     s.Seed and the number of a job draw the share s.Share of these jobs, and the others are rigid.
func (s *Setting) Shape() workload.Shape {
	if s.Molds() {
		return workload.WithParallelism(workload.Moldable, func(int) float64 { return s.Sigma })
	}
	shape := workload.WithSpeedup(s.Kind(), s.orLinear())
	if s.Bounded() {
		share, key := 1.0, des.Seed(s.Seed).At(mixStream)
		if s.Mixed {
			share = s.Share
		}
		shape.Mix = &workload.Mix{Share: share, Least: s.Least, Most: s.Most, Draw: func(i int) float64 {
			stream := key.At(uint64(i)).Stream()
			return stream.Float64()
		}}
	}
	return shape
}

// dividesBy returns the number of nodes of which jobs get multiples: s.Unit, at least 1, if the policy divides the machine
// into partitions, and 1 otherwise.
func (s *Setting) dividesBy() int {
	if s.Kind() == workload.Rigid || s.Molds() {
		return 1
	}
	return max(1, s.Unit)
}

// Machine returns the simulated machine under the policy, with the estimates of the log. Times are in seconds. The
// machine has no jobs yet: the caller adds them, shaped by [Setting.Shape].
//
//   - Unit is the result of [Setting.dividesBy].
//   - The start window is set only if the policy keeps to it.
//   - The costs and the scheduling points are set only if the policy resizes jobs. A resize takes at least the times
//     Shrink and Expand of s.Limits.
//   - If s.Limits.Poll is positive, the policy decides at polls only.
//
// The error is a *[SettingError] if s is nil or has no policy, or if the policy cannot be replayed: the table does not
// know it, it does not run on whole nodes, or its values cannot be compared. It is a *[policy.ParameterError] if the
// table is wrong. Otherwise it comes from [Cost.On], such as a *[SettingError] if the cost does not fit the machine;
// the result is incomplete then.
func (s *Setting) Machine() (machine.Config, error) {
	if s == nil {
		return machine.Config{}, &SettingError{"policy", "is missing"}
	}
	if err := checkPolicy(s.Table, s.Policy); err != nil {
		return machine.Config{}, err
	}
	c := machine.Config{Nodes: s.Nodes, Unit: s.dividesBy(), Policy: s.Policy,
		Estimates: &machine.Estimates{New: func() workload.Estimator { return workload.Logged{} }}}
	if s.Limits.Poll > 0 {
		c.Policy = polled{s.Policy, s.Limits.Poll}
	}
	if s.keepsWindow() {
		c.StartWindow = s.StartWindow
	}
	if !s.Resizes() {
		return c, nil
	}
	c.Points = s.Points
	var err error
	c.Costs, err = s.Cost.On(policy.Machine{Nodes: c.Nodes, Unit: c.Unit}, 1, s.Stops)
	if s.Limits.Shrink > 0 || s.Limits.Expand > 0 {
		c.Costs = machine.AtLeast(c.Costs, s.Limits.Shrink, s.Limits.Expand)
	}
	return c, err
}
