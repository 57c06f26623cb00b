package study

// Part is a part of a study. The parts begin in the order of their values.
type Part int

// The parts of a study.
const (
	Describing        Part = iota // statistics of the log
	ReplayingShares               // replays of EASY and of malleable jobs
	ReplayingApart                // replays with the jobs whose times cannot be right
	ReplayingRivals               // replays of other policies
	Varying                       // replays with other assumptions
	SolvingChain                  // the draft and its chain, and the chain of rigid jobs; at the same time as FindingBreakevens
	FindingBreakevens             // the search for break-evens
	FindingWorth                  // the search for what malleable jobs are worth in nodes
	ReplayingNodes                // replays on more nodes
	ReplayingLoads                // replays at the loads of other stretches of the log
	Advising                      // the search for a rule
	ExplainingChain               // replays with the assumptions of the chain
	ResamplingChain               // the chain of weeks drawn again
	parts
)

// Parts returns the number of values of [Part], the steps of a study. Displays of progress divide by it.
func Parts() int { return int(parts) }

// Observer receives the progress of a study. Its functions may be nil. Several goroutines call them, one call at a time
// except for Advanced.
type Observer struct {
	// Planned is called with the number of replays that a part will make, as soon as the study knows it.
	Planned func(p Part, replays int)
	Begun   func(p Part)
	// Sampled is called when weeks of a long log are taken, with their share of the jobs. [FindingWorth] and [Advising] search
	// in these weeks. [ReplayingLoads] replays these weeks alone.
	Sampled func(share float64)
	// Advanced is called from time to time with the fraction of a part that is done. The fraction of [FindingBreakevens]
	// counts the seconds that its replays are expected to take. It may become smaller.
	Advanced func(p Part, fraction float64)
}

// planned calls o.Planned with the number of replays that part p of the study will make, for displays of progress. It
// does nothing if o.Planned is nil.
func (o *Observer) planned(p Part, replays int) {
	if o.Planned != nil {
		o.Planned(p, replays)
	}
}

// sampled calls o.Sampled with the share of the log's jobs, from 0 to 1, that are in the weeks of a sample. It does
// nothing if o.Sampled is nil.
func (o *Observer) sampled(share float64) {
	if o.Sampled != nil {
		o.Sampled(share)
	}
}

// begun calls o.Begun to say that part p of the study begins, for displays of progress. It does nothing if o.Begun is
// nil.
func (o *Observer) begun(p Part) {
	if o.Begun != nil {
		o.Begun(p)
	}
}

// advanced calls o.Advanced with the fraction of part p of the study, from 0 to 1, that is done. It does nothing if
// o.Advanced is nil.
func (o *Observer) advanced(p Part, fraction float64) {
	if o.Advanced != nil {
		o.Advanced(p, fraction)
	}
}
