package machine

import (
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/internal/des"
)

// Key names a stream of random numbers. Keys are derived from a seed step by step: Seed(1).At(point).At(replication).
// Different keys name unrelated streams, and the method Stream returns the stream of a key.
type Key = des.Key

// Seed returns the key from which all keys of an experiment are derived. The same seed gives the same random numbers.
func Seed(seed uint64) Key { return des.Seed(seed) }

// Stream is a stream of random numbers. Its method Float64 draws uniformly from [0, 1), and its method Exp draws
// exponential times of mean 1. Schedulers draw from the stream of [sched.View.Random].
type Stream = des.Stream

// Ahead is a [Stream] whose numbers are drawn in blocks; [Costs] draw from it. The method DrawAhead of [Times] draws
// from it.
type Ahead = des.Ahead

// Times draws times of a phase-type distribution, phase by phase. Its methods Draw and DrawAhead return the next time.
type Times = des.Times

// NewTimes returns a generator of random times of the distribution d, in its unit of time. It returns nil, whose times
// are all 0, if d is 0 with probability one. Each call of Draw or DrawAhead takes its random numbers from the stream
// that it is given.
func NewTimes(d phasetype.Dist) *Times { return des.NewTimes(d) }
