package fit

import (
	"math"
	"sort"
)

// Sketch takes any number of observations one by one and keeps them in bounded memory. Up to a million it keeps the
// observations themselves. Beyond, it keeps two summaries on a logarithmic grid: the mean and weight of each of 4096
// cells between x and 2x, from which distributions are found and compared with the data, and the weights of 128 nodes
// between x and 2x that sum the logarithm of a density as if over all observations, to rounding, which is what
// likelihoods are taken from. The zero value is empty and ready to use.
//
// Sketches of parts of the data can be merged; the order in which observations come changes only rounding.
type Sketch struct {
	raw        Sample
	used       int
	zeros      int
	observed   [2*maxExponent + 1]*octave // of values, by binary exponent
	censored   [2*maxExponent + 1]*octave // of lower bounds
	summarised bool
}

// keep is the number of observations up to which a sketch keeps them.
const maxKept = 1_000_000

const (
	maxExponent    = 1100 // above that of any floating-point number
	cellsPerOctave = 4096 // in an octave
	nodesPerOctave = 1 << scoringSplit
)

// octave summarises the values from 2^e up to 2^(e+1).
type octave struct {
	weight, sum [cellsPerOctave]float64
	nodes       [nodesPerOctave]float64
}

// Add takes an observation: a value with its weight, or a lower bound. A value that is not a nonnegative finite number,
// or a weight that is not, is a *[SampleError] and is not taken.
func (s *Sketch) Add(value, weight float64, censored bool) error {
	switch {
	case !(value >= 0) || math.IsInf(value, 1):
		return (Sample{Values: []float64{value}}).check()
	case !(weight >= 0) || math.IsInf(weight, 1):
		return (Sample{Values: []float64{value}, Weights: []float64{weight}}).check()
	}
	if !s.summarised && len(s.raw.Values) < maxKept {
		s.store(value, weight, censored)
		return nil
	}
	if !s.summarised {
		s.summarise()
	}
	s.count(value, weight, censored)
	return nil
}

// store keeps an observation as it is; weights and flags are kept from the first that is not usual.
func (s *Sketch) store(value, weight float64, censored bool) {
	r := &s.raw
	if weight != 1 && r.Weights == nil {
		for range r.Values {
			r.Weights = append(r.Weights, 1)
		}
		if r.Weights == nil {
			r.Weights = []float64{}
		}
	}
	if censored && r.Censored == nil {
		r.Censored = make([]bool, len(r.Values))
	}
	r.Values = append(r.Values, value)
	if r.Weights != nil {
		r.Weights = append(r.Weights, weight)
	}
	if r.Censored != nil {
		r.Censored = append(r.Censored, censored)
	}
}

// spill folds what has been kept.
func (s *Sketch) summarise() {
	s.summarised = true
	for i, x := range s.raw.Values {
		w := 1.0
		if s.raw.Weights != nil {
			w = s.raw.Weights[i]
		}
		s.count(x, w, s.raw.Censored != nil && s.raw.Censored[i])
	}
	s.raw = Sample{}
}

func (s *Sketch) count(x, w float64, censored bool) {
	switch {
	case w == 0:
		return
	case x == 0:
		if !censored {
			s.zeros++ // told apart from dropped ones when the resolution is known
			s.octave(false, -maxExponent).weight[0] += w
		}
		return
	}
	s.used++
	f, e := math.Frexp(x)
	e--
	f = 2*f - 1 // x = 2^e·(1+f)
	o := s.octave(censored, e)
	o.weight[int(f*cellsPerOctave)] += w
	o.sum[int(f*cellsPerOctave)] += w * x
	s.spread(censored, e, f, w, o)
}

func (s *Sketch) octave(censored bool, e int) *octave {
	set := &s.observed
	if censored {
		set = &s.censored
	}
	o := &set[e+maxExponent]
	if *o == nil {
		*o = new(octave)
	}
	return *o
}

