package models

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/policy"
)

// Chain is a chain that has been solved and can be written to files.
type Chain struct {
	*stateChain
	policy policy.Policy
	unit   string // of time
	sol    *markov.QBDSolution
	r, g   *mat.Dense
	last   int     // last level whose probabilities are written
	lost   float64 // probability of the levels above it
}

// Limits of the stationary probabilities that are written.
const (
	mostLost   = 1e-12 // largest probability of the levels that are left out
	mostStates = 200_000
)

// NewChain writes out and solves the chain of a policy. The error is [markov.ErrUnstable] if the policy is unstable, or
// wraps [ErrNoChain] or [markov.ErrTooLarge].
func NewChain(ctx context.Context, s *System, p policy.Policy, unit string, st markov.Settings) (*Chain, error) {
	states, err := s.stateChain(ctx, p, st.Memory)
	if err != nil {
		return nil, err
	}
	c := &Chain{stateChain: states, policy: p, unit: unit}
	if c.sol, err = states.QBD.Solve(ctx, st); err == nil {
		c.r = c.sol.R()
		c.g, err = c.sol.G(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("models: %v: %w", p, err)
	}
	return c, c.cut(ctx, mostLost, mostStates)
}

// cut sets the last level whose probabilities are written.
func (c *Chain) cut(ctx context.Context, lost float64, most int) error {
	total := 0
	c.sol.Each(func(level int, pi []float64, above float64) bool {
		total += len(pi)
		c.last, c.lost = level, above
		more := level < len(c.States)-1 || above > lost && total+len(pi) <= most
		return more && ctx.Err() == nil
	})
	return ctx.Err()
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', 17, 64) }

// files lists the files of a folder.
var files = []struct {
	name  string
	write func(*Chain, *bytes.Buffer)
}{
	{"README.txt", (*Chain).readme}, {"states.csv", (*Chain).statesCSV}, {"blocks.csv", (*Chain).blocksCSV},
	{"R.csv", func(c *Chain, w *bytes.Buffer) { matrixCSV(w, c.r) }},
	{"G.csv", func(c *Chain, w *bytes.Buffer) { matrixCSV(w, c.g) }},
	{"pi.csv", (*Chain).probabilities},
}

// WriteChains makes the folder dir with a folder for each chain, which has the name of the policy. If it fails, nothing
// is left. The error wraps [io/fs.ErrExist] if dir already exists.
func WriteChains(ctx context.Context, dir string, chains []*Chain) (err error) {
	if err := os.MkdirAll(filepath.Dir(filepath.Clean(dir)), 0o777); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	for _, c := range chains {
		if c == nil || c.sol == nil {
			return errors.New("models: a chain that was not made by NewChain")
		}
		name := filepath.Join(dir, strings.NewReplacer(":", "-", ",", "-").Replace(c.policy.String()))
		if err := os.Mkdir(name, 0o777); err != nil {
			return err
		}
		for _, f := range files {
			var text bytes.Buffer
			f.write(c, &text)
			if err := cmp.Or(ctx.Err(), os.WriteFile(filepath.Join(name, f.name), text.Bytes(), 0o666)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *Chain) readme(w *bytes.Buffer) {
	b := len(c.States) - 1
	fmt.Fprintf(w, `The chain of the policy %v, rates per %s.

A state is a level, the number of jobs, and a phase. Phases count from 0.
There are the boundary levels 0 to %d; from level %d on the states are the same, and above it the rates.

states.csv   level, phase, arrival (phase of the arrival process), stage of the machine (running, shrinking after an arrival,
             expanding after a departure), phase of the repartition, full (all jobs stand still, where resized jobs stop
             alone), and how many of the jobs that hold partitions are in each phase of their run time, as in 2+1.
blocks.csv   level, block (down, local, up), phase from and to, rate; the level above %d stands for all that follow. Diagonals
             are left out: they are minus the sum of a row over the blocks of its level.
R.csv        mean time in the phases of a level per unit of time in those of the level below it, above level %d:
             pi(n+1) = pi(n) R.
G.csv        probabilities of the phase in which the level below is reached first.
pi.csv       level, phase, stationary probability, for levels 0 to %d. The levels above have the probability %.3g.
`, c.policy, c.unit, b, b, b, b, c.last, c.lost)
}

func (c *Chain) statesCSV(w *bytes.Buffer) {
	fmt.Fprintln(w, "level,phase,arrival,stage,repartition_phase,full,jobs")
	for level, states := range c.States {
		for i, s := range states {
			fmt.Fprintf(w, "%d,%d,%s\n", level, i, s)
		}
	}
}

func (c *Chain) blocksCSV(w *bytes.Buffer) {
	fmt.Fprintln(w, "level,block,from,to,rate")
	for level, l := range append(c.QBD.Boundary[:len(c.States):len(c.States)], c.QBD.Repeating) {
		rows, _ := l.Local.Dims()
		for i := range rows {
			for k, m := range []mat.Matrix{l.Down, l.Local, l.Up} {
				if m == nil {
					continue
				}
				_, columns := m.Dims()
				for j := range columns {
					if rate := m.At(i, j); rate > 0 && (k != 1 || i != j) {
						fmt.Fprintf(w, "%d,%s,%d,%d,%s\n", level, []string{"down", "local", "up"}[k], i, j, number(rate))
					}
				}
			}
		}
	}
}

func matrixCSV(w *bytes.Buffer, m *mat.Dense) {
	rows, columns := m.Dims()
	for i := range rows {
		for j := range columns {
			if j > 0 {
				w.WriteByte(',')
			}
			w.WriteString(number(m.At(i, j)))
		}
		w.WriteByte('\n')
	}
}

func (c *Chain) probabilities(w *bytes.Buffer) {
	fmt.Fprintln(w, "level,phase,probability")
	c.sol.Each(func(level int, pi []float64, _ float64) bool {
		for i, p := range pi {
			fmt.Fprintf(w, "%d,%d,%s\n", level, i, number(p))
		}
		return level < c.last
	})
}
