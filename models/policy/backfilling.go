package policy

import (
	"fmt"

	"github.com/partwise/partwise/models/workload"
)

// FCFS starts jobs in the order in which they came, each on the nodes that it asks for.
type FCFS struct{ plain[FCFS] }

// name returns the name of the policy in the table.
func (FCFS) name() string { return "fcfs" }

// entry returns the line of the table: how the policy is written, what runs it, and who described it.
func (FCFS) entry() Entry {
	return Entry{
		Name:    "fcfs",
		Example: "fcfs",
		RunsOn:  Chain | WholeNodes,
		Summary: "starts jobs in the order of their arrival on the nodes that they ask for",
		Source:  "Mu'alem, Feitelson 2001",
		New:     func(string) (Policy, error) { return FCFS{}, nil },
	}
}

// Tried returns 1: only the first of the queue may start.
func (FCFS) Tried() int { return 1 }

// EASY is aggressive backfilling: a job may overtake others if, by the estimates, it does not delay the first of the
// queue.
//
// Reference: A. W. Mu'alem, D. G. Feitelson, Utilization, predictability, workloads, and user runtime estimates in
// scheduling the IBM SP2 with backfilling, IEEE Trans. Parallel Distrib. Syst. 12 (2001) 529–543, section 2.2.
type EASY struct{ plain[EASY] }

// name returns the name of the policy in the table.
func (EASY) name() string { return "easy" }

// entry returns the line of the table: how the policy is written, what runs it, and who described it.
func (EASY) entry() Entry {
	return Entry{
		Name:    "easy",
		Example: "easy",
		RunsOn:  WholeNodes,
		Summary: "EASY backfilling: a job may overtake if that does not delay the first of the queue",
		Source:  "Mu'alem, Feitelson 2001",
		New:     func(string) (Policy, error) { return EASY{}, nil },
	}
}

// EASYMalleable is EASY backfilling for rigid and malleable jobs together: malleable jobs shrink, as far as they can, for
// jobs that wait, and grow onto idle nodes.
//
// References: S. Prabhakaran, M. Neumann, S. Rinke, F. Wolf, A. Gupta, L. V. Kale, A batch system with efficient adaptive
// scheduling for malleable and evolving applications, IPDPS 2015, 429–438; M. Chadha, J. John, M. Gerndt, Extending SLURM
// for dynamic resource-aware adaptive batch scheduling, HiPC 2020, 223–232.
type EASYMalleable struct{ plain[EASYMalleable] }

// name returns the name of the policy in the table.
func (EASYMalleable) name() string { return "easy-malleable" }

// entry returns the line of the table: how the policy is written, what runs it, and who described it.
func (EASYMalleable) entry() Entry {
	return Entry{
		Name:    "easy-malleable",
		Example: "easy-malleable",
		RunsOn:  WholeNodes,
		Jobs:    workload.Malleable,
		Mixed:   true,
		Summary: "EASY backfilling in which malleable jobs shrink for waiting jobs and grow onto idle nodes",
		Source:  "Prabhakaran et al. 2015",
		New:     func(string) (Policy, error) { return EASYMalleable{}, nil },
	}
}

// Conservative is conservative backfilling: every job has a reservation, and none may delay that of another.
//
// Reference: A. W. Mu'alem, D. G. Feitelson, IEEE Trans. Parallel Distrib. Syst. 12 (2001) 529–543, section 2.1.
type Conservative struct {
	named[Conservative]
	Compress Compression
}

// name returns the name of the policy in the table.
func (Conservative) name() string { return "conservative" }

// entry returns the line of the table: how the policy is written, what runs it, and who described it.
func (Conservative) entry() Entry {
	return Entry{
		Name:      "conservative",
		Parameter: "WHEN",
		Optional:  true,
		Means:     "the time at which reservations are compressed: early, always or never",
		Example:   "conservative:always",
		RunsOn:    WholeNodes,
		Summary:   "conservative backfilling: a job may overtake if that does not delay any reservation",
		Source:    "Mu'alem, Feitelson 2001",
		New:       newConservative,
	}
}

// String returns "conservative", with the time of compression unless that is early.
func (c Conservative) String() string {
	if c.Compress == CompressEarly {
		return "conservative"
	}
	return "conservative:" + string(c.Compress)
}

// Check holds that there is such a time of compression.
func (c Conservative) Check(Machine) error {
	_, err := newConservative(string(c.Compress))
	return err
}

// newConservative returns the policy of a parameter, the word that says when reservations are compressed.
func newConservative(parameter string) (Policy, error) {
	switch c := Compression(parameter); c {
	case "early":
		return Conservative{}, nil
	case CompressEarly, CompressAlways, CompressNever:
		return Conservative{Compress: c}, nil
	}
	return nil, &ParameterError{Policy: "conservative:" + parameter,
		Problem: fmt.Sprintf("reservations are compressed early, always or never, not %q", parameter)}
}

// Compression says when conservative backfilling moves reservations forward.
type Compression string

// The times of compression.
const (
	CompressEarly  Compression = ""       // when a job ends before its estimate; "early" where policies are written
	CompressAlways Compression = "always" // whenever a job ends
	CompressNever  Compression = "never"  // never: a job starts at the time it was given when it came
)
