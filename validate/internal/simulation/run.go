package simulation

import "github.com/partwise/partwise/validate/internal/des"

// Simulator is a machine that can be simulated any number of times.
type Simulator interface {
	// Start returns a run from the empty machine at time 0. Its random numbers come from keys below key.
	Start(key des.Key) Run
}

// Run is a simulation in progress.
type Run interface {
	// Advance simulates until at least n more jobs have departed and adds the sums of that time to t. More than n depart if
	// several depart at once. The error says why the run cannot go on: an action that is not possible, a limit of the
	// Observer, or the error of its Stop. After an error of an action the run is over.
	Advance(n int, t *Tally) error
	// Watch replaces the Observer of the run, also its Most and Stop. It may be called between two calls of Advance.
	Watch(o Observer)
}

// Observer determines what a run reports and when it ends early. The zero value reports nothing and never ends a run.
// Runs check the end now and then, so there may be a few more jobs than allowed.
type Observer struct {
	// Times, if not nil, is called with the response times of jobs that depart. If Waits is set, it also gets the waiting
	// times of jobs that start. The times come in blocks, in the order in which the run made them. A run hands the last
	// block over before Advance returns. The list is overwritten afterwards.
	Times func([]Time)
	Waits bool
	// Responses, if not nil, is called with the response times of jobs that depart, in blocks, too. It takes the place of Times,
	// which must be nil. Without classes and waiting times, this hands times over in half the time.
	Responses func([]float64)
	// ByClass, if not nil, has [ClassSums] entries for each class of the machine. The sums of class k are added to
	// ByClass[k*ClassSums:].
	ByClass []float64
	Most    int          // largest number of jobs in the system; more are a *[parallel.LimitError]. 0: any number
	Stop    func() error // returns the reason why the run should end, or nil; a nil Stop never ends it

	block     []Time    // times that Times has not got yet
	responses []float64 // times that Responses has not got yet
}

// Time is the response time of a job that has departed, or the waiting time of a job that has started.
type Time struct {
	Value  float64
	Class  int32 // of the job; 0 if there are no classes
	Waited bool  // a waiting time
}

// blockOfTimes is the number of times that [Observer].Times gets at once. Counting them in one loop takes half the time of a
// call for each job.
const blockOfTimes = 256

// Watch replaces the Observer o, which a run embeds, by another. It is the method Watch of the run.
func (o *Observer) Watch(other Observer) { *o = other }

// Responded reports the response time of a job of a class.
func (o *Observer) Responded(class int, response float64) {
	if o.Times != nil || o.Responses != nil {
		o.add(class, response, false)
	}
}

// Waited reports the waiting time of a job of a class, if waiting times are wanted.
func (o *Observer) Waited(class int, wait float64) {
	if o.Waits && o.Times != nil {
		o.add(class, wait, true)
	}
}

// add appends a time to the block for Times or for Responses. A full block is handed over.
func (o *Observer) add(class int, value float64, waited bool) {
	if o.Responses != nil {
		o.responses = append(o.responses, value)
	} else {
		o.block = append(o.block, Time{value, int32(class), waited})
	}
	if len(o.block)+len(o.responses) == blockOfTimes {
		o.HandOver()
	}
}

// HandOver gives the times that were reported since the last block to o.Times or o.Responses. Runs call it before their
// Advance returns.
func (o *Observer) HandOver() {
	if len(o.responses) > 0 {
		o.Responses(o.responses)
		o.responses = o.responses[:0]
	}
	if len(o.block) > 0 {
		o.Times(o.block)
		o.block = o.block[:0]
	}
}
