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
	// Response, if not nil, is called for every job that departs, with its class (0 if there are no classes) and response time.
	Response func(class int, response float64)
	// Wait, if not nil, is called for every job that starts, with its class and its waiting time.
	Wait func(class int, wait float64)
	// ByClass, if not nil, has [ClassSums] entries for each class of the machine. The sums of class k are added to
	// ByClass[k*ClassSums:].
	ByClass []float64
	Most    int          // largest number of jobs in the system; more are a *[parallel.LimitError]. 0: any number
	Stop    func() error // returns the reason why the run should end, or nil; a nil Stop never ends it
}

// Watch replaces the Observer o, which a run embeds, by another. It is the method Watch of the run.
func (o *Observer) Watch(other Observer) { *o = other }
