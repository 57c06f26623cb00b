package models

import (
	"encoding/binary"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/phasetype"
)

// stateKey identifies chains by all the numbers that their states and transitions depend on, to the bit.
type stateKey string

// stateNumbers are the bits of the numbers of a key.
type stateNumbers []byte

// Key returns the key of the numbers.
func (n stateNumbers) Key() stateKey { return stateKey(n) }

// Add adds numbers.
func (n *stateNumbers) Add(all ...float64) {
	for _, v := range all {
		*n = binary.LittleEndian.AppendUint64(*n, math.Float64bits(v))
	}
}

// AddMatrix adds a matrix, or that there is none.
func (n *stateNumbers) AddMatrix(m *mat.Dense) {
	if m == nil {
		n.Add(0, 0)
		return
	}
	rows, cols := m.Dims()
	n.Add(float64(rows), float64(cols))
	n.Add(m.RawMatrix().Data...)
}

// AddDist adds distributions.
func (n *stateNumbers) AddDist(all ...phasetype.Dist) {
	for _, d := range all {
		n.Add(float64(d.Phases()))
		for i := range d.Phases() {
			n.Add(d.AlphaAt(i), d.ExitAt(i))
			for j := range d.Phases() {
				n.Add(d.Rate(i, j))
			}
		}
	}
}
