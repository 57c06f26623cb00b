package des

import "fmt"

// TooManyError tells that more jobs are in the system than allowed.
type TooManyError struct {
	Most int
	Time float64 // arrival of the last of them
}

func (e *TooManyError) Error() string {
	return fmt.Sprintf("more than %d jobs wait or run at time %g", e.Most, e.Time)
}

// TooOftenError tells that alarms and scheduling points come so often that a run would hardly end.
type TooOftenError struct {
	Events int     // alarms and scheduling points so far
	Jobs   int     // jobs that had arrived by then
	Time   float64 // of the last of these events
}

func (e *TooOftenError) Error() string {
	return fmt.Sprintf("%d alarms and scheduling points for %d jobs by time %g: let them come less often", e.Events, e.Jobs, e.Time)
}

// TooLongError tells that a run would hardly end: in days of one processor, or because times are longer than times are exact.
type TooLongError struct {
	Days float64 // of one processor; 0: not the reason
	Time float64 // the longest time, in seconds
	Most float64 // the longest time that is exact, in seconds
}

func (e *TooLongError) Error() string {
	if e.Days > 0 {
		return fmt.Sprintf("the run takes about %.2g days of one processor, more than one", e.Days)
	}
	return fmt.Sprintf("times reach %.2g s, more than the %g s that can be simulated", e.Time, e.Most)
}
