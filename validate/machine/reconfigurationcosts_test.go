package machine_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/internal/chain"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/internal/machinetest"
	"github.com/partwise/partwise/validate/internal/simulation"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/sched"
)

// pauses are costs of a fixed time for every change, whoever stops.
type pauses struct {
	time  float64
	stops machine.Stops
	seen  *[]machine.Change
}

func (p pauses) Pause(c *machine.Change, _ *des.Ahead) machine.Pause {
	if p.seen != nil {
		*p.seen = append(*p.seen, *c)
	}
	return machine.Pause{Reconfigures: true, Time: p.time, Kind: simulation.Expands, Stops: p.stops}
}

// Two jobs on four nodes, each change taking 1, and three kinds of who stands still. The second comes at 3 and takes
// two of the first one's nodes.
func TestWhoStandsStill(t *testing.T) {
	for stops, want := range map[machine.Stops][2]float64{
		// The first works from 1 to 3 and does 8 of 20; from 4 on both have two nodes. The second does its 4 until 6;
		// the first has 8 left then, stands still until 7 and needs 2 on four nodes.
		machine.ResizedJobs: {9, 6},
		machine.AllJobs:     {9, 6},
		// Nobody stands still: the first does 12 until 3, 4 more until 5, when the second ends, and the last 4 until 6.
		machine.NoJobs: {6, 5},
	} {
		c := machine.Config{Nodes: 4, Policy: policy.Dynamic{}, Costs: pauses{time: 1, stops: stops},
			Jobs: machine.List{malleable(1, 0, 20), malleable(2, 3, 4)}}
		records, _ := lived(t, c)
		if records[1].End != want[0] || records[0].End != want[1] {
			t.Errorf("stops %d: ends %v and %v, want %v", stops, records[1].End, records[0].End, want)
		}
	}
}

// With three jobs on four nodes, of which the first keeps its two when the third comes, all stop or just the others.
func TestJobsThatAreNotResized(t *testing.T) {
	for stops, want := range map[machine.Stops]float64{machine.ResizedJobs: 0, machine.AllJobs: 1} {
		c := machine.Config{Nodes: 4, Policy: policy.Static{Partitions: 2}, Costs: pauses{time: 1, stops: stops},
			Jobs: machine.List{malleable(1, 0, 20), malleable(2, 5, 2)}}
		records, _ := lived(t, c)
		// Each job stands still for its own start; the first, under AllJobs, for that of the second, too.
		if first := records[1]; first.Paused != 1+want || first.End != 11+want {
			t.Errorf("stops %d: the first job stands still for %v and ends at %v", stops, first.Paused, first.End)
		}
	}
}

// What changes are told of: starts, resizes, departures, the nodes that change hands, and the jobs afterwards.
func TestChanges(t *testing.T) {
	var seen []machine.Change
	c := machine.Config{Nodes: 4, Policy: policy.Dynamic{}, Costs: pauses{seen: &seen},
		Jobs: machine.List{malleable(1, 0, 20), malleable(2, 3, 4)}}
	lived(t, c)
	want := []machine.Change{
		{Why: sched.Arrival, Started: 1, Moved: 4, Running: 1},
		{Why: sched.Arrival, Started: 1, Resized: 1, Moved: 4, Running: 2},
		{Why: sched.Departure, Resized: 1, Departed: 1, Moved: 2, Running: 1},
	}
	if !slices.Equal(seen, want) {
		t.Errorf("%+v, want %+v", seen, want)
	}
}

// Where nobody stops, repartitions take their time and change nothing else.
func TestNoJobsStop(t *testing.T) {
	c := machinetest.Eight(0.05)
	c.Costs = nil
	free := run(t, c, 3, 20_000)
	twentieth := slices.Repeat([]phasetype.Dist{machinetest.Exponential(0.05)}, 8)
	c.Costs = machine.NewOverheads(twentieth, twentieth, machine.NoJobs)
	x := run(t, c, 3, 20_000)
	for _, k := range []int{simulation.Elapsed, simulation.JobTime, simulation.ResponseSum, simulation.BusyTime,
		simulation.UsefulTime, simulation.WaitSum, simulation.EmptyTime} {
		if math.Abs(x[k]-free[k]) > 1e-9*free[k] { // rounding: the ends of pauses divide the sums differently
			t.Errorf("component %d: %v, without costs %v", k, x[k], free[k])
		}
	}
	if x[simulation.PausedTime] == 0 || x[simulation.Shrinks] == 0 || x[simulation.Expands] == 0 || free[simulation.PausedTime] != 0 {
		t.Errorf("repartitions took %v, and %v where they are free", x[simulation.PausedTime], free[simulation.PausedTime])
	}
}

