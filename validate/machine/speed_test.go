package machine_test

import (
	"testing"

	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/internal/cputime"
	"github.com/partwise/partwise/validate/machine"
	"gonum.org/v1/gonum/mat"
)

// hyper is a hyperexponential run time of mean 1 whose two phases differ by a factor of ten, times 1/speed.
func hyper(speed float64) phasetype.Dist {
	p := 0.8
	t := mat.NewDense(2, 2, []float64{-speed * (p + (1-p)*10), 0, 0, -speed * (p + (1-p)*10) / 10})
	return phasetype.Must(phasetype.New([]float64{p, 1 - p}, t))
}

func exponential(mean float64) phasetype.Dist {
	return phasetype.Must(phasetype.New([]float64{1}, mat.NewDense(1, 1, []float64{-1 / mean})))
}

// eight is DEP on 8 nodes at load .7: hyperexponential demands of mean 1, Amdahl's speedup with 2 % serial, and
// repartitions of 1 % of a demand.
func eight(tb testing.TB) machine.ChainConfig {
	c := machine.ChainConfig{}
	for i := 1; i <= 8; i++ {
		n := 8 / float64(i)
		c.Service = append(c.Service, hyper(1/(0.02+0.98/n)))
		c.Shrink = append(c.Shrink, exponential(0.01))
		c.Expand = append(c.Expand, exponential(0.01))
	}
	c.Expand = c.Expand[:7]
	var err error
	c.Arrivals, err = phasetype.Renewal(exponential(1 / (0.7 * 8)))
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

func BenchmarkModelFidelityN8(b *testing.B) {
	c, err := machine.NewChain(eight(b))
	benchmark(b, c, err)
}

func BenchmarkMachineFidelityN8(b *testing.B) {
	c := eight(b)
	speed := []float64{0}
	for n := 1.0; n <= 8; n++ {
		speed = append(speed, 1/(0.02+0.98/n))
	}
	m, err := machine.New(machine.Config{Nodes: 8, Unit: 1, Arrivals: c.Arrivals, Demand: hyper(1), Speed: speed,
		Shrink: c.Shrink, Expand: c.Expand, Policy: func() machine.Policy { return &machine.Dynamic{} }})
	benchmark(b, m, err)
}

func BenchmarkSmoothingN8(b *testing.B) {
	c, err := machine.NewCalmChain(eight(b), exponential(0.1))
	benchmark(b, c, err)
}

func benchmark(b *testing.B, c machine.Simulator, err error) {
	if err != nil {
		b.Fatal(err)
	}
	var t machine.Tally
	run := c.Start(des.Seed(1))
	b.ReportAllocs()
	begin := cputime.Seconds()
	for b.Loop() {
		if err := run.Advance(1000, &t); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(t[machine.Events]/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(t[machine.Events]/(cputime.Seconds()-begin), "events/cpu-s")
	b.ReportMetric(t[machine.Departed]/b.Elapsed().Seconds(), "jobs/s")
}
