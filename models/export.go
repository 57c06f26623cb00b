package models

import (
	"bufio"
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

// Chain is a chain that is solved and ready to be written.
type Chain struct {
	*stateChain
	policy policy.Policy
	unit   string // of time
	sol    *markov.QBDSolution
	r, g   *mat.Dense
	last   int     // level of the finite chain
	lost   float64 // probability above it
}

// What the finite chain leaves out, and how large it may be.
const (
	mostLost   = 1e-12 // probability of the levels that are left out
	mostStates = 200_000
)

// NewChain writes out and solves the chain of a policy. The error is [markov.ErrUnstable] of an unstable one, or wraps
// [ErrNoChain] or [markov.ErrTooLarge].
func NewChain(ctx context.Context, s *System, p policy.Policy, unit string, st markov.Settings) (*Chain, error) {
	return newChain(ctx, s, p, unit, st, mostLost, mostStates)
}

func newChain(ctx context.Context, s *System, p policy.Policy, unit string, st markov.Settings, lost float64, most int) (*Chain, error) {
	states, err := s.stateChain(ctx, p, st.Memory)
	if err != nil {
		return nil, err
	}
	c := &Chain{stateChain: states, policy: p, unit: unit}
	if c.sol, err = states.QBD.Solve(ctx, st); err != nil {
		return nil, fmt.Errorf("models: %v: %w", p, err)
	}
	c.r = c.sol.R()
	if c.g, err = c.sol.G(ctx); err != nil {
		return nil, fmt.Errorf("models: %v: %w", p, err)
	}
	return c, c.cut(ctx, lost, most)
}

// cut chooses the last level of the finite chain.
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

// states returns those of a level.
func (c *Chain) states(level int) []machineState { return c.States[min(level, len(c.States)-1)] }

// blockNames are the names of the blocks of a level by the levels that they lead up by, from −1.
var blockNames = [3]string{"down", "local", "up"}

// each calls f for each rate out of a level, state by state.
func (c *Chain) each(level int, f func(by, i, j int, rate float64)) {
	l := c.QBD.Repeating
	if level < len(c.QBD.Boundary) {
		l = c.QBD.Boundary[level]
	}
	for i := range c.states(level) {
		for k, m := range []mat.Matrix{l.Down, l.Local, l.Up} {
			if m == nil {
				continue
			}
			_, columns := m.Dims()
			for j := range columns {
				if by, rate := k-1, m.At(i, j); rate > 0 && (by != 0 || i != j) {
					f(by, i, j, rate)
				}
			}
		}
	}
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', 17, 64) }

// files are what a folder holds.
var files = []struct {
	name  string
	write func(*Chain, *writer)
}{
	{"README.txt", (*Chain).readme}, {"states.csv", (*Chain).statesCSV}, {"blocks.csv", (*Chain).blocksCSV},
	{"R.csv", func(c *Chain, w *writer) { matrixCSV(w, c.r) }},
	{"G.csv", func(c *Chain, w *writer) { matrixCSV(w, c.g) }},
	{"pi.csv", (*Chain).probabilities},
	{"chain.sta", (*Chain).prismStates}, {"chain.tra", (*Chain).prismTransitions}, {"chain.lab", (*Chain).prismLabels},
}

// WriteChains makes a folder with one for each chain in it, which has the name of its policy, or nothing. The error wraps
// [io/fs.ErrExist] if the folder is there already.
func WriteChains(ctx context.Context, dir string, chains []*Chain) error {
	return folder(dir, func() error {
		for _, c := range chains {
			if c == nil || c.sol == nil {
				return errors.New("models: a chain that was not made by NewChain")
			}
			name := filepath.Join(dir, strings.NewReplacer(":", "-", ",", "-").Replace(c.policy.String()))
			if err := os.Mkdir(name, 0o777); err != nil {
				return err
			}
			if err := c.fill(ctx, name); err != nil {
				return err
			}
		}
		return nil
	})
}

// fill writes the files of a folder.
func (c *Chain) fill(ctx context.Context, dir string) error {
	for _, f := range files {
		if err := writeFile(ctx, filepath.Join(dir, f.name), func(w *writer) { f.write(c, w) }); err != nil {
			return err
		}
	}
	return nil
}

// folder makes a folder, which is there as a whole or, after an error, not at all.
func folder(dir string, fill func() error) error {
	if err := os.MkdirAll(filepath.Dir(filepath.Clean(dir)), 0o777); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	err := fill()
	if err != nil {
		err = errors.Join(err, os.RemoveAll(dir))
	}
	return err
}

// writer writes a file. What takes long to write ends when the context is done.
type writer struct {
	*bufio.Writer
	ctx context.Context
}

func (w *writer) stopped() bool { return w.ctx.Err() != nil }

func writeFile(ctx context.Context, name string, write func(*writer)) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	w := &writer{bufio.NewWriter(f), ctx}
	write(w)
	if err := errors.Join(w.Flush(), f.Close()); err != nil {
		return err
	}
	return ctx.Err()
}

func (c *Chain) readme(w *writer) {
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
pi.csv       level, phase, stationary probability, for levels 0 to %d.
chain.sta, chain.tra, chain.lab   levels 0 to %d alone, where arrivals at the last are lost: prism -importmodel chain.all -ctmc.
             The levels above have the probability %.3g. Labels: init and empty (state 0 and others without jobs), running,
             repartitioning, full (last level).
`, c.policy, c.unit, b, b, b, b, c.last, c.last, c.lost)
}

func (c *Chain) statesCSV(w *writer) {
	fmt.Fprintln(w, "level,phase,arrival,stage,repartition_phase,full,jobs")
	for level, states := range c.States {
		for i, s := range states {
			fmt.Fprintf(w, "%d,%d,%d,%s,%d,%t,%s\n", level, i, s.Arrival, s.Stage, s.Phase, s.Full, s.jobs())
		}
	}
}

func (c *Chain) blocksCSV(w *writer) {
	fmt.Fprintln(w, "level,block,from,to,rate")
	for level := 0; level <= len(c.States) && !w.stopped(); level++ {
		c.each(level, func(by, i, j int, rate float64) {
			fmt.Fprintf(w, "%d,%s,%d,%d,%s\n", level, blockNames[by+1], i, j, number(rate))
		})
	}
}

func matrixCSV(w *writer, m *mat.Dense) {
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

func (c *Chain) probabilities(w *writer) {
	fmt.Fprintln(w, "level,phase,probability")
	c.sol.Each(func(level int, pi []float64, _ float64) bool {
		for i, p := range pi {
			fmt.Fprintf(w, "%d,%d,%s\n", level, i, number(p))
		}
		return level < c.last && !w.stopped()
	})
}

// eachState calls f for the states of the finite chain, numbered from 0.
func (c *Chain) eachState(f func(n, level, i int)) {
	n := 0
	for level := range c.last + 1 {
		for i := range c.states(level) {
			f(n, level, i)
			n++
		}
	}
}

func (c *Chain) prismStates(w *writer) {
	fmt.Fprintln(w, "(level,phase)")
	c.eachState(func(n, level, i int) { fmt.Fprintf(w, "%d:(%d,%d)\n", n, level, i) })
}

func (c *Chain) prismTransitions(w *writer) {
	firsts, states, count := make([]int, c.last+1), 0, 0 // by level the number of its first state
	c.eachState(func(n, level, i int) {
		if states++; i == 0 {
			firsts[level] = n
		}
	})
	walk := func(f func(from, to int, rate float64)) {
		for level := 0; level <= c.last && !w.stopped(); level++ {
			c.each(level, func(by, i, j int, rate float64) {
				if level+by <= c.last {
					f(firsts[level]+i, firsts[level+by]+j, rate)
				}
			})
		}
	}
	walk(func(int, int, float64) { count++ })
	fmt.Fprintf(w, "%d %d\n", states, count)
	walk(func(from, to int, rate float64) { fmt.Fprintf(w, "%d %d %s\n", from, to, number(rate)) })
}

func (c *Chain) prismLabels(w *writer) {
	fmt.Fprintln(w, `0="init" 1="deadlock" 2="empty" 3="running" 4="repartitioning" 5="full"`)
	c.eachState(func(n, level, i int) {
		running := c.states(level)[i].Stage == "running"
		labels := ""
		for label, holds := range []bool{n == 0, false, level == 0, level > 0 && running, !running, level == c.last} {
			if holds {
				labels += fmt.Sprintf(" %d", label)
			}
		}
		if labels != "" {
			fmt.Fprintf(w, "%d:%s\n", n, labels)
		}
	})
}
