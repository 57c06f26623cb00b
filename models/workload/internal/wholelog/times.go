package wholelog

// The reasons why times of jobs cannot be right, as findings say them.
const (
	EndsEarly   = "jobs with an end before the start"
	StartsEarly = "jobs with a start before the submission"
	FarAway     = "jobs with a date more than a year outside the range of the middle 98 % of the submissions"
	TooLongRun  = "jobs with a run time longer than the log"
)

// LongestYear is the length of the longest year in seconds. A date more than a year outside the range of most submissions cannot
// be right.
const LongestYear = 366 * 86400

// Trimmed returns how many of n submissions in order are left out at each end of the middle 98 %.
func Trimmed(n int) int { return (n + 99) / 100 }

// Times are the times of a job in seconds, the submission from the start of the log. −1 stands for a time that is not known.
type Times struct {
	Submit, Wait, Run float64
	Limit             float64 // for which the job may run; at most 0: not known
}

// end returns the last time that is known.
func (t *Times) end() float64 { return t.Submit + max(t.Wait, 0) + max(t.Run, 0) }

// judgedRun returns the run time by which it is judged whether the job ran too long: 0 if the limit allows it.
func (t *Times) judgedRun() float64 {
	if t.Limit > 0 && t.Run <= t.Limit {
		return 0
	}
	return t.Run
}

// WrongOrder returns which times are in an order that cannot be right, "" if none.
func (t *Times) WrongOrder() string {
	switch {
	case t.Wait < 0 && t.Wait != -1:
		return StartsEarly
	case t.Run < 0 && t.Run != -1:
		return EndsEarly
	}
	return ""
}
