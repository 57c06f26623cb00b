package qbdtest

import (
	"encoding/json"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/testdata/refs"
)

// Reference is an instance that anyone can rebuild, with its results.
type Reference struct {
	Name string  `json:"-"`
	C    int     // servers; 0 for a dense block instance
	EN   float64 // mean level
	VarN float64
	EQ   float64            // mean number waiting
	PN0  float64            `json:"P_N0"`
	PNc  float64            `json:"P_N_ge_c"`
	SpR  float64            `json:"spR"`
	Pi0  []float64          `json:"pi0"`
	Pi03 []float64          `json:"pi0_first3"`
	GRow []float64          `json:"G_row0"`
	RRow []float64          `json:"R_row0"`
	Tail map[string]float64 // "P(N>=50)"
	Arr  struct {
		Alpha []float64
		T     [][]float64
	}
	Svc struct {
		Beta []float64
		S    [][]float64
	}
}

// References returns the instances of the reference file by name.
func References() (map[string]Reference, error) {
	text, err := refs.Files.ReadFile("qbd.json")
	if err != nil {
		return nil, fmt.Errorf("qbdtest: %w", err)
	}
	var file struct{ Instances map[string]Reference }
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("qbdtest: %w", err)
	}
	for name, r := range file.Instances {
		r.Name = name
		file.Instances[name] = r
	}
	return file.Instances, nil
}

// Dense returns the chain "dense(n, rho)" of the recipes: full blocks from integer arithmetic, one boundary level.
func Dense(n int, rho float64) *markov.QBD {
	h := func(i, j, k int) float64 {
		return float64((31*i*i+17*j*j+13*i*j+101*k*(i+2*j+1))%1009+1) / 1009
	}
	block := func(f func(i, j int) float64) *mat.Dense {
		m := mat.NewDense(n, n, nil)
		for i := range n {
			for j := range n {
				m.Set(i, j, f(i, j)/float64(n))
			}
		}
		return m
	}
	up := block(func(i, j int) float64 { return rho * h(i, j, 1) })
	local := block(func(i, j int) float64 { return h(i, j, 2) })
	down := block(func(i, j int) float64 { return h(i, j, 3) })
	var zero mat.Dense // level 0 stays where the others go down
	zero.Add(local, down)
	return &markov.QBD{
		Boundary:  []markov.Level{{Up: up, Local: &zero}},
		Repeating: markov.Level{Up: up, Local: local, Down: down},
	}
}
