package policy

import (
	"errors"
	"fmt"
	"github.com/partwise/partwise/models/workload"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/partwise/partwise/phasetype"
)

// Dynamic is dynamic equi-partitioning: the nodes are divided evenly among the jobs, up to N of them, and divided anew
// whenever that number changes.
//
// Reference: N. Islam, A. Prodromidis, M. S. Squillante, Dynamic partitioning in different distributed-memory
// environments, JSSPP 1996, LNCS 1162, section 2.1.
type Dynamic struct{ plain[Dynamic] }

// name returns the name of the policy in the table.
func (Dynamic) name() string { return "dynamic" }

// MostJobs returns the number of units: each job needs one.
func (Dynamic) MostJobs(units int) int { return units }

// entry returns the line of the table: how the policy is written, what runs it, and who described it.
func (Dynamic) entry() Entry {
	return Entry{
		Name:    "dynamic",
		Example: "dynamic",
		RunsOn:  Chain | WholeNodes,
		Jobs:    workload.Malleable,
		Mixed:   true,
		Summary: "divides the nodes evenly among all jobs whenever one arrives or departs",
		Source:  "Islam, Prodromidis, Squillante 1996",
		New:     func(string) (Policy, error) { return Dynamic{}, nil },
	}
}

// Static splits the machine once into a number of equal partitions; each runs a job at a time from start to end.
//
// Reference: N. Islam, A. Prodromidis, M. S. Squillante, JSSPP 1996, LNCS 1162, section 2.2.
type Static struct {
	named[Static]
	Partitions int
}

// name returns the name of the policy in the table.
func (Static) name() string { return "static" }

// Split returns the number of partitions.
func (s Static) Split() int { return s.Partitions }

// entry returns the line of the table: how the policy is written, what runs it, and who described it.
func (Static) entry() Entry {
	return Entry{
		Name:      "static",
		Parameter: "K",
		Means:     "a number of partitions",
		Example:   "static:4",
		RunsOn:    Chain | WholeNodes,
		Jobs:      workload.Moldable,
		Summary:   "splits the machine once into K equal partitions, a job to each",
		Source:    "Islam, Prodromidis, Squillante 1996",
		New:       counted("a number of partitions", func(k int) Policy { return Static{Partitions: k} }),
	}
}

// String returns "static:" and the number of partitions.
func (s Static) String() string { return "static:" + strconv.Itoa(s.Partitions) }

// Check returns an error unless the number of partitions divides N, the largest number of partitions of the machine.
func (s Static) Check(m Machine) error {
	if all := m.Divisors(); !slices.Contains(all, s.Partitions) {
		return &ParameterError{s.String(), fmt.Sprintf("the machine can be split into K = %v partitions", all)}
	}
	return nil
}

// Statics returns static partitioning for every number of partitions of a machine, ascending.
func Statics(m Machine) []Policy {
	var all []Policy
	for _, k := range m.Divisors() {
		all = append(all, Static{Partitions: k})
	}
	return all
}

// Capped is dynamic equi-partitioning among at most Jobs jobs; the others wait.
type Capped struct {
	named[Capped]
	Jobs int
}

// name returns the name of the policy in the table.
func (Capped) name() string { return "capped" }

// MostJobs returns Jobs.
func (c Capped) MostJobs(int) int { return c.Jobs }

// entry returns the line of the table: how the policy is written, what runs it, and who described it.
func (Capped) entry() Entry {
	return Entry{
		Name:      "capped",
		Parameter: "K",
		Means:     "the largest number of jobs that run",
		Example:   "capped:4",
		RunsOn:    Chain | WholeNodes,
		Jobs:      workload.Malleable,
		Mixed:     true,
		Summary:   "divides the nodes evenly among at most K jobs",
		New:       counted("a number of jobs", func(k int) Policy { return Capped{Jobs: k} }),
	}
}

// String returns "capped:" and the number of jobs.
func (c Capped) String() string { return "capped:" + strconv.Itoa(c.Jobs) }

// Check holds that no more jobs run than the machine has partitions.
func (c Capped) Check(m Machine) error {
	if n := m.Partitions(); c.Jobs < 1 || c.Jobs > n {
		return &ParameterError{c.String(), fmt.Sprintf("at most K jobs can run at once, K = 1..%d", n)}
	}
	return nil
}

// Smoothing is dynamic equi-partitioning with a random minimum time between repartitions. Mean is in the time unit of the
// machine, and SCV is the squared coefficient of variation.
//
// The simulated machine of whole nodes runs Smoothing as the [Resize] with that Cooldown and SCV: while no job runs, the
// machine is divided at once. The exact chain and the simulation at model fidelity keep the shares until the minimum time is
// over. They do so even if the only running job has departed and others wait. They do not cut repartitions short. Their mean
// response times may be far above those of Resize.
//
// Reference: N. Islam, A. Prodromidis, M. S. Squillante, JSSPP 1996, LNCS 1162, section 7, where the minimum time is left open;
// C. S. Chang, Smoothing point processes as a means to increase throughput, IBM Research Report RC 16866, 1991.
type Smoothing struct {
	named[Smoothing]
	Mean, SCV float64
}

// name returns the name of the policy in the table.
func (Smoothing) name() string { return "smoothing" }

