package study

// Part is a part of a study. The parts are done in the order of their values.
type Part int

// The parts of a study.
const (
	Describing        Part = iota // statistics of the log
	ReplayingShares               // replays of EASY and of malleable jobs
	ReplayingRivals               // replays of other policies
	SolvingChain                  // the draft and its chain
	FindingBreakevens             // the search for break-evens
	ReplayingLoads                // replays at the loads of other stretches of the log
	Varying                       // replays with other assumptions
	Advising                      // the search for a rule
	ExplainingChain               // replays with the assumptions of the chain
	ResamplingChain               // the chain of weeks drawn again
	parts
)

// Parts returns the number of parts.
func Parts() int { return int(parts) }

// Observer is told how far a study has come. Its functions may be nil. They are called by several goroutines, one call at a time
// except for Advanced.
type Observer struct {
	// Planned is told how many replays a part will make, as soon as the study knows the number.
	Planned func(p Part, replays int)
	Begun   func(p Part)
	// Advanced is told from time to time which fraction of a part is done. The fraction of [FindingBreakevens] is of seconds that its
	// replays took and are expected to take, and may become smaller.
	Advanced func(p Part, fraction float64)
}

func (o *Observer) planned(p Part, replays int) {
	if o.Planned != nil {
		o.Planned(p, replays)
	}
}

func (o *Observer) begun(p Part) {
	if o.Begun != nil {
		o.Begun(p)
	}
}

func (o *Observer) advanced(p Part, fraction float64) {
	if o.Advanced != nil {
		o.Advanced(p, fraction)
	}
}
