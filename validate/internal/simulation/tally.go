package simulation

// Tally holds sums over a period of simulated time. Sums of several periods are added component by component, and every
// measure is a function of the sums.
type Tally [Sums]float64

// The components of a Tally. Integrals are over time.
const (
	Elapsed       = iota // time
	JobTime              // ∫ jobs in the system
	JobSquareTime        // ∫ (jobs in the system)²
	QueueTime            // ∫ jobs without a partition
	ExecutingTime        // ∫ jobs that make progress; busy partitions under static partitioning
	BusyTime             // ∫ share of the nodes held by jobs that are not paused
	BlockedTime          // ∫ share of the nodes that are idle while a job waits; not known for chains
	UsefulTime           // ∫ share of the nodes that does useful work: speedup(n) of n nodes; not known for chains
	EmptyTime            // ∫ 1{no jobs}
	PausedTime           // ∫ 1{a repartition is under way}
	Arrived              // jobs that arrived
	Queued               // arrivals that found all partitions taken
	Departed             // jobs that departed
	ResponseSum          // Σ over departed jobs of departure − arrival
	WaitSum              // Σ over started jobs of start − arrival
	Started              // jobs that were given their first partition
	EmptyPeriods         // departures that left no job
	Repartitions         // repartitions begun that cost time
	Shrinks              // repartitions begun by an arrival
	Expands              // repartitions begun by a departure
	Abandoned            // repartitions that another one replaced
	Events               // arrivals, departures, ends of repartitions and of set-ups
	Sums                 // number of components
)

// Sums for the jobs of a class. A simulation of a chain counts the first three only.
const (
	ClassTime     = iota // ∫ jobs of the class in service, jobs that stand still included
	ClassDeparted        // jobs that departed
	ClassResponse        // Σ over departed jobs of departure − arrival
	ClassArrived         // jobs that arrived
	ClassQueued          // arrivals that did not start at once
	ClassStarted         // jobs that started
	ClassWait            // Σ over started jobs of start − arrival
	ClassSums            // number of sums
)

// Purposes of the streams of a replication.
const (
	ArrivalStream  = iota // the arrival process
	OverheadStream        // repartitions and set-ups
	JobStream             // one stream below it for each job, by order of arrival
	PolicyStream          // what the policy draws
)
