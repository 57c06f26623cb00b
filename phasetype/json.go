package phasetype

import (
	"encoding/json"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// distJSON is the representation in a file. Exit is only written if it has more digits than the row sums of T.
type distJSON struct {
	Alpha []float64   `json:"alpha"`
	T     [][]float64 `json:"T"`
	Exit  []float64   `json:"exit,omitempty"`
}

// MarshalJSON writes {"alpha": […], "T": [[…]]} with as many digits as it takes to read back the same distribution bit
// by bit. If exit rates have more digits than the row sums of T (see [FromRates]), "exit" is written as well.
// The zero value has empty lists.
func (d Dist) MarshalJSON() ([]byte, error) {
	out := distJSON{Alpha: make([]float64, 0, d.n), T: square(d.t, d.n)}
	out.Alpha = append(out.Alpha, d.alpha...)
	if d.n > 0 {
		if again, err := New(d.alpha, d.T()); err != nil || !again.equal(d) {
			out.Exit = d.exit
		}
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON wrote and ignores other fields of the object. It returns an *[Error] if the
// object is not a distribution.
func (d *Dist) UnmarshalJSON(data []byte) error {
	var in *distJSON
	if err := decode(data, &in); err != nil || in == nil { // null leaves d as it is
		return err
	}
	if len(in.Alpha) == 0 && len(in.T) == 0 && in.Alpha != nil && in.T != nil {
		*d = Dist{}
		return nil
	}
	t, err := rectangular("T", in.T)
	if err != nil {
		return err
	}
	read, err := NewWithExit(in.Alpha, t, in.Exit)
	if err != nil {
		return err
	}
	*d = read
	return nil
}

// UnmarshalJSON reads a distribution as [Dist.UnmarshalJSON] does, whose functions l then has.
func (l *Law) UnmarshalJSON(data []byte) error {
	var d Dist
	if err := d.UnmarshalJSON(data); err != nil || l == nil {
		return err
	}
	*l = *NewLaw(d)
	return nil
}

// equal reports whether the representations are the same, bit by bit.
func (d Dist) equal(o Dist) bool {
	if d.n != o.n || d.atom != o.atom {
		return false
	}
	for i, v := range d.alpha {
		if v != o.alpha[i] || d.exit[i] != o.exit[i] {
			return false
		}
	}
	for k, v := range d.t {
		if v != o.t[k] {
			return false
		}
	}
	return true
}

type mapJSON struct {
	D0 [][]float64 `json:"D0"`
	D1 [][]float64 `json:"D1"`
}

// MarshalJSON writes {"D0": [[…]], "D1": [[…]]}, from which the same process is read back bit by bit. The zero value
// has empty lists.
func (m MAP) MarshalJSON() ([]byte, error) {
	return json.Marshal(mapJSON{D0: square(m.d0, m.n), D1: square(m.d1, m.n)})
}

// UnmarshalJSON reads what MarshalJSON wrote and ignores other fields of the object. It returns an *[Error] if the
// object is not an arrival process.
func (m *MAP) UnmarshalJSON(data []byte) error {
	var in *mapJSON
	if err := decode(data, &in); err != nil || in == nil {
		return err
	}
	if len(in.D0) == 0 && len(in.D1) == 0 && in.D0 != nil && in.D1 != nil {
		*m = MAP{}
		return nil
	}
	d0, err := rectangular("D0", in.D0)
	if err != nil {
		return err
	}
	d1, err := rectangular("D1", in.D1)
	if err != nil {
		return err
	}
	read, err := NewMAP(d0, d1)
	if err != nil {
		return err
	}
	*m = read
	return nil
}

// decode is json.Unmarshal with errors that name JSON types, not Go types.
func decode(data []byte, v any) error {
	err := json.Unmarshal(data, v)
	var kind *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &kind) && kind.Field != "":
		return bad(kind.Field, -1, -1, "%s found, but numbers or lists of numbers in range are expected", kind.Value)
	case errors.As(err, &kind):
		return bad("JSON", -1, -1, "%s found, but an object is expected", kind.Value)
	}
	return fmt.Errorf("phasetype: %w", err)
}

// square returns row-major entries as rows.
func square(v []float64, n int) [][]float64 {
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = v[i*n : (i+1)*n]
	}
	return rows
}

// rectangular returns rows of one length as a matrix.
func rectangular(field string, rows [][]float64) (*mat.Dense, error) {
	if len(rows) == 0 {
		return nil, bad(field, -1, -1, "is missing or empty")
	}
	n := len(rows)
	if n > MaxPhases {
		return nil, bad(field, -1, -1, "%d rows, at most %d are supported", n, MaxPhases)
	}
	m := mat.NewDense(n, n, nil)
	for i, row := range rows {
		if len(row) != n {
			return nil, bad(field, i, -1, "has %d entries, there are %d rows", len(row), n)
		}
		m.SetRow(i, row)
	}
	return m, nil
}
