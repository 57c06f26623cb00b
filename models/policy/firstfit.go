package policy

import "strconv"

// FirstFit starts rigid jobs from a window at the head of the queue: of the first Window waiting jobs the first that fits into the
// free nodes starts, again and again until none of them fits. With a window of one job it is [FCFS]. The first of the queue may wait
// for long while others overtake it.
type FirstFit struct {
	named[FirstFit]
	Window int
}

// name returns the name of the policy in the table.
func (FirstFit) name() string { return "first-fit" }

// entry returns the line of the table: how the policy is written, what runs it, and who described it.
func (FirstFit) entry() Entry {
	return Entry{
		Name:      "first-fit",
		Parameter: "W",
		Means:     "the number of waiting jobs that are tried",
		Example:   "first-fit:4",
		RunsOn:    Chain | WholeNodes,
		Summary:   "starts the first of the first W waiting jobs that fits, on the nodes that it asks for",
		New:       counted("a number of waiting jobs", func(w int) Policy { return FirstFit{Window: w} }),
	}
}

// String returns "first-fit:" and the window.
func (f FirstFit) String() string { return "first-fit:" + strconv.Itoa(f.Window) }

// Check holds that the window has a job; it does not depend on the machine.
func (f FirstFit) Check(Machine) error {
	if f.Window < 1 {
		return notA("first-fit", f.Window, "a number of waiting jobs")
	}
	return nil
}

// Tried returns the window.
func (f FirstFit) Tried() int { return f.Window }
