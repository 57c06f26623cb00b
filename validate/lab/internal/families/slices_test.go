package families_test

import (
	"context"
	"math"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/metric"
)

// sliced simulates a machine that classes of jobs share in turn, with Poisson arrivals, for a time, and returns the mean
// numbers of jobs. It knows the machine from the words of its description alone.
func sliced(m *models.TimeSharedMachine, length float64, key des.Key) []float64 {
	type class struct {
		models.TimeSharedClass
		next                   float64   // arrival
		jobs                   []float64 // times that are left
		area                   float64
		arrivals               des.Stream
		service, quantum, over *des.Times
	}
	var all []*class
	for i, c := range m.Classes {
		s := &class{TimeSharedClass: c, arrivals: key.At(uint64(i)).Stream(), service: des.NewTimes(c.Service), quantum: des.NewTimes(c.Quantum),
			over: des.NewTimes(c.SwitchOver)}
		s.next = s.arrivals.Exp() / c.Arrivals.Rate()
		all = append(all, s)
	}
	stream := key.At(99).Stream()
	now, with, serving, until := 0.0, -1, false, math.Inf(1) // −1: the machine waits
	turn := func(after int) {
		for k := 1; k <= len(all); k++ {
			if p := (after + k) % len(all); len(all[p].jobs) > 0 {
				with, serving, until = p, false, now+all[p].over.Draw(&stream)
				return
			}
		}
		with, until = -1, math.Inf(1)
	}
	for length > now {
		at, arriving, ending := until, -1, -1
		for p, c := range all {
			if c.next < at {
				at, arriving = c.next, p
			}
		}
		if with >= 0 && serving {
			c := all[with]
			running := c.jobs[:min(len(c.jobs), c.Partitions)]
			for i, left := range running {
				if now+left < at {
					at, arriving, ending = now+left, -1, i
				}
			}
			for i := range running {
				running[i] -= at - now
			}
		}
		for _, c := range all {
			c.area += float64(len(c.jobs)) * (at - now)
		}
		now = at
		switch {
		case arriving >= 0:
			c := all[arriving]
			c.next = now + c.arrivals.Exp()/c.Arrivals.Rate()
			c.jobs = append(c.jobs, c.service.Draw(&stream))
			if with < 0 {
				turn(arriving + len(all) - 1)
			}
		case ending >= 0:
			c := all[with]
			c.jobs = append(c.jobs[:ending], c.jobs[ending+1:]...)
			if len(c.jobs) == 0 && !m.HoldSlices {
				turn(with)
			}
		case serving:
			turn(with)
		default:
			serving, until = true, now+all[with].quantum.Draw(&stream)
		}
	}
	var means []float64
	for _, c := range all {
		means = append(means, c.area/now)
	}
	return means
}

// One class is exact, whatever the times and the number of partitions; of two the error is told.
func TestSlicesAreThoseOfTheModel(t *testing.T) {
	class := func(partitions int, load float64, service phasetype.Dist) models.TimeSharedClass {
		poisson, err := phasetype.Renewal(phasetype.Must(phasetype.Exponential(load * float64(partitions) / service.Mean())))
		if err != nil {
			t.Fatal(err)
		}
		return models.TimeSharedClass{Partitions: partitions, Arrivals: poisson, Service: service,
			Quantum: phasetype.Must(phasetype.TwoMoments(0.7, 0.2)), SwitchOver: phasetype.Must(phasetype.TwoMoments(0.1, 0.5))}
	}
	variable, regular := phasetype.Must(phasetype.TwoMoments(1, 4)), phasetype.Must(phasetype.TwoMoments(1, 0.4))
	for _, k := range []struct {
		name    string
		machine models.TimeSharedMachine
		error   float64 // of the approximation
	}{
		{"one class", models.TimeSharedMachine{Classes: []models.TimeSharedClass{class(3, .6, variable)}}, 0},
		{"slices are held", models.TimeSharedMachine{Classes: []models.TimeSharedClass{class(2, .6, regular)}, HoldSlices: true}, 0},
		{"two classes", models.TimeSharedMachine{Classes: []models.TimeSharedClass{class(1, .25, variable), class(3, .25, regular)}}, .1},
	} {
		s, err := k.machine.Solve(context.Background(), markov.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		const replications = 12
		values := make([][]float64, len(k.machine.Classes))
		for r := range replications {
			for p, v := range sliced(&k.machine, 8000, des.Seed(5).At(uint64(r))) {
				values[p] = append(values[p], v)
			}
		}
		for p := range values {
			got, want := s.Classes[p].MeanJobs, metric.Student(values[p], 0.999)
			t.Logf("%s, class %d: %.4f jobs, simulated %.4f ± %.4f: %+.1f %%", k.name, p, got, want.Mean, want.HalfWidth,
				100*(got/want.Mean-1))
			if math.Abs(got-want.Mean) > want.HalfWidth+k.error*want.Mean {
				t.Errorf("%s, class %d: %g jobs, simulated %g ± %g", k.name, p, got, want.Mean, want.HalfWidth)
			}
		}
	}
}
