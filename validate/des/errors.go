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
