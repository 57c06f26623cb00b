package des

import "math/bits"

// Key names a stream of random numbers. Keys are made from a seed by steps, each of which leads to another, unrelated
// stream: Seed(1).At(point).At(replication).At(purpose).
type Key struct{ hi, lo uint64 }

// Seed returns the key that all streams of an experiment start from.
func Seed(seed uint64) Key { return Key{mix(seed), mix(^seed)} }

// At returns the i-th key below k.
func (k Key) At(i uint64) Key {
	hi := mix(k.hi + (i+1)*0x9e3779b97f4a7c15)
	return Key{hi, mix(k.lo ^ hi)}
}

// Stream returns the stream that k names, at its beginning.
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

// Stream is a sequence of independent random numbers: the generator PCG-DXSM, that of math/rand/v2, 16 bytes of state,
// so that every job can carry its own. Each variate takes exactly one step and is monotone in the uniform number behind
// it, which is what keeps two systems in step that are driven by the same streams.
//
// Reference: M. E. O'Neill, PCG: a family of simple fast space-efficient statistically good algorithms for random
// number generation, Harvey Mudd College, HMC-CS-2014-0905, 2014; the output function DXSM is of its program, 2019.
type Stream struct{ hi, lo uint64 }

// Float64 returns a uniform number in [0, 1), a multiple of 2⁻⁵³.
func (s *Stream) Float64() float64 {
	*s = s.next()
	return s.uniform()
}

// Exp returns an exponential number of mean 1, that of a uniform number.
func (s *Stream) Exp() float64 { return exponentialOf(s.Float64()) }

// next returns the state after a step: the linear congruence s·a + c modulo 2¹²⁸.
func (s Stream) next() Stream {
	const (
		aHi, aLo = 0x2360ed051fc65da4, 0x4385df649fccf645
		cHi, cLo = 0x5851f42d4c957f2d, 0x14057b7ef767814f
	)
	hi, lo := bits.Mul64(s.lo, aLo)
	lo, carry := bits.Add64(lo, cLo, 0)
	return Stream{hi + s.hi*aLo + s.lo*aHi + cHi + carry, lo}
}

// uniform returns the number of a state: 53 bits of a hash of it.
func (s Stream) uniform() float64 {
	x := (s.hi ^ s.hi>>32) * 0xda942042e4dd58b5
	return float64((x^x>>48)*(s.lo|1)>>11) * 0x1p-53
}
