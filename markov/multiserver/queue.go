package multiserver

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/internal/reduction"
	"github.com/partwise/partwise/markov/multiserver/internal/spectrum"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
	"github.com/partwise/partwise/markov/multiserver/internal/switchover"
)

// Queue is a first come, first served queue with c servers, Markovian arrivals and phase-type service. The speed of
// service depends on how many jobs are served. A switch-over may follow each change of level; no job is served during a
// switch-over. Without switch-overs and with one service distribution Queue is the MAP/PH/c queue. With switch-overs it
// is a machine that is divided anew whenever a job comes or goes.
//
// The level is the number of jobs i. The occupancy counts the jobs in each of the m service phases; min(i, c) jobs are
// served.
//   - An arrival at level i < c changes the phases of the jobs in service by PhaseMap(i, i+1). The new job starts in a
//     phase drawn from Service[i]. A switch-over under way is abandoned, and OnArrival[i], the switch-over for level i+1,
//     starts.
//   - An arrival at level i ≥ c queues.
//   - A departure from level i, 2 ≤ i ≤ c, changes phases by PhaseMap(i, i−1) and starts OnDeparture[i−2], the
//     switch-over for level i−1. A departure from level 1 leads to the empty level.
//   - At a departure from level i > c the first job of the queue starts service, in a phase drawn from Service[c−1].
type Queue struct {
	// D0, D1 are the matrices of the arrival process, square of one order.
	D0, D1 mat.Matrix
	// Servers is c ≥ 1.
	Servers int
	// Service[i-1] is the service time of a job while i jobs are served, i = 1..c. All have the same number of phases m and no
	// atom at zero. If Service has a single entry, the entry holds for all i.
	Service []Phases
	// PhaseMap returns a stochastic m×m matrix. By it each job in service draws a new phase when the number of jobs changes
	// from i to j. If PhaseMap returns nil, jobs keep their phases; if PhaseMap itself is nil, they always do.
	PhaseMap func(i, j int) mat.Matrix
	// Speed sets speed[j], a factor of all rates of a job in service phase j. The factor may depend on the occupancy:
	// occupancy[k] jobs are in phase k, fewer than c jobs in all. So classes of jobs, each with phases of its own, can
	// share the servers unequally. The factor of a phase without jobs does not matter. If Speed is nil, all factors are
	// 1.
	Speed func(occupancy []int32, speed []float64)
	// OnArrival[i-1] is the switch-over after an arrival that brings the number of jobs to i, i = 1..c. OnDeparture[i-1] is
	// the switch-over after a departure that leaves i jobs, i = 1..c−1. Missing entries and zero values take no time.
	OnArrival, OnDeparture []Phases
}

// Phases is a phase-type time, given by initial probabilities and a subgenerator. If Alpha sums to less than one, the
// time is zero with the missing probability. The zero value takes no time.
type Phases struct {
	Alpha []float64
	T     mat.Matrix
	// Exit holds the rates of absorption −T·1. If nil, they are computed from T; they lose digits where they are much smaller
	// than the diagonal.
	Exit []float64
}

// system is a checked [Queue] in the form that the solvers use. Phases that are never visited are removed. The phases of
// acyclic processes are numbered in topological order, so that the blocks of these processes are triangular.
type system struct {
	ar       *statespace.Arrivals
	c, m     int                                      // servers, and phases of service that are visited
	alpha    [][]float64                              // alpha[l−1]: initial probabilities of service while l jobs are served, m
	t        []block.Matrix                           // t[l−1]: rates between phases, m×m, zero diagonal
	exit     [][]float64                              // exit[l−1]: rates of completion by phase, m
	phaseMap func(i, j int) (block.Matrix, bool)      // m×m, for a change from i to j jobs; false if jobs keep their phases
	up       []*switchover.SwitchOver                 // up[l]: after an arrival that makes l, l = 1..c
	down     []*switchover.SwitchOver                 // down[l]: after a departure that leaves l; down[0] takes no time
	order    []int                                    // order[j] is the phase of the queue that is phase j here
	phases   int                                      // number of phases of the queue, with those never visited
	speed    func(occupancy []int32, speed []float64) // of the phases of the queue, nil if it is 1
	speeds   [][]float64                              // speeds[l] has m entries for each occupancy of level l; nil if all are 1
	index    *statespace.StateIndex                   // numbers the occupancies; set by allocate
	decades  float64                                  // log10 of the largest rate over the least
	ordered  bool                                     // service is acyclic and its phases are in order
	station  *spectrum.Station                        // levels c and above
	arrivals *statespace.Sparse                       // changes of occupancy by a new job at level c−1; set by allocate
	unmoved  []statespace.Sparse                      // by level: zero rates, for arrivals with a diagonal D0; set by allocate
	memory   *markov.Memory
	store    *block.Arena // room for the vectors of the solution while the queue is solved; else nil
	scratch  *block.Arena // room for vectors that are dropped when the solve ends; nil together with store
}

