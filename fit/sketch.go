package fit

import (
	"context"
	"math"
	"sort"
)

// Sketch takes any number of observations one by one and keeps them in bounded memory: up to a million observations as
// they are, more of them as two summaries on a logarithmic grid. One summary is the mean and weight of each of 4096
// cells between x and 2x; distributions are fitted to it and compared with it. The other is the weights of 128 nodes
// between x and 2x that sum the logarithm of a density as the observations would, up to rounding; likelihoods are
// computed from it. The zero value is an empty sketch.
//
// Sketches of parts of the data can be merged. The order of the observations only affects rounding.
type Sketch struct {
	raw        Sample
	used       int
	zeros      int
	observed   octaves // of values
	censored   octaves // of lower bounds
	summarised bool
}

// maxKept is the number of observations that a sketch keeps as they are.
const maxKept = 1_000_000

const (
	maxExponent    = 1100 // above that of any floating-point number
	cellsPerOctave = 4096
	nodesPerOctave = 1 << scoringSplit
)

// octaves holds summaries by the binary exponent of their values, plus maxExponent.
type octaves [2*maxExponent + 1]*octave

// octave summarises the values from 2^e up to 2^(e+1).
type octave struct {
	weight, sum [cellsPerOctave]float64
	nodes       [nodesPerOctave]float64
}

// Add adds a value, or a lower bound if censored, with its weight. The error is a *[SampleError] if the value or the
// weight is not a nonnegative finite number; then nothing is added.
func (s *Sketch) Add(value, weight float64, censored bool) error {
	switch {
	case s == nil:
		return (Sample{}).check()
	case !(value >= 0) || math.IsInf(value, 1):
		return (Sample{Values: []float64{value}}).check()
	case !(weight >= 0 && weight <= mostWeight):
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

// store keeps an observation as it is. The slices of weights and flags are made for the first observation that needs
// them.
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

// summarise replaces the observations that were kept by the summaries.
func (s *Sketch) summarise() {
	s.summarised = true
	for i, x := range s.raw.Values {
		s.count(x, s.raw.weight(i), s.raw.lowerBound(i))
	}
	s.raw = Sample{}
}

// count adds an observation to the summaries.
func (s *Sketch) count(x, w float64, censored bool) {
	switch {
	case w == 0:
		return
	case x == 0:
		if !censored {
			s.zeros++ // dropped or not, depending on the resolution, which is not known yet
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

// sketchStencil holds the logarithms of the six nodes around a cell, relative to its octave, and the reciprocals of the
// denominators of the Lagrange polynomials.
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

// Merge adds the observations of o, which is not changed. A nil sketch has none.
func (s *Sketch) Merge(o *Sketch) {
	if o == nil {
		return
	}
	raw, summarised := o.raw, o.summarised // o may be s itself
	for i, x := range raw.Values {
		// Add refuses nothing that o has not refused.
		_ = s.Add(x, raw.weight(i), raw.lowerBound(i))
	}
	if !summarised {
		return
	}
	if !s.summarised {
		s.summarise()
	}
	s.used += o.used
	s.zeros += o.zeros
	for _, sets := range [2][2]*octaves{{&s.observed, &o.observed}, {&s.censored, &o.censored}} {
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

// Sample returns the observations, or the cells that summarise them, as a sample. While that is in use, nothing may be
// added to the sketch.
func (s *Sketch) Sample() Sample {
	if !s.summarised {
		return s.raw
	}
	out := Sample{sketch: s, Weights: []float64{}, Censored: []bool{}}
	for kind, set := range []*octaves{&s.observed, &s.censored} {
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

// scoringQuadrature returns the quadrature for scoring, with the scale of p.
func (s *Sketch) scoringQuadrature(ctx context.Context, p *problem) *quadrature {
	g := p.gridNodes(ctx, scoringSplit)
	n := len(g.times)
	q := g.quad
	q.allocate(n)
	for kind, set := range []*octaves{&s.observed, &s.censored} {
		to := q.observed
		if kind == 1 {
			to = q.censored
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
	return q
}
