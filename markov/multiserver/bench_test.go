package multiserver_test

import (
	"fmt"
	"testing"

	"github.com/partwise/partwise/markov"
	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov/multiserver"
	"github.com/partwise/partwise/testdata/phtest"
)

// BenchmarkQueue solves PH/PH/c queues from their description to all measures.
func BenchmarkQueue(b *testing.B) {
	queues := []struct {
		name string
		q    *multiserver.Queue
	}{
		{"H2-H2/c=8", h2h2(8)}, {"H2-H2/c=32", h2h2(32)},
		{"H2-H2/c=64", h2h2(64)}, {"H2-H2/c=128", h2h2(128)}, {"H2-H2/c=256", h2h2(256)},
		{"H2-H3/c=8", h2h(3, 8)}, {"H2-H4/c=8", h2h(4, 8)},
		{"H2-Cox5/c=8", coxian(8)}, {"H2-Er5/c=8", stages(5, 8)}, {"H2-Er3/c=32", stages(3, 32)},
	}
	for _, q := range queues {
		b.Run(q.name, func(b *testing.B) { solve(b, q.q) })
	}
}

// BenchmarkMarkovianArrivals solves queues with arrivals of three classes, a Markov-modulated Poisson process: Erlang service of
// five phases, and a mixture of sums with four different rates. K occupancies of c servers make 3·K modes.
func BenchmarkMarkovianArrivals(b *testing.B) {
	for _, c := range []int{4, 6, 8, 10} {
		b.Run(fmt.Sprintf("MMPP3-Er5/c=%d", c), func(b *testing.B) { solve(b, modulated(c, erlang(5, 1))) })
	}
	for _, c := range []int{8, 12, 16} {
		b.Run(fmt.Sprintf("MMPP3-Cox4/c=%d", c), func(b *testing.B) { solve(b, modulated(c, fourRates())) })
		b.Run(fmt.Sprintf("MMPP3-Cox4-switch-overs/c=%d", c), func(b *testing.B) { solve(b, divided(modulated(c, fourRates()))) })
	}
}