// check returns the queue in the form that the solvers use, or the error that Solve returns for an invalid queue. The
// matrices of q are copied, and PhaseMap is called for all pairs of neighbouring levels. The error is a
// *[markov.BlockError], a *[parallel.LimitError] for the copies, or the error of ctx. Whether the queue is stable is
// not checked. The occupancies are not numbered yet; [system.allocate] does so once memory is reserved.
func (q *Queue) check(ctx context.Context, memory *markov.Memory) (*system, error) {
	switch {
	case q == nil:
		return nil, statespace.Wrong(0, "servers", -1, -1, "there is no queue")
	case q.Servers < 1:
		return nil, statespace.Wrong(0, "servers", -1, -1, "there are %d", q.Servers)
	}
	if err := q.checkMatrices(memory); err != nil {
		return nil, err
	}
	ar, err := statespace.NewArrivals(ctx, q.D0, q.D1)
	if err != nil {
		return nil, err
	}
	s := &system{ar: ar, c: q.Servers, speed: q.Speed, memory: memory}
	if err := s.setService(ctx, q); err != nil {
		return nil, err
	}
	if err := s.setSwitchOvers(ctx, q); err != nil {
		return nil, err
	}
	s.decades = s.decadesOfRates()
	s.station = spectrum.NewStation(ar, s.c, s.alpha[s.c-1], s.t[s.c-1], s.exit[s.c-1])
	return s, nil
}

// keptOfLevelC and droppedOfLevelC are about the numbers of vectors over the states in service of level c that a
// solution keeps, and that its solve drops at the end.
const (
	keptOfLevelC    = 16
	droppedOfLevelC = 48
)

// allocate numbers the occupancies of levels 0 to c and computes what depends on their numbers alone: the speeds of
// jobs in each of them, and matrices that levels share. It sets index, also of the station, arrivals, unmoved and
// speeds. It sets store, for the vectors of the solution, and scratch, for the vectors that the solve drops at its end.
// The caller ends their use by [system.dropStore], and then returns the arena scratch. The error is a
// *[markov.BlockError] that names a speed that is not positive and finite; scratch is then left to the garbage
// collector. It is separate from [Queue.check], because memory must be reserved first.
func (s *system) allocate() error {
	s.index = statespace.NewStateIndex(s.m, s.c)
	s.station.Index = s.index
	below, levelC := s.index.SizeBelow(s.c+1), s.ar.N*s.index.Size(s.c)
	// Moves, flows, departures and passages of all levels, and vectors of level c.
	s.store = block.NewArena((4*s.ar.N+2*s.ar.Classes+s.m)*below + keptOfLevelC*levelC)
	// Flows of a changed solution, and vectors of level c.
	s.scratch = block.BorrowArena((2*s.ar.N+s.ar.Classes)*below + droppedOfLevelC*levelC)
	s.index.Store = s.store
	s.arrivals = s.index.Arrival(s.c-1, s.alpha[s.c-1])
	if s.ar.Diagonal {
		s.setUnmoved()
	}
	return s.setSpeeds()
}

// dropStore ends the use of store and scratch: each vector is allocated by itself from here on. Vectors in both stay
// valid, in scratch until the caller returns the arena. Several goroutines use a solution.
func (s *system) dropStore() { s.store, s.scratch, s.index.Store = nil, nil, nil }

// setUnmoved sets s.unmoved to a sparse matrix of zeros for each level from 0 to c. Its order is n·K_l, for n arrival
// phases and K_l occupancies. The matrices share their row starts, and must not be changed. The occupancies must be
// numbered.
func (s *system) setUnmoved() {
	starts := s.store.Places(s.ar.N*s.index.Size(s.c) + 1)
	s.unmoved = make([]statespace.Sparse, s.c+1)
	for l := range s.unmoved {
		order := s.ar.N * s.index.Size(l)
		s.unmoved[l] = statespace.Sparse{Rows: order, Cols: order, Start: starts[:order+1]}
	}
}

