package models_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/phasetype"
)

// rigidCase is a machine of jobs of several sizes, each as frequent as its size is small. Run times are proportional to the sizes.
type rigidCase struct {
	nodes int
	sizes []int
	run   phasetype.Dist // of jobs of one node
}

var (
	exponentialRun = must(phasetype.Erlang(1, 1))
	variableRun    = must(phasetype.BalancedHyperexponential(1, 4))
	regularRun     = must(phasetype.Erlang(3, 1))
)

// at returns the machine at a share of its largest stable arrival rate.
func (c rigidCase) at(b testing.TB, intensity float64) models.Model {
	var classes []rigidClass
	for _, n := range c.sizes {
		classes = append(classes, rigidClass{1 / float64(n), n, must(c.run.Scale(float64(n)))})
	}
	s := rigidSystem(b, c.nodes, poisson(1), classes...)
	rate, err := must(s.Chain(policy.FCFS{})).(saturating).MaxArrivalRate(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	return must(must(s.WithArrivalRate(intensity * rate)).Chain(policy.FCFS{}))
}

// saturating is a chain whose largest stable arrival rate is found without solving it.
type saturating interface {
	MaxArrivalRate(context.Context) (float64, error)
}

// BenchmarkRigid solves chains of rigid jobs at .7 of their largest stable arrival rate. Chains are named by their pairs of
// running jobs and a size of the head of the queue, and by their phases, fewer because only what is known of the head counts.
func BenchmarkRigid(b *testing.B) {
	for _, c := range []struct {
		pairs, phases int // of a repeating level
		rigidCase
	}{
		{69, 45, rigidCase{16, []int{1, 4, 16}, exponentialRun}},
		{368, 165, rigidCase{16, []int{1, 2, 4, 8}, exponentialRun}},
		{679, 239, rigidCase{8, []int{1, 2, 4, 8}, variableRun}},
		{940, 536, rigidCase{16, []int{1, 4, 16}, variableRun}},
		{771, 561, rigidCase{64, []int{1, 4, 16}, exponentialRun}},
		{8809, 5621, rigidCase{32, []int{1, 4, 16}, must(phasetype.Erlang(2, 1))}},
	} {
		b.Run(fmt.Sprintf("pairs=%d/n=%d", c.pairs, c.phases), func(b *testing.B) { benchmarkSolve(b, c.at(b, 0.7)) })
	}
}

// BenchmarkRigidLarge solves a chain of more than 20,000 phases by iteration, at a light load and at a load that needs more levels.
func BenchmarkRigidLarge(b *testing.B) {
	for _, intensity := range []float64{0.1, 0.7} {
		b.Run(fmt.Sprintf("n=24183/intensity=%v", intensity), func(b *testing.B) {
			benchmarkSolve(b, rigidCase{24, []int{1, 4, 12}, regularRun}.at(b, intensity))
		})
	}
}

// benchmarkSolve solves a chain.
func benchmarkSolve(b *testing.B, model models.Model) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := model.Solve(b.Context(), markov.Settings{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRigidCurve solves jobs of three sizes at 25 loads.
func BenchmarkRigidCurve(b *testing.B) {
	var curve []models.Model
	for i := range 25 {
		curve = append(curve, rigidCase{16, []int{1, 4, 16}, exponentialRun}.at(b, float64(i+1)/26))
	}
	b.Run("loads=25/pairs=69/n=45", func(b *testing.B) {
		for b.Loop() {
			for _, model := range curve {
				if _, err := model.Solve(b.Context(), markov.Settings{}); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}

// BenchmarkRigidSaturation finds the largest stable arrival rate of 128 nodes and sizes of 1, 4, 16 and 64, which have 10,626
// pairs of running jobs and a head of the queue.
func BenchmarkRigidSaturation(b *testing.B) {
	model := rigidCase{128, []int{1, 4, 16, 64}, exponentialRun}.at(b, 0.5).(saturating)
	for b.Loop() {
		if _, err := model.MaxArrivalRate(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
