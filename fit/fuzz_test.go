package fit

import (
	"encoding/binary"
	"math"
	"testing"
)

// reader turns bytes into anything that can be in a sample.
type reader struct{ b []byte }

func (r *reader) byte() byte {
	if len(r.b) == 0 {
		return 0
	}
	c := r.b[0]
	r.b = r.b[1:]
	return c
}

// number is a moderate value, an extreme one or any bits at all.
func (r *reader) number() float64 {
	switch c := r.byte(); c % 8 {
	case 0:
		return float64(r.byte())
	case 1:
		return math.Ldexp(1, int(int8(r.byte())))
	case 2:
		return math.Ldexp(1+float64(r.byte())/256, int(int8(r.byte()))*9)
	case 3:
		var bits [8]byte
		for i := range bits {
			bits[i] = r.byte()
		}
		return math.Float64frombits(binary.LittleEndian.Uint64(bits[:]))
	default:
		return float64(c)/16 + float64(r.byte())/7
	}
}

func (r *reader) sample() Sample {
	what := r.byte()
	n := 1 + int(r.byte()%10)
	series := func(bit byte) []float64 {
		if what&bit == 0 {
			return nil
		}
		out := make([]float64, n)
		for i := range out {
			out[i] = r.number()
		}
		return out
	}
	s := Sample{Values: series(0xff), Weights: series(1), Upper: series(2), Truncated: series(4)}
	if what&8 != 0 {
		s.Censored = make([]bool, n)
		for i := range s.Censored {
			s.Censored[i] = r.byte()%4 == 0
		}
	}
	if s.Values == nil {
		s.Values = []float64{1, 2}
		s.Weights, s.Upper, s.Truncated, s.Censored = nil, nil, nil, nil
	}
	for i := range s.Upper { // intervals in order, as a rule
		if what&16 != 0 && s.Upper[i] < s.Values[i] {
			s.Values[i], s.Upper[i] = s.Upper[i], s.Values[i]
		}
	}
	for i := range s.Truncated {
		if what&16 != 0 {
			s.Truncated[i] = s.Values[i] / 2
		}
	}
	if what&32 != 0 {
		s.Resolution = r.number()
	}
	return s
}

// FuzzPhaseType: whatever the numbers, an error or finite results.
func FuzzPhaseType(f *testing.F) {
	for _, seed := range []string{"", "\x00\x05abcdefghij", "\x01\x03aaaaaaaaaaaa", "\x3f\x04qwertzuiopasdfghjklyxcvbnm",
		"\x08\x06\x00\x01\x00\x02\x00\x03", "\x12\x08abcdefghijklmnopqrstuvwxyz"} {
		f.Add([]byte(seed), byte(0))
	}
	f.Fuzz(func(t *testing.T, b []byte, choice byte) {
		r := &reader{b}
		s := r.sample()
		names := Families()
		o := Options{Families: []Family{names[int(choice)%len(names)]}, MaxPhases: 3, MaxIter: 25, Workers: 1}
		if choice&0x40 != 0 {
			o.Criterion = AIC
		}
		if choice&0x80 != 0 {
			o.Method = EM
		}
		all, err := PhaseType(t.Context(), s, o)
		if err != nil {
			return
		}
		for _, c := range all {
			for name, v := range map[string]float64{"log-likelihood": c.LogLikelihood, "AIC": c.AIC, "BIC": c.BIC, "KS": c.KS,
				"AD": c.Goodness.AD, "mean": c.Dist.Mean(), "SCV": c.Dist.SCV(), "M/PH/1": c.Queue.MPH1,
				"PH/M/1": c.Queue.PHM1} {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Errorf("%+v: %s with %d phases: %s %v", s, c.Family, c.Phases, name, v)
				}
			}
			for _, p := range c.Goodness.Tail {
				if math.IsNaN(p.Fit) || p.Fit < 0 || p.Fit > 1 {
					t.Errorf("%+v: tail %v", s, p)
				}
			}
		}
		for _, line := range Summary(all, BIC) {
			if line == "" {
				t.Error("an empty sentence")
			}
		}
		if _, err := Compare(t.Context(), s, all[0].Dist, 0); err != nil {
			t.Errorf("%+v: %v", s, err)
		}
	})
}

// FuzzArrivals: the same of sequences.
func FuzzArrivals(f *testing.F) {
	f.Add([]byte("\x00\x05abcdefghij"))
	f.Add([]byte("\x20\x07qwertzuiopasdfghjklyxcvbnm"))
	f.Fuzz(func(t *testing.T, b []byte) {
		s := (&reader{b}).sample()
		all, err := Arrivals(t.Context(), s, Options{MaxPhases: 3, MaxIter: 25, Workers: 1})
		if err != nil {
			return
		}
		for _, c := range all {
			for name, v := range map[string]float64{"log-likelihood": c.LogLikelihood, "BIC": c.BIC, "KS": c.KS,
				"rate": c.MAP.Rate(), "SCV": c.MAP.SCV()} {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Errorf("%+v: %s with %d phases: %s %v", s, c.Family, c.Phases, name, v)
				}
			}
			for _, l := range c.Lags {
				if math.IsNaN(l.Data) || math.IsNaN(l.Fit) {
					t.Errorf("%+v: %s with %d phases: %+v", s, c.Family, c.Phases, l)
				}
			}
		}
	})
}
