package progress

import "time"

// State is how far a task has come.
type State struct {
	Fraction float64       // share of the task's time that has passed, between 0 and 1; 0: unknown
	Left     time.Duration // until the task ends
	Details  string        // a few words, such as the steps that are done
	Measured bool          // the fraction comes from measured costs, and may become smaller
}

// Of returns the state of a task whose fraction, between 0 and 1, took the time passed. The rest is expected to go on at the same
// pace. The time left is 0 if the fraction is 0.
func Of(fraction float64, passed time.Duration, details string) State {
	s := State{Fraction: fraction, Details: details}
	if fraction > 0 {
		s.Left = time.Duration(float64(passed) * (1 - fraction) / fraction)
	}
	return s
}
