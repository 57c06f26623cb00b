// Package batches divides the output of a simulation into batches. A replication fills a [Series], batch after batch of
// sums, in bounded memory. [MSER] says how much of its beginning to leave out. A single long run is cut into groups,
// which stand for replications if they are [Independent]. [Lengthen] plans the next stage of a run that must reach a
// given precision. [Holm] judges many tests at once.
package batches

import "gonum.org/v1/gonum/floats"

// maxBatches bounds the memory of a Series.
const maxBatches = 1024

// Series is the output of one run as a sequence of batches. Each batch is a vector of sums over equally many
// observations. When the series is full, neighbouring batches are merged and the batch size doubles, so that memory
// stays bounded.
type Series struct {
	width int       // number of sums of a batch
	size  int       // observations of a batch
	sums  []float64 // batches × width, batch after batch
}

// NewSeries returns an empty series. Each batch has width sums, over size observations at first.
func NewSeries(width, size int) *Series { return &Series{width: width, size: size} }

// Size returns the number of observations that the next batch must have. It doubles whenever the series is full.
func (s *Series) Size() int { return s.size }

// Batches returns the number of batches.
func (s *Series) Batches() int { return len(s.sums) / s.width }

// Observations returns the number of observations in all batches, as if each batch had Size observations.
func (s *Series) Observations() int { return s.Batches() * s.size }

// Append adds a batch of Size observations, whose sums are copied. A series that is full then is merged, so that Size must
// be asked before each batch.
func (s *Series) Append(sums []float64) {
	s.Add(s.Observations(), sums)
	if s.Batches() == maxBatches {
		s.merge()
	}
}

// Add adds the sums of one observation to the batch to which its number belongs. Numbers count from 0, and may come in any
// order; batches between that have no observation have sums of 0. It panics unless there are as many sums as the width.
func (s *Series) Add(number int, sums []float64) {
	if len(sums) != s.width {
		panic("batches: sums of the wrong width")
	}
	for number/s.size >= maxBatches {
		s.merge()
	}
	at := number / s.size * s.width
	s.extend(at + s.width)
	for k, x := range sums { // floats.Add would wait for the zeros just written: a replay takes 5 % longer with it
		s.sums[at+k] += x
	}
}

// extend appends sums of 0 until there are n. Its room grows by factors of 4, up to that of a full series: a run that fills
// the series copies a third of it in all, where append copies four times as much.
func (s *Series) extend(n int) {
	if n > cap(s.sums) {
		room := max(n, min(4*n, maxBatches*s.width))
		s.sums = append(make([]float64, 0, room), s.sums...)
	}
	for len(s.sums) < n {
		s.sums = append(s.sums, 0)
	}
}

// merge adds neighbouring batches in pairs and doubles the batch size. A last batch without a neighbour stays as it is.
func (s *Series) merge() {
	n := s.Batches()
	for b := range n {
		for k := range s.width {
			x := s.sums[b*s.width+k]
			if b%2 == 1 {
				x += s.sums[b/2*s.width+k]
			}
			s.sums[b/2*s.width+k] = x
		}
	}
	s.sums = s.sums[:(n+1)/2*s.width]
	s.size *= 2
}

// Sum returns the sums over the batches b with from ≤ b < to, counted from 0, in a new vector. They must exist.
func (s *Series) Sum(from, to int) []float64 {
	total := make([]float64, s.width)
	for b := from; b < to; b++ {
		floats.Add(total, s.sums[b*s.width:(b+1)*s.width])
	}
	return total
}

// Groups returns the sums of n consecutive groups of equally many batches, from batch from on, which counts from 0. It
// returns fewer groups, of one batch each, if there are fewer batches. Batches that do not fill a group are left out at
// the front.
func (s *Series) Groups(from, n int) (groups [][]float64) {
	n = min(n, s.Batches()-from)
	for k := n; k > 0; k-- {
		size := (s.Batches() - from) / n
		groups = append(groups, s.Sum(s.Batches()-k*size, s.Batches()-(k-1)*size))
	}
	return groups
}

// Ratio returns, for each batch, component num of its sums divided by component den, both counted from 0. It is NaN or
// infinite where component den is 0.
func (s *Series) Ratio(num, den int) []float64 {
	x := make([]float64, s.Batches())
	for b := range x {
		x[b] = s.sums[b*s.width+num] / s.sums[b*s.width+den]
	}
	return x
}