// spread adds w to the six nodes around 2^e·(1+f).
func (s *Sketch) spread(censored bool, e int, f, w float64, o *octave) {
	near := int(f * nodesPerOctave)
	u := math.Log1p(f)
	c := &sketchStencils[near]
	for k := range 6 {
		v := w * c.scale[k]
		for l := range 6 {
			if l != k {
				v *= u - c.at[l]
			}
		}
		switch j := near - 2 + k; {
		case j < 0:
			s.octave(censored, e-1).nodes[j+nodesPerOctave] += v
		case j >= nodesPerOctave:
			s.octave(censored, e+1).nodes[j-nodesPerOctave] += v
		default:
			o.nodes[j] += v
		}
	}
}

// sketchStencil holds the logarithms of the six nodes around a cell, relative to its octave, and the denominators of
// the polynomials of Lagrange.
type sketchStencil struct{ at, scale [6]float64 }

var sketchStencils = func() (out [nodesPerOctave]sketchStencil) {
	for near := range out {
		st := &out[near]
		for k := range st.at {
			e := 0
			j := near - 2 + k
			switch {
			case j < 0:
				j, e = j+nodesPerOctave, -1
			case j >= nodesPerOctave:
				j, e = j-nodesPerOctave, 1
			}
			st.at[k] = math.Log1p(float64(j)/nodesPerOctave) + float64(e)*math.Ln2
		}
		for k := range st.scale {
			st.scale[k] = 1
			for l := range st.at {
				if l != k {
					st.scale[k] /= st.at[k] - st.at[l]
				}
			}
		}
	}
	return out
}()

// Merge adds what o has taken; o is not changed.
func (s *Sketch) Merge(o *Sketch) {
	for i, x := range o.raw.Values {
		w := 1.0
		if o.raw.Weights != nil {
			w = o.raw.Weights[i]
		}
		// Add refuses nothing that o has not refused.
		_ = s.Add(x, w, o.raw.Censored != nil && o.raw.Censored[i])
	}
	if !o.summarised {
		return
	}
	if !s.summarised {
		s.summarise()
	}
	s.used += o.used
	s.zeros += o.zeros
	for _, sets := range [2][2]*[2*maxExponent + 1]*octave{{&s.observed, &o.observed}, {&s.censored, &o.censored}} {
		for e, from := range sets[1] {
			if from == nil {
				continue
			}
			if sets[0][e] == nil {
				sets[0][e] = new(octave)
			}
			to := sets[0][e]
			for i := range from.weight {
				to.weight[i] += from.weight[i]
				to.sum[i] += from.sum[i]
			}
			for j := range from.nodes {
				to.nodes[j] += from.nodes[j]
			}
		}
	}
}

// Sample returns what was taken: the observations themselves or the cells that summarise them. The sketch must not be
// added to while the sample is in use.
func (s *Sketch) Sample() Sample {
	if !s.summarised {
		return s.raw
	}
	out := Sample{sketch: s, Weights: []float64{}, Censored: []bool{}}
	for kind, set := range []*[2*maxExponent + 1]*octave{&s.observed, &s.censored} {
		for _, o := range set {
			if o == nil {
				continue
			}
			for i, w := range o.weight {
				if w > 0 {
					out.Values = append(out.Values, o.sum[i]/w)
					out.Weights = append(out.Weights, w)
					out.Censored = append(out.Censored, kind == 1)
				}
			}
		}
	}
	return out
}

// mesh returns the mesh to score on, in the unit scale.
func (s *Sketch) quadrature(p *problem) *quadrature {
	g := p.gridNodes(scoringSplit)
	n := len(g.times)
	m := g.quad
	m.allocate(n)
	for kind, set := range []*[2*maxExponent + 1]*octave{&s.observed, &s.censored} {
		to := m.observed
		if kind == 1 {
			to = m.censored
		}
		for e, o := range set {
			if o == nil || e == 0 {
				continue
			}
			for j, w := range o.nodes {
				if w == 0 {
					continue
				}
				t := math.Ldexp(1+float64(j)/nodesPerOctave, e-maxExponent) / p.scale
				if at := sort.SearchFloat64s(g.times, t); at < n && g.times[at] == t {
					to[at] += w
				}
			}
		}
	}
	return m
}
