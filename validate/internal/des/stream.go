package des

import "math/bits"

// Key names a stream of random numbers. Keys are derived from a seed step by step:
// Seed(1).At(point).At(replication).At(purpose). Different keys name unrelated streams.
type Key struct{ hi, lo uint64 }

// Seed returns the key from which all keys of an experiment are derived. The same seed gives the same random numbers.
func Seed(seed uint64) Key { return Key{mix(seed), mix(^seed)} }

// At returns the i-th key below k, for any i. Different i give unrelated streams.
func (k Key) At(i uint64) Key {
	hi := mix(k.hi + (i+1)*0x9e3779b97f4a7c15)
	return Key{hi, mix(k.lo ^ hi)}
}

// Stream returns the stream that k names, at its beginning. Each call returns a new stream of the same numbers.
func (k Key) Stream() Stream { return Stream(k) }

// mix is the finalizer of SplitMix64, a bijection in which every bit of x affects every bit of the result.
//
// Reference: G. L. Steele, D. Lea, C. H. Flood, Fast splittable pseudorandom number generators, OOPSLA 2014, 453–472.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// Stream is a sequence of independent random numbers, made by the generator PCG-DXSM of math/rand/v2. It has 16 bytes of
// state, so that every job can have its own. Each variate takes exactly one step of the generator and is monotone in the
// uniform number of that step. Two systems that are driven by the same streams therefore stay in step.
//
// Reference: M. E. O'Neill, PCG: a family of simple fast space-efficient statistically good algorithms for random number
// generation, Harvey Mudd College, HMC-CS-2014-0905, 2014; the output function DXSM is of its program, 2019.
type Stream struct{ hi, lo uint64 }

// Float64 returns a uniform number in [0, 1), a multiple of 2⁻⁵³.
func (s *Stream) Float64() float64 {
	*s = s.next()
	return s.uniform()
}

// Exp returns an exponential number of mean 1, by one step of the generator.
func (s *Stream) Exp() float64 { return exponentialOf(s.Float64()) }

// next returns the state after one step of the generator, state·a + c modulo 2¹²⁸. s itself stays as it is.
func (s Stream) next() Stream {
	const (
		aHi, aLo = 0x2360ed051fc65da4, 0x4385df649fccf645
		cHi, cLo = 0x5851f42d4c957f2d, 0x14057b7ef767814f
	)
	hi, lo := bits.Mul64(s.lo, aLo)
	lo, carry := bits.Add64(lo, cLo, 0)
	return Stream{hi + s.hi*aLo + s.lo*aHi + cHi + carry, lo}
}

// uniform returns the uniform number in [0, 1) that belongs to a state: 53 bits of a hash of the state.
func (s Stream) uniform() float64 {
	x := (s.hi ^ s.hi>>32) * 0xda942042e4dd58b5
	return float64((x^x>>48)*(s.lo|1)>>11) * 0x1p-53
}