// setSpeeds sets s.speeds by a call of [Queue.Speed] for each occupancy of levels 1 to c−1: a factor of the service
// rates for each phase. The factor of phase j in occupancy i of level l is speeds[l][i·m+j]. Level c has no factors,
// and without Queue.Speed no level has. The occupancies must be numbered. The error is a *[markov.BlockError] that
// names a phase with jobs whose speed is not positive and finite. Phases without jobs have the factor 1, whatever
// Queue.Speed sets.
func (s *system) setSpeeds() error {
	s.speeds = make([][]float64, s.c+1)
	if s.speed == nil {
		return nil
	}
	occupancy, speed := make([]int32, s.phases), make([]float64, s.phases)
	for l := 1; l < s.c; l++ {
		s.speeds[l] = s.store.Vector(s.index.Size(l) * s.m)
		for i := range s.index.Size(l) {
			for j, o := range s.order {
				occupancy[o] = s.index.At(l, i)[j]
			}
			s.speed(occupancy, speed)
			for j, o := range s.order {
				v := speed[o]
				if occupancy[o] == 0 { // it may be infinite, such as a share for each job
					v = 1
				}
				if !(v > 0 && v <= math.MaxFloat64) {
					return statespace.Wrong(l, "speed", o, -1, "is %v", v)
				}
				s.speeds[l][i*s.m+j] = v
			}
		}
	}
	return nil
}

// setSwitchOvers sets up and down, the switch-overs of all levels of the queue q. Neighbouring levels share a
// switch-over if its time is given by the same numbers, because a comparison takes less time than the matrices of
// [switchover.New]. The switch-over after an arrival to level c is not shared: arrivals do not cut it short. ar and c
// must be set. The error comes from New.
func (s *system) setSwitchOvers(ctx context.Context, q *Queue) (err error) {
	s.up, s.down = make([]*switchover.SwitchOver, s.c+1), make([]*switchover.SwitchOver, s.c+1)
	none := switchover.Instantaneous(s.ar)
	s.down[0] = none
	at := func(level int, name string, times []Phases, known []*switchover.SwitchOver) (*switchover.SwitchOver, error) {
		switch time := phasesAt(times, level); {
		case !time.TakesTime():
			return none, nil
		case level == s.c:
			return switchover.NewUncut(ctx, s.ar, time, level, name)
		case level > 1 && time.SameNumbers(phasesAt(times, level-1)):
			return known[level-1], nil
		default:
			return switchover.New(ctx, s.ar, time, level, name)
		}
	}
	for l := 1; l <= s.c; l++ {
		if s.up[l], err = at(l, "switch-over on arrival", q.OnArrival, s.up); err != nil {
			return err
		}
		if l == s.c {
			break
		}
		if s.down[l], err = at(l, "switch-over on departure", q.OnDeparture, s.down); err != nil {
			return err
		}
	}
	return nil
}

// phasesAt returns entry level−1 of a list of switch-overs, which begins with level 1. A level beyond the list has the
// zero value, a switch-over that takes no time.
func phasesAt(list []Phases, level int) statespace.PhaseType {
	if level > len(list) {
		return statespace.PhaseType{}
	}
	return statespace.PhaseType(list[level-1])
}

// setService checks the service distributions and phase maps of the queue. There must be one distribution or one for
// each server, each accepted by [statespace.PhaseType.Checked]. All must have the same number of phases, at least one,
// and initial probabilities that sum to one. It sets alpha, t, exit and phaseMap, and m, order, phases and ordered. Phases
// that are never visited are left out. The order is topological if service has no cycle. The error is a
// *[markov.BlockError] that names the level and the number, or the error of ctx.
func (s *system) setService(ctx context.Context, q *Queue) error {
	if len(q.Service) != 1 && len(q.Service) != q.Servers {
		return statespace.Wrong(1, "service", -1, -1, "%d distributions for %d servers", len(q.Service), q.Servers)
	}
	rates, exits, err := q.checkService(ctx)
	if err != nil {
		return err
	}
	m := len(q.Service[0].Alpha)
	phaseMap, err := statespace.CheckedPhaseMap(ctx, q.Servers, m, q.PhaseMap)
	if err != nil {
		return err
	}
	starts := func(j int) bool {
		return slices.ContainsFunc(q.Service, func(p Phases) bool { return p.Alpha[j] > 0 })
	}
	order, acyclic := statespace.PhaseOrder(m, q.Servers, starts, rates, phaseMap)
	s.m, s.ordered, s.order, s.phases = len(order), acyclic, order, m
	s.orderService(q, rates, exits)
	s.phaseMap = func(i, j int) (block.Matrix, bool) {
		phi, ok := phaseMap(i, j)
		if !ok {
			return block.Matrix{}, false
		}
		return phi.Permuted(order), true
	}
	return nil
}

