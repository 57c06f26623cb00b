// Package chainfiles writes chains that have been solved to files, for teaching and for other solvers.
package chainfiles

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
)

// Chain is a chain that has been solved, with everything that its files say.
type Chain struct {
	Policy string
	Unit   string // of time
	QBD    *markov.QBD
	// States holds the states of the boundary levels as in states.csv. All levels above the last one have its states.
	States   [][]string
	Solution *markov.QBDSolution
	R, G     *mat.Dense
	Last     int     // last level whose probabilities are written
	Lost     float64 // probability of the levels above it
}

// Cut sets Last and Lost, so that the levels above Last have a probability of at most lost together. Fewer levels are written
// if they would have more than most states, but always all boundary levels. The error is the reason why ctx has ended.
func (c *Chain) Cut(ctx context.Context, lost float64, most int) error {
	total := 0
	c.Solution.Each(func(level int, pi []float64, above float64) bool {
		total += len(pi)
		c.Last, c.Lost = level, above
		more := level < len(c.States)-1 || above > lost && total+len(pi) <= most
		return more && ctx.Err() == nil
	})
	return ctx.Err()
}

// files lists the files of a folder.
var files = []struct {
	name  string
	write func(*Chain, *bytes.Buffer)
}{
	{"README.txt", (*Chain).readme}, {"states.csv", (*Chain).statesCSV}, {"blocks.csv", (*Chain).blocksCSV},
	{"R.csv", func(c *Chain, w *bytes.Buffer) { matrixCSV(w, c.R) }},
	{"G.csv", func(c *Chain, w *bytes.Buffer) { matrixCSV(w, c.G) }},
	{"pi.csv", (*Chain).Probabilities},
}

// Write makes the folder dir with a folder for each chain, which has the name of the policy. If Write fails, it removes
// the folder dir that it has made. The error wraps [io/fs.ErrExist] if dir already exists.
func Write(ctx context.Context, dir string, chains []*Chain) (err error) {
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
		name := filepath.Join(dir, strings.NewReplacer(":", "-", ",", "-").Replace(c.Policy))
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
`, c.Policy, c.Unit, b, b, b, b, c.Last, c.Lost)
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

// Probabilities writes pi.csv: the stationary probabilities of the states up to level Last.
func (c *Chain) Probabilities(w *bytes.Buffer) {
	fmt.Fprintln(w, "level,phase,probability")
	c.Solution.Each(func(level int, pi []float64, _ float64) bool {
		for i, p := range pi {
			fmt.Fprintf(w, "%d,%d,%s\n", level, i, number(p))
		}
		return level < c.Last
	})
}

// number writes a number with all of its digits.
func number(x float64) string { return strconv.FormatFloat(x, 'g', 17, 64) }