// BenchmarkResponseTimes solves queues with one server, and finds the response time at ten times. A queue takes .09 ms of
// CPU time on shared cores: Newton's method 20 %, the ten probabilities, by powers of a matrix of order 16, 25 %, the decay
// rate 10 %, and allocation with its collection 15 %. The same steps as in BuTools, in numpy, take .65 ms with arrays, 1.03
// ms with the matrices that BuTools uses, and 1.27 ms with its checks of input. More than half of .65 ms are ten matrix
// exponentials.
func BenchmarkResponseTimes(b *testing.B) {
	for name, service := range map[string]multiserver.Phases{"Cox4": fourRates(), "PH4": cycling()} {
		b.Run("MMPP3-"+name+"/c=1", func(b *testing.B) {
			q := modulated(1, service)
			begin := phtest.CPUSeconds()
			for b.Loop() {
				s, err := q.Solve(b.Context(), markov.Settings{})
				if err != nil {
					b.Fatal(err)
				}
				_, response, err := s.Delays(b.Context())
				if err != nil {
					b.Fatal(err)
				}
				for k := range 10 {
					if _, err := response.Survival(b.Context(), s.Mean()/s.ArrivalRate()*float64(k+1)/2); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(1e3*(phtest.CPUSeconds()-begin)/float64(b.N), "cpu-ms/op")
		})
	}
}

// cycling is service in four phases that jobs visit in any order.
func cycling() multiserver.Phases {
	return multiserver.Phases{Alpha: []float64{0.1, 0.2, 0.3, 0.4}, T: mat.NewDense(4, 4, []float64{
		-2, 0.3, 0.4, 0.3,
		0.5, -3, 1, 0.5,
		0.2, 0.6, -4, 2,
		1, 2, 1, -8,
	})}
}

// modulated is a queue that is overloaded in the first of three phases of its arrivals; its load is some .8 times the mean
// service time.
func modulated(c int, service multiserver.Phases) *multiserver.Queue {
	k := float64(c)
	rates := [3]float64{1.6 * k, 0.9 * k, 0.3 * k}
	change := [3][3]float64{{0, 0.4, 0.3}, {0.2, 0, 0.3}, {0.1, 0.2, 0}}
	d0, d1 := mat.NewDense(3, 3, nil), mat.NewDense(3, 3, nil)
	for i, r := range rates {
		d1.Set(i, i, r)
		out := r
		for j, v := range change[i] {
			if j != i {
				d0.Set(i, j, v)
				out += v
			}
		}
		d0.Set(i, i, -out)
	}
	return &multiserver.Queue{D0: d0, D1: d1, Servers: c, Service: []multiserver.Phases{service}}
}

// fourRates is service through some of four phases.
func fourRates() multiserver.Phases {
	return multiserver.Phases{Alpha: []float64{0.1, 0.2, 0.3, 0.4}, T: mat.NewDense(4, 4, []float64{
		-0.5, 0.4, 0, 0,
		0, -1.2, 1, 0,
		0, 0, -4, 3,
		0, 0, 0, -12,
	})}
}

func solve(b *testing.B, q *multiserver.Queue) {
	b.ReportAllocs()
	begin := phtest.CPUSeconds()
	for b.Loop() {
		s, err := q.Solve(b.Context(), markov.Settings{})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(s.Diagnostics().Digits()), "digits")
	}
	b.ReportMetric(1e3*(phtest.CPUSeconds()-begin)/float64(b.N), "cpu-ms/op")
}

// stages is service in phases of one rate, one after the other.
func stages(phases, c int) *multiserver.Queue {
	q := h2h2(c)
	q.Service = []multiserver.Phases{erlang(phases, 1)}
	return q
}

// coxian is a queue whose service has five phases of two stages of set-up and three of work, 495 occupancies for 8
// servers.
func coxian(c int) *multiserver.Queue {
	q := h2h2(c)
	q.Service = []multiserver.Phases{{Alpha: []float64{1, 0, 0, 0, 0}, T: mat.NewDense(5, 5, []float64{
		-20, 20, 0, 0, 0,
		0, -15, 15, 0, 0,
		0, 0, -3, 1.2, 0,
		0, 0, 0, -1, 0.3,
		0, 0, 0, 0, -0.5,
	})}}
	return q
}

// divided adds a switch-over of two phases after every change of level.
func divided(q *multiserver.Queue) *multiserver.Queue {
	for range q.Servers {
		q.OnArrival = append(q.OnArrival, erlang(2, 0.01))
		q.OnDeparture = append(q.OnDeparture, erlang(2, 0.01))
	}
	q.OnDeparture = q.OnDeparture[:q.Servers-1]
	return q
}

// BenchmarkSwitchOvers solves queues in which every change of level is followed by a switch-over of two phases, as on a
// machine that is divided anew: by the number of servers, and by that of the phases of service. A level has 3 times as many phases
// as without. docs/solver.md has the times for 8, 64 and 256 servers (330,000 states, 150 MiB). Modes solve the queues of 32 and 64
// servers, in .7 and .4 of the time of cyclic reduction, which solves larger ones.
func BenchmarkSwitchOvers(b *testing.B) {
	for _, c := range []int{8, 16, 32, 64, 128, 256} {
		b.Run(fmt.Sprintf("m=2/c=%d", c), func(b *testing.B) { solve(b, divided(h2h2(c))) })
	}
	for _, m := range []int{3, 4} {
		b.Run(fmt.Sprintf("m=%d/c=8", m), func(b *testing.B) { solve(b, divided(h2h(m, 8))) })
	}
}

// BenchmarkWorkload3 solves queues like those that make up the study of testdata/ips96/w3.yaml: Erlang service of four
// phases, 165 occupancies, from light to heavy load. Without switch-overs it is static partitioning, with them dynamic.
func BenchmarkWorkload3(b *testing.B) {
	for _, switchOvers := range []bool{false, true} {
		for _, arrivals := range []int{1, 2} {
			for _, rho := range []float64{0.05, 0.3, 0.7} {
				q := poissonQueue(8 * rho)
				if arrivals == 2 {
					q = renewalQueue(hyperexponential2(1/(8*rho), 9))
				}
				q.Servers, q.Service = 8, []multiserver.Phases{erlang(4, 1)}
				for range q.Servers {
					if switchOvers {
						q.OnArrival, q.OnDeparture = append(q.OnArrival, exponential(10)), append(q.OnDeparture, exponential(10))
					}
				}
				q.OnDeparture = q.OnDeparture[:max(0, len(q.OnDeparture)-1)]
				b.Run(fmt.Sprintf("arrival-phases=%d/rho=%v/switch-overs=%v/c=8", arrivals, rho, switchOvers),
					func(b *testing.B) { solve(b, q) })
			}
		}
	}
}