// checkService returns copies of the rates between phases and of the exit rates of each service distribution, by the
// phases of the queue. There must be a distribution. The errors are those of [system.setService].
func (q *Queue) checkService(ctx context.Context) (rates []block.Matrix, exits [][]float64, err error) {
	m := len(q.Service[0].Alpha)
	rates, exits = make([]block.Matrix, len(q.Service)), make([][]float64, len(q.Service))
	for k, p := range q.Service {
		if len(p.Alpha) != m || m == 0 {
			return nil, nil, statespace.Wrong(k+1, "service", -1, -1, "has %d phases, but the service of level 1 has %d", len(p.Alpha), m)
		}
		if rates[k], exits[k], err = statespace.PhaseType(p).Checked(ctx, k+1, "service"); err != nil {
			return nil, nil, err
		}
		if sum := block.Sum(p.Alpha); !markov.SumsToOne(sum) {
			return nil, nil, statespace.Wrong(k+1, "service", -1, -1, "initial probabilities sum to %g, not to 1", sum)
		}
	}
	return rates, exits, nil
}

// orderService sets alpha, t and exit of all levels, by the visited phases in their order. rates and exits belong to the
// distributions of the queue, by the phases of the queue. m and order must be set. Levels share a distribution where the
// queue has one for all of them.
func (s *system) orderService(q *Queue, rates []block.Matrix, exits [][]float64) {
	s.alpha, s.exit = make([][]float64, 0, q.Servers), make([][]float64, 0, q.Servers)
	s.t = make([]block.Matrix, 0, q.Servers)
	for i := range q.Servers {
		k := min(i, len(q.Service)-1)
		if k < i { // one distribution serves for all levels
			s.alpha, s.exit, s.t = append(s.alpha, s.alpha[k]), append(s.exit, s.exit[k]), append(s.t, s.t[k])
			continue
		}
		room := make([]float64, 2*s.m)
		alpha, exit := room[:s.m:s.m], room[s.m:]
		for j, o := range s.order {
			alpha[j], exit[j] = q.Service[k].Alpha[o], exits[k][o]
		}
		s.alpha, s.exit = append(s.alpha, alpha), append(s.exit, exit)
		s.t = append(s.t, rates[k].Permuted(s.order))
	}
}

// intensity returns λ·E[B_l]/l for l = level, 1 to c. λ is the arrival rate, and B_l the service time of a job while l
// jobs are served at speed 1. At level c this is the traffic intensity of the queue. A level of intensity below one
// drifts to lower levels. With an error the result is 0. The error is a *[markov.BlockError] that wraps ErrReducible if
// service never ends from some phase, or the error of ctx.
func (s *system) intensity(ctx context.Context, level int) (rho float64, err error) {
	if level == s.c { // the search for the decay rate needs the number again
		rho, err = s.station.Intensity(ctx)
	} else {
		rho, err = statespace.MeanTime(ctx, s.alpha[level-1], s.t[level-1], s.exit[level-1])
		rho *= s.ar.Rate / float64(level)
	}
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	if err != nil {
		return 0, statespace.Wrong(level, "service", -1, -1, "never ends from some phase: %w", err)
	}
	return rho, nil
}

// stableIntensity returns the traffic intensity ρ = λ·E[B_c]/c. The error wraps ErrUnstable if ρ is not below one by
// more than 10⁻¹⁴, see [markov.Stable]. No stationary distribution exists then, but ρ is returned. Otherwise the error
// comes from [system.intensity].
func (s *system) stableIntensity(ctx context.Context) (float64, error) {
	rho, err := s.intensity(ctx, s.c)
	if err == nil {
		err = reduction.CheckIntensity(rho)
	}
	return rho, err
}

// checkStable returns the checked queue, as [Queue.check] does, and its traffic intensity. The errors come from check or
// from [system.stableIntensity].
func (q *Queue) checkStable(ctx context.Context, memory *markov.Memory) (s *system, rho float64, err error) {
	if s, err = q.check(ctx, memory); err != nil {
		return nil, 0, err
	}
	if rho, err = s.stableIntensity(ctx); err != nil {
		return nil, 0, err
	}
	return s, rho, nil
}
