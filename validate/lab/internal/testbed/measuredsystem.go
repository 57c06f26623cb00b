package testbed

import (
	"fmt"
	"strings"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/modelfile"
)

// System returns the model of a machine that has been measured. Demands and speedups were measured on jobs that ran alone. The
// cost of a repartition has the mean and the variability of the measured costs, or of some of their steps, as cost says. A job
// that comes to the empty machine pays nothing, since what it takes to start is part of the time that it runs alone.
func (s *Study) System(m *Measured, cost func(*Reconfiguration) float64) (*models.System, error) {
	if s == nil || s.Nodes < 1 || m == nil || len(m.Alone) == 0 || len(m.Alone) != len(m.Nodes) {
		return nil, errNothing
	}
	file, err := modelfile.Parse("measured.yaml", fmt.Appendf(nil, "version: 1\nmachine: {nodes: %d}\narrivals: {rate: 1}\n%s", s.Nodes,
		m.Sections(s.Nodes, s.Demand.SCV(), cost)))
	if err != nil {
		return nil, err
	}
	return file.System, nil
}

// Sections returns the measured sections of a model file, in seconds: the jobs, whose demands have the SCV scv, and
// what repartitions cost. A speedup above the number of nodes is an error of measurement: other processes took the
// processors while a job ran alone. The file then has the number of nodes instead, because no model has such a speedup.
func (m *Measured) Sections(nodes int, scv float64, cost func(*Reconfiguration) float64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "jobs:      # alone on %d nodes: partwise lab testbed measure\n  demand: {moments: {mean: %ss, scv: %v}}\n",
		nodes, significant(5, m.alone(0)), scv)
	var speedups []string
	for i, n := range m.Nodes {
		speedup := min(m.alone(0)/m.alone(i), float64(n))
		speedups = append(speedups, fmt.Sprintf("%d: %s", n, significant(5, speedup)))
	}
	fmt.Fprintf(&b, "  speedup: {table: {%s}}\ndynamic:\n  stops: resized\n  shrink: [%s]\n  expand: [%s]\n",
		strings.Join(speedups, ", "), strings.Join(m.costs(Arrival, nodes, cost), ", "),
		strings.Join(m.costs(Departure, nodes-1, cost), ", "))
	return b.String()
}

// costs returns the costs of the repartitions after arrivals or departures, by the number of jobs that run afterwards.
func (m *Measured) costs(why Why, most int, cost func(*Reconfiguration) float64) []string {
	costs := make([]string, most)
	for i := range m.Transitions {
		t := &m.Transitions[i]
		switch {
		case t.Why != why:
		case t.Why == Arrival && t.Running == 1:
			costs[0] = "null" // part of the run time alone
		default:
			mean, scv := Moments(t.Values(cost))
			costs[t.Running-1] = fmt.Sprintf("{moments: {mean: %ss, scv: %s}}", significant(5, mean), significant(4, scv))
		}
	}
	return costs
}

// significant returns a number with so many significant digits, zeros at its end included, as a model file shows it.
func significant(digits int, v float64) string { return fmt.Sprintf("%#.*g", digits, v) }