// meanJobs returns the mean number of jobs in the system and its standard error, from independent replications.
func meanJobs(t *testing.T, m simulation.Simulator, err error) (mean, stderr float64) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	const replications = 40
	var sum, square float64
	for i := range uint64(replications) {
		var warmUp, x simulation.Tally
		r := m.Start(des.Seed(1).At(i))
		if err := errors.Join(r.Advance(500, &warmUp), r.Advance(5000, &x)); err != nil {
			t.Fatal(err)
		}
		jobs := x[simulation.JobTime] / x[simulation.Elapsed]
		sum += jobs
		square += jobs * jobs
	}
	mean = sum / replications
	return mean, math.Sqrt((square/replications - mean*mean) / (replications - 1))
}

// Where all jobs stop for a repartition and demands are exponential, whole nodes are the chain: if all partitions are
// of one size, whatever the speedup, and if they are not, where the speedup is linear and so the nodes as fast together
// however they are divided. Four standard errors of the difference. Where only resized jobs stop, there are fewer jobs.
func TestWholeNodesAgreeWithTheChain(t *testing.T) {
	for name, c := range map[string]struct {
		nodes   int
		policy  policy.Policy
		speedup workload.Amdahl
		even    bool // every change resizes every job
	}{
		"even partitions": {12, policy.Capped{Jobs: 4}, workload.Amdahl{Serial: 0.1}, true},
		"linear speedup":  {8, policy.Dynamic{}, workload.Amdahl{}, false},
	} {
		n := 8
		if capped, ok := c.policy.(policy.Capped); ok {
			n = capped.Jobs
		}
		costs := slices.Repeat([]phasetype.Dist{machinetest.Exponential(0.2)}, n)
		var service []phasetype.Dist
		for i := 1; i <= n; i++ {
			service = append(service, machinetest.Exponential(1/c.speedup.At(float64(c.nodes)/float64(i))))
		}
		rate := 0.6 * float64(n) / service[n-1].Mean()
		model, err := chain.New(chain.Config{Arrivals: machinetest.Poisson(rate), Service: service,
			Shrink: costs, Expand: costs[1:]})
		want, e := meanJobs(t, model, err)
		for _, stops := range []machine.Stops{machine.AllJobs, machine.ResizedJobs} {
			jobs := &machine.Random{Arrivals: machinetest.Poisson(rate), Demand: machinetest.Exponential(1),
				Speedup: c.speedup}
			whole, err := machine.New(machine.Config{Nodes: c.nodes, Policy: c.policy, Jobs: jobs,
				Costs: machine.NewOverheads(costs, costs[1:], stops)})
			got, f := meanJobs(t, whole, err)
			z := (got - want) / math.Hypot(e, f)
			if agree := stops == machine.AllJobs || c.even; agree && math.Abs(z) > 4 || !agree && z > -4 {
				t.Errorf("%s, stops %d: %.3f ± %.3f jobs, in the chain %.3f ± %.3f", name, stops, got, f, want, e)
			}
		}
	}
}

// TestAtLeast: a resize of a running job takes the shortest time or longer, whatever the costs are, and stops the same jobs; what
// resizes nobody costs the same as before.
func TestAtLeast(t *testing.T) {
	second, err := phasetype.Exponential(1)
	if err != nil {
		t.Fatal(err)
	}
	overheads := machine.NewOverheads([]phasetype.Dist{second, second}, []phasetype.Dist{second}, machine.ResizedJobs)
	resize := machine.Change{Why: sched.Arrival, Started: 1, Resized: 1, Running: 2}
	first := machine.Change{Why: sched.Arrival, Started: 1, Running: 1}
	for name, c := range map[string]struct {
		costs machine.Costs
		stops machine.Stops
	}{"overheads": {overheads, machine.ResizedJobs}, "all": {machine.Standstill(7), machine.AllJobs}} {
		of, same, before := des.Seed(1).At(1).Ahead(), des.Seed(1).At(1).Ahead(), des.Seed(1).At(1).Ahead()
		if p := machine.AtLeast(c.costs, 30, 90).Pause(&resize, &of); !p.Reconfigures || p.Stops != c.stops || p.Time != 30 {
			t.Errorf("%s: %+v", name, p)
		}
		if p := machine.AtLeast(c.costs, 30, 90).Pause(&machine.Change{Why: sched.Departure, Resized: 1, Running: 1}, &of); p.Time != 90 {
			t.Errorf("%s: a job that grows: %+v", name, p)
		}
		if got, want := machine.AtLeast(c.costs, 30, 90).Pause(&first, &same), c.costs.Pause(&first, &before); got != want {
			t.Errorf("%s: a first job: %+v, want %+v", name, got, want)
		}
	}
	for name, costs := range map[string]machine.Costs{"by nodes": machine.Resizes{{Nodes: 1, Shrink: 2, Expand: 70}}, "none": nil} {
		c, ok := machine.AtLeast(costs, 30, 50).(machine.Resizing)
		if !ok || c.Stop(4, 2) != 30 || c.Stop(2, 2) != 0 || c.Stop(2, 4) != map[bool]float64{true: 50, false: 70}[costs == nil] {
			t.Errorf("%s: %+v", name, c)
		}
	}
}
