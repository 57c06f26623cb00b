package fit

import (
	"maps"
	"math"
	"slices"
)

// Sketch takes any number of observations one by one and stores them in bounded memory. Up to a million observations
// are stored unchanged. More are summarised by the mean and the weight of each of 4096 cells between x and 2x. The mean
// of a cell stands for its values, with an error of the log-density of a few 1e-9. The order of the observations
// affects rounding only. The zero value is an empty sketch.
type Sketch struct {
	raw        Sample
	used       int
	zeros      int
	squares    float64         // sum of the squared weights that cells summarise
	fractional bool            // a weight that cells summarise is not a whole number
	cells      map[int]*octave // nil while the observations are stored unchanged
}

// maxKept is the number of observations that a sketch stores unchanged.
const maxKept = 1_000_000

const (
	placeBits      = 12
	cellsPerOctave = 1 << placeBits
)

// octave summarises the values in [2^(e−1), 2^e), with key 2e, or the lower bounds in this range, with key 2e + 1.
type octave [cellsPerOctave]struct{ weight, sum float64 }

// keyOfZeros is the key of zeros. It is below the keys of all positive numbers.
const keyOfZeros = -1 << 12

// Add adds a value, or a lower bound if censored, with its weight, in constant time. Nothing is added to a nil Sketch,
// if the value or the weight is not a nonnegative finite number, or if the weight exceeds 1e15. The error is then a
// *[SampleError].
func (s *Sketch) Add(value, weight float64, censored bool) error {
	if s == nil {
		return Sample{}.check()
	}
	if !(value >= 0 && value <= math.MaxFloat64 && weight >= 0 && weight <= mostWeight) {
		return Sample{Values: []float64{value}, Weights: []float64{weight}}.check()
	}
	if s.cells == nil {
		s.raw.Values = append(s.raw.Values, value)
		s.raw.Weights = append(s.raw.Weights, weight)
		s.raw.Censored = append(s.raw.Censored, censored)
		if len(s.raw.Values) > maxKept {
			s.summarise()
		}
		return nil
	}
	s.count(value, weight, censored)
	return nil
}

// summarise moves all observations from s.raw into cells, so that more observations take no more memory.
func (s *Sketch) summarise() {
	s.cells = map[int]*octave{}
	for i, x := range s.raw.Values {
		s.count(x, s.raw.Weights[i], s.raw.Censored[i])
	}
	s.raw = Sample{}
}

// count adds an observation x of weight w to the cell of its value, one of 4096 cells between two powers of two. It
// adds 1 to used or, for x = 0, to zeros. If censored is true, x is a lower bound; lower bounds have cells of their
// own. A weight that is not whole sets fractional. Observations of weight 0 and lower bounds of 0 are left out.
func (s *Sketch) count(x, w float64, censored bool) {
	s.fractional = s.fractional || isFractional(w)
	key, place := keyOfZeros, 0
	switch {
	case w == 0 || x == 0 && censored: // no information
		return
	case x == 0:
		s.zeros++ // dropped or not, depending on the resolution, which is not known yet
	default:
		s.used++
		key, place = cellOf(x)
		if censored {
			key++
		}
	}
	o := s.cells[key]
	if o == nil {
		o = new(octave)
		s.cells[key] = o
	}
	s.squares += w * w
	c := &o[place]
	c.weight += w
	c.sum += w * x
}

// cellOf returns the key of the octave of a value x > 0, and the place of its cell there. Both are read from the bits of
// x, in less time than by math.Frexp. The bits of a value below 2⁻¹⁰²² do not tell its exponent.
func cellOf(x float64) (key, place int) {
	const exponentOfHalf, fractionBits = 1022, 52
	bits := math.Float64bits(x)
	if exponent := int(bits >> fractionBits); exponent > 0 {
		return 2 * (exponent - exponentOfHalf), int(bits >> (fractionBits - placeBits) % cellsPerOctave)
	}
	f, e := math.Frexp(x)
	return 2 * e, int((2*f - 1) * cellsPerOctave)
}

// Sample returns the observations, or the cells that summarise them, as a sample for [PhaseType], without a resolution.
// The sample of a nil Sketch is empty. Weights is nil if all weights are 1, and Censored nil if there are no lower
// bounds, as long as nothing is summarised. It may share the storage of the sketch: nothing may be added to the sketch
// while the sample is in use.
func (s *Sketch) Sample() Sample {
	if s == nil {
		return Sample{}
	}
	if s.cells == nil {
		out := s.raw
		if !slices.ContainsFunc(out.Weights, func(w float64) bool { return w != 1 }) {
			out.Weights = nil
		}
		if !slices.Contains(out.Censored, true) {
			out.Censored = nil
		}
		return out
	}
	out := Sample{sketch: s}
	for _, key := range slices.Sorted(maps.Keys(s.cells)) {
		for _, c := range s.cells[key] {
			if c.weight > 0 {
				out.Values = append(out.Values, c.sum/c.weight)
				out.Weights = append(out.Weights, c.weight)
				out.Censored = append(out.Censored, key%2 != 0)
			}
		}
	}
	return out
}
