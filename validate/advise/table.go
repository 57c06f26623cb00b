package advise

import "github.com/partwise/partwise/models/policy"

// Step says what a rule does with a machine that was divided for a number of jobs.
type Step struct {
	Jobs    int // in the system
	Shares  int // into which the machine is divided for them
	Least   int // nodes of the smallest share,
	Most    int // and of the largest
	Waiting int // jobs that wait
	// More is the number of jobs at which the machine is divided anew if others come; Fewer if some leave. The cooldown
	// is over by then. They are 0 if the machine is not divided anew, however many come, or until it is empty.
	More  int
	Fewer int
}

// Steps returns what a rule does on machine m for 1, 2, … jobs, up to one more than can run at a time. The first entry
// is for one job. The result is nil for a machine without units.
func Steps(r policy.Resize, m policy.Machine) []Step {
	units := m.Partitions()
	if units < 1 {
		return nil
	}
	var all []Step
	for jobs := 1; jobs <= r.Shares(units, units)+1; jobs++ {
		s := Step{Jobs: jobs, Shares: r.Shares(jobs, units)}
		s.Waiting = max(0, jobs-s.Shares)
		s.Least = units / s.Shares * m.Unit
		s.Most = (units + s.Shares - 1) / s.Shares * m.Unit
		s.More, s.Fewer = next(r, units, s.Shares, 1), next(r, units, s.Shares, -1)
		all = append(all, s)
	}
	return all
}

// next returns the first number of jobs at which the rule divides the machine anew into another number of shares. The
// machine is divided into shares for as many jobs. Jobs come (step 1) or leave (step −1) one after the other. The
// result is 0 if the machine is not divided anew, however many jobs come, or until it is empty.
func next(r policy.Resize, units, shares, step int) int {
	for changes := 1; changes <= 4*units; changes++ {
		jobs := shares + step*changes
		if jobs < 1 {
			break
		}
		s := policy.Situation{Units: units, Running: min(jobs, shares), Waiting: max(0, jobs-shares), Shares: shares,
			Changes: changes, Arrival: step > 0 && !r.Departures}
		if to, divides := r.Next(s); divides && to != shares {
			return jobs
		}
	}
	return 0
}