// entry returns the line of the table: how the policy is written, what runs it, and who described it.
func (Smoothing) entry() Entry {
	return Entry{
		Name:      "smoothing",
		Parameter: "MEAN[,SCV]",
		Means:     "the mean of the minimum time between repartitions",
		Example:   "smoothing:60",
		RunsOn:    Chain | WholeNodes,
		Jobs:      workload.Malleable,
		Summary:   "divides the nodes evenly, with a minimum time between repartitions",
		Source:    "Islam, Prodromidis, Squillante 1996",
		New:       newSmoothing,
	}
}

// String returns "smoothing:MEAN", with ",SCV" unless that is 1.
func (s Smoothing) String() string {
	text := fmt.Sprint("smoothing:", s.Mean)
	if s.SCV != 1 {
		text += fmt.Sprint(",", s.SCV)
	}
	return text
}

// Check returns nil if there is a distribution of that mean and variation.
func (s Smoothing) Check(Machine) error {
	_, err := s.MinimumTime()
	return err
}

// MinimumTime returns the distribution of the minimum time between repartitions that two moments give.
func (s Smoothing) MinimumTime() (phasetype.Dist, error) {
	d, err := phasetype.TwoMoments(s.Mean, s.SCV)
	if err != nil {
		return phasetype.Dist{}, &ParameterError{s.String(), err.Error()}
	}
	return d, nil
}

// newSmoothing returns the policy of a parameter, MEAN[,SCV]: the minimum time between repartitions.
func newSmoothing(parameter string) (Policy, error) {
	first, second, two := strings.Cut(parameter, ",")
	s := Smoothing{SCV: 1}
	var err error
	if s.Mean, err = strconv.ParseFloat(first, 64); err == nil && two {
		s.SCV, err = strconv.ParseFloat(second, 64)
	}
	if err != nil {
		return nil, errors.New("give the mean of the minimum time between repartitions, and its scv after a comma")
	}
	return s, s.Check(Machine{})
}

// Folding halves the largest partition when a job arrives and gives the nodes of one that departs to the job that has
// the fewest.
//
// Reference: C. McCann, J. Zahorjan, Processor allocation policies for message-passing parallel computers, ACM
// SIGMETRICS 1994, 19–32.
type Folding struct{ plain[Folding] }

// name returns the name of the policy in the table.
func (Folding) name() string { return "folding" }

// entry returns the line of the table: how the policy is written, what runs it, and who described it.
func (Folding) entry() Entry {
	return Entry{
		Name:    "folding",
		Example: "folding",
		RunsOn:  WholeNodes,
		Jobs:    workload.Malleable,
		Summary: "halves one partition for an arrival, gives the nodes of a departure to one job",
		Source:  "McCann, Zahorjan 1994",
		New:     func(string) (Policy, error) { return Folding{}, nil },
	}
}

// Limited is dynamic equi-partitioning that does not resize jobs whose demand is at most Demand, in the time unit of
// the machine.
type Limited struct {
	named[Limited]
	Demand float64
}

// name returns the name of the policy in the table.
func (Limited) name() string { return "limited" }

// entry returns the line of the table: how the policy is written, what runs it, and who described it.
func (Limited) entry() Entry {
	return Entry{
		Name:      "limited",
		Parameter: "DEMAND",
		Means:     "the demand up to which a job is not resized",
		Example:   "limited:600",
		RunsOn:    WholeNodes,
		Jobs:      workload.Malleable,
		Summary:   "divides the nodes evenly, but never resizes jobs with a demand up to DEMAND",
		Source:    "Islam, Prodromidis, Squillante 1996",
		New: measured("a demand, the largest with which a job is not resized",
			func(demand float64) Policy { return Limited{Demand: demand} }),
	}
}

// String returns "limited:" and the demand.
func (l Limited) String() string { return fmt.Sprint("limited:", l.Demand) }

// Check holds that the demand is one; it concerns jobs, not the machine.
func (l Limited) Check(Machine) error {
	if !(l.Demand >= 0) || math.IsInf(l.Demand, 1) {
		return notA("limited", l.Demand, "a demand")
	}
	return nil
}

// counted returns New of a policy whose parameter is a whole number from 1; what says what the number counts.
func counted(what string, of func(k int) Policy) func(string) (Policy, error) {
	return func(parameter string) (Policy, error) {
		k, err := strconv.Atoi(parameter)
		if err != nil || k < 1 {
			return nil, fmt.Errorf("%q is not %s", parameter, what)
		}
		return of(k), nil
	}
}

// measured returns New of a policy whose parameter is a number, which the policy checks; what says what the number means.
func measured(what string, of func(x float64) Policy) func(string) (Policy, error) {
	return func(parameter string) (Policy, error) {
		x, err := strconv.ParseFloat(parameter, 64)
		if p := of(x); err == nil && p.Check(Machine{}) == nil {
			return p, nil
		}
		return nil, fmt.Errorf("%q is not %s", parameter, what)
	}
}

// notA returns the error of a parameter of a policy that is not what it should be.
func notA(name string, parameter any, what string) error {
	return &ParameterError{fmt.Sprint(name, ":", parameter), fmt.Sprintf(`"%v" is not %s`, parameter, what)}
}
