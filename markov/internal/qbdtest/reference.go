package qbdtest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/partwise/partwise/markov"
	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov/multiserver"
)

// qbd.json holds recipes and results of an independent program in 80-bit arithmetic.
//
//go:embed qbd.json
var referenceFile []byte

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
	var file struct{ Instances map[string]Reference }
	if err := json.Unmarshal(referenceFile, &file); err != nil {
		return nil, fmt.Errorf("qbdtest: %w", err)
	}
	for name, r := range file.Instances {
		r.Name = name
		file.Instances[name] = r
	}
	return file.Instances, nil
}

// Queue returns the PH/PH/c instance.
func (r Reference) Queue() *multiserver.Queue {
	if strings.HasPrefix(r.Name, "M/") {
		rate := -r.Arr.T[0][0]
		return &multiserver.Queue{
			D0: mat.NewDense(1, 1, []float64{-rate}), D1: mat.NewDense(1, 1, []float64{rate}),
			Servers: r.C, Service: []multiserver.Phases{{Alpha: r.Svc.Beta, T: dense(r.Svc.S)}},
		}
	}
	q := Renewal(r.Arr.Alpha, dense(r.Arr.T))
	q.Servers = r.C
	q.Service = []multiserver.Phases{{Alpha: r.Svc.Beta, T: dense(r.Svc.S)}}
	return q
}

func dense(rows [][]float64) *mat.Dense {
	m := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, r := range rows {
		m.SetRow(i, r)
	}
	return m
}

// Renewal returns a queue with phase-type interarrival times PH(alpha, T) and nothing else yet.
func Renewal(alpha []float64, t *mat.Dense) *multiserver.Queue {
	n := len(alpha)
	d1 := mat.NewDense(n, n, nil)
	for i := range n {
		exit := -mat.Sum(t.Slice(i, i+1, 0, n))
		for j, a := range alpha {
			d1.Set(i, j, exit*a)
		}
	}
	return &multiserver.Queue{D0: t, D1: d1}
}

// Hyperexponential2 returns PH(alpha, T) of the two-phase hyperexponential distribution with balanced means.
func Hyperexponential2(mean, scv float64) (alpha []float64, t *mat.Dense) {
	p := (1 + math.Sqrt((scv-1)/(scv+1))) / 2
	return []float64{p, 1 - p}, mat.NewDense(2, 2, []float64{-2 * p / mean, 0, 0, -2 * (1 - p) / mean})
}

// H2H2 returns the H2/H2/c queue of the recipes: arrivals of mean 1/(0.8c) and scv 4, service of mean 1 and scv 9.
func H2H2(c int) *multiserver.Queue {
	alpha, t := Hyperexponential2(1/(0.8*float64(c)), 4)
	q := Renewal(alpha, t)
	beta, s := Hyperexponential2(1, 9)
	q.Servers, q.Service = c, []multiserver.Phases{{Alpha: beta, T: s}}
	return q
}

// H2H returns the H2/H3/c or H2/H4/c queue of the recipes.
func H2H(m, c int) *multiserver.Queue {
	alpha, t := Hyperexponential2(1/(0.8*float64(c)), 4)
	q := Renewal(alpha, t)
	beta, rates := []float64{.5, .3, .2}, []float64{2, 1, .445}
	if m == 4 {
		beta, rates = []float64{.4, .3, .2, .1}, []float64{2, 1.5, .8, .25}
	}
	s := mat.NewDense(m, m, nil)
	for i, r := range rates {
		s.Set(i, i, -r)
	}
	q.Servers, q.Service = c, []multiserver.Phases{{Alpha: beta, T: s}}
	return q
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
