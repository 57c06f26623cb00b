package models

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/internal/counts"
	"github.com/partwise/partwise/models/internal/jobtimes"
	"github.com/partwise/partwise/models/internal/levels"
	"github.com/partwise/partwise/phasetype"
)

// response is the distribution of the response time T of a job under dynamic equi-partitioning. It comes from the
// inversion of the transform F(s) = ∫ e^{−st}·P(T > t) dt. F is the sum of two transforms: of the wait, by
// [markov.QueueTransform], and of the time in service. During service the chain follows one tagged job. More than B
// jobs behind the tagged job count as B, where B is so large that a larger B does not change F. The work does not
// depend on the fastest rate.
type response struct {
	*markov.SurvivalTransform
	*untagged
	of       phasesOfClass // phases in which the tagged job can be
	meanTime float64       // mean response time, by Little's law

	// The machine with the tagged job. The phases of service of the tagged job come after the phases of the other jobs.
	// The next job that begins its service is one of the others, or the tagged job.
	others, followed *Sharing

	behindError float64 // error of a probability that the limit B causes
	stoppedMost int     // largest number of jobs behind the tagged job during a repartition
	waitError   float64 // error of a probability that roundings in the transform of the wait cause

	start  []weighted   // states in which a tagged job that does not wait begins, with probabilities
	taken  [][]weighted // by phase of a level above N: states in which a tagged job that waited begins, with rates
	begins []tagged     // these states, without jobs behind
	inService
}

// inService is the chain of a tagged job in service, with up to B jobs behind it.
type inService struct {
	service *markov.Chain
	behind  int       // B
	startAt []int     // index of each state of start
	takenAt [][][]int // by number of jobs behind and phase: index of each state of taken
}

// untagged is the machine without the tagged job, which is the same for tagged jobs of all classes.
type untagged struct {
	sys    *System
	n      int // largest number of jobs in service
	levels *levels.Chain[Shared]
	qbd    *markov.QBD
	sol    *markov.QBDSolution
	wait   *markov.QueueTransform
}

// tagged is a state of the machine while the tagged job is in service.
type tagged struct {
	machine Shared
	behind  int // number of waiting jobs
}

type weighted struct {
	tagged
	p float64
}

// Limits of the distribution of a response time.
const (
	responseError = 1e-6      // largest error of a probability that the inversion may have
	mostWaitError = 1e-3      // largest error of a probability that roundings in the transform of the wait may have
	maxTagged     = 2_000_000 // largest number of states of a job in service
	taggedBytes   = 800       // bytes of a state of the chain of a job in service, see [untagged.checkTagged]
)

// responseTime returns the distribution of the response time of the jobs of a class, or of all jobs if class is empty.
// It follows one job through its service.
//
// The error wraps [markov.ErrTooLarge] if the distribution takes too much work or memory. It wraps
// [markov.ErrInaccurate] if errors of probabilities exceed responseError or mostWaitError. Otherwise it comes from ctx.
func (s *dep) responseTime(ctx context.Context, class string, memory *markov.Memory) (*response, error) {
	u, err := s.untagged(ctx, memory)
	if err != nil {
		return nil, err
	}
	r, err := u.follow(ctx, class, memory)
	if err != nil {
		return nil, err
	}
	return r, r.invert(ctx, r.meanTime, r.at)
}

// inResponseTimes returns an error that names response times as the place of the given error, or nil for nil.
func inResponseTimes(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("models: response times: %w", err)
}

// untagged solves the machine without a tagged job. [dep.responseTime] describes the errors.
func (s *dep) untagged(ctx context.Context, memory *markov.Memory) (u *untagged, err error) {
	defer func() { err = inResponseTimes(err) }()
	u = &untagged{sys: s.System, n: s.n, levels: newSharing(s.System, s.n).even()}
	if u.qbd, err = u.levels.QBD(ctx, memory); err != nil {
		return nil, err
	}
	if u.sol, err = u.qbd.Solve(ctx, markov.Settings{Memory: memory}); err != nil {
		return nil, err
	}
	// The levels above N may have to be written as modes: eigenvectors take some 10·n³ multiplications.
	if err := u.checkWork(10*math.Pow(float64(len(u.levels.States(u.n))), 3), 0); err != nil {
		return nil, err
	}
	if u.wait, err = markov.NewQueueTransform(ctx, u.qbd, u.sol, u.n, u.sys.Arrivals.Rate()); err != nil {
		return nil, err
	}
	return u, u.checkWork(transformPoints*u.wait.Work(0), 0)
}

// follow returns the response time of the jobs of a class, or of all jobs if class is empty. Its transform is not
// inverted yet. [dep.responseTime] describes the errors.
func (u *untagged) follow(ctx context.Context, class string, memory *markov.Memory) (r *response, err error) {
	defer func() { err = inResponseTimes(err) }()
	r = &response{untagged: u}
	if r.of, err = u.sys.classNamed(class); err != nil {
		return nil, err
	}
	if r.others, err = u.sys.besides(phasesOfClass{}); err != nil {
		return nil, err
	}
	if r.followed, err = u.sys.besides(r.of); err != nil {
		return nil, err
	}
	r.meanTime = u.meanTime(r.of)
	r.findEntries()
	r.stoppedMost = jobtimes.MostArrivals(u.sys.ShrinkTo(u.n), u.sys.Arrivals, stoppedOff, mostBehind)
	if err := r.findWaitError(ctx); err != nil {
		return nil, err
	}
	return r, r.findBehind(ctx, memory)
}

// quantile returns the p-quantile of the response time.
func (r *response) quantile(ctx context.Context, p float64) (float64, error) {
	q, err := jobtimes.Middle(ctx, r.SurvivalTransform, 1-p)
	if err == nil {
		err = r.accurate()
	}
	return q, inResponseTimes(err)
}

// relativeError returns the relative error of probabilities and times: the error bound of the solution, and the error
// of the transform of the wait.
func (r *response) relativeError() float64 { return r.sol.Diagnostics().ErrorBound + r.waitError }

// besides returns the machine with each phase of service twice: first for the other jobs, then for the tagged job. If of
// has phases, a job that begins its service is the tagged job, of the class of these phases. Otherwise it is another job.
func (s *System) besides(of phasesOfClass) (*Sharing, error) {
	both := *s
	twice := func(m mat.Matrix) *mat.Dense {
		var two mat.Dense
		two.Kronecker(mat.NewDiagDense(2, []float64{1, 1}), m)
		return &two
	}
	both.Service = slices.Clone(s.Service)
	for i, b := range s.Service {
		m, alpha := b.Phases(), b.Alpha()
		begins := append(b.Alpha(), make([]float64, m)...)
		if own := alpha[of.from:of.to]; len(own) > 0 {
			clear(begins)
			floats.ScaleTo(begins[m+of.from:m+of.to], 1/floats.Sum(own), own)
		}
		var err error
		if both.Service[i], err = phasetype.FromRates(begins, twice(b.T()), slices.Repeat(b.Exit(), 2)); err != nil {
			return nil, err
		}
	}
	both.PhaseMap = map[Change]*mat.Dense{}
	for change, phi := range s.PhaseMap {
		both.PhaseMap[change] = twice(phi)
	}
	if len(s.Classes) > 1 {
		both.Classes = slices.Repeat(s.Classes, 2)
	}
	return newSharing(&both, s.Partitions()), nil
}

// meanTime returns the mean response time of the jobs in some phases, by Little's law.
func (u *untagged) meanTime(of phasesOfClass) float64 {
	inService := 0.0
	u.levels.Each(u.sol, func(_ int, s Shared, p float64) {
		for j := of.from; j < of.to && s.Shares > 0; j++ {
			inService += p * float64(counts.At(s.Jobs, j))
		}
	})
	return (u.sol.MeanAbove(u.n) + inService/of.share) / u.sys.Arrivals.Rate()
}

// invert inverts a transform of P(response time > t). The first window of the inversion has twice the given length of
// time. [dep.responseTime] describes the errors.
func (r *response) invert(ctx context.Context, time float64,
	transform func(context.Context, complex128) (complex128, error)) (err error) {
	defer func() { err = inResponseTimes(err) }()
	if r.SurvivalTransform, err = markov.NewSurvivalTransform(ctx, time, r.behindError, transform); err != nil {
		return err
	}
	return r.accurate()
}

// accurate returns an error that wraps [markov.ErrInaccurate] if the error of the inverted probabilities exceeds responseError.
func (r *response) accurate() error {
	if off := r.Off(); off > responseError {
		return fmt.Errorf("the transform gives probabilities to %.2g, not to %.1g: %w", off, responseError, markov.ErrInaccurate)
	}
	return nil
}

// findWaitError sets r.waitError, the error of a probability that comes from the transform of the wait. The limit of
// the transform as s tends to 0 is the mean wait. The error is the relative difference of this limit from the mean wait
// of the solution, times the probability that a job waits. The transform loses digits close to saturation, and if rates
// lie many decades apart.
//
// The error wraps [markov.ErrInaccurate] if r.waitError exceeds mostWaitError, or comes from the transform.
func (r *response) findWaitError(ctx context.Context) error {
	mean := r.sol.MeanAbove(r.n) / r.sys.Arrivals.Rate()
	if mean == 0 {
		return nil
	}
	const nearZero = 1e-20 // s times the mean
	v, _, err := r.wait.At(ctx, complex(nearZero/mean, 0), 0)
	if err != nil {
		return err
	}
	waits := 1.0
	for _, w := range r.start {
		waits -= w.p
	}
	r.waitError = math.Abs(real(v)/mean-1) * max(0, waits)
	if !(r.waitError <= mostWaitError) {
		return fmt.Errorf("the transform gives probabilities of waits to %.2g: %w", r.waitError, markov.ErrInaccurate)
	}
	return nil
}

// findEntries finds the states in which the tagged job begins its service: at its arrival below N jobs, and after a wait
// when a job leaves and the tagged job is the next.
func (r *response) findEntries() {
	lambda := r.sys.Arrivals.Rate()
	for level := range r.n {
		pi := r.sol.Level(level)
		for i, s := range r.levels.States(level) {
			r.others.arrivals(beside(s), func(by int, seen Shared, rate float64) {
				if by > 0 {
					r.followed.Divide(level+1, seen, level+1, func(to Shared, p float64) {
						r.start = append(r.start, weighted{tagged{machine: to}, pi[i] * rate * p / lambda})
					})
				}
			})
		}
	}
	met := map[tagged]bool{}
	r.taken = make([][]weighted, r.wait.Phases())
	for i, s := range r.levels.States(r.n) {
		r.others.Events(r.n+1, beside(s), func(by int, left Shared, rate float64) {
			if by >= 0 {
				return
			}
			r.followed.Divide(r.n, left, r.n, func(to Shared, p float64) {
				t := tagged{machine: to}
				r.taken[i] = append(r.taken[i], weighted{t, rate * p})
				if !met[t] {
					met[t] = true
					r.begins = append(r.begins, t)
				}
			})
		})
	}
}

// beside returns a state of the machine without the tagged job as a state of the machine with it, before the tagged job
// begins its service.
func beside(s Shared) Shared { return s.with(s.Jobs + counts.None(counts.Phases(s.Jobs))) }

// Limits of B. behindOff is the relative change of the transform up to which a larger B is not needed. mostBehindOff is
// the largest relative error of the transform if a larger B takes too much work.
const (
	mostBehind    = 1 << 14
	behindOff     = 1e-9
	mostBehindOff = responseError / 2
)

// findBehind doubles B until the transform does not change at s = 0.5/mean, where a change is largest. Where the next B
// would take too much work, the changes so far tell the error, see [restOfChanges].
func (r *response) findBehind(ctx context.Context, memory *markov.Memory) error {
	var half inService                           // with half as many jobs behind
	last, before, ratio := 0.0, 1.0, math.Inf(1) // F for half; the change before, and its ratio to an earlier one
	for b := 16; ; b *= 2 {
		if b > mostBehind {
			return levels.TakesTooLong("more than %d jobs after one that is served", b)
		}
		if err := r.build(ctx, b, memory); err != nil {
			return err
		}
		if err := r.checkWork(r.work(b, r.service.Transitions()), r.service.States()); err != nil {
			return err
		}
		v, err := r.at(ctx, complex(0.5/r.meanTime, 0))
		if err != nil {
			return err
		}
		f := real(v)
		change := math.Abs(f-last) / f
		if change <= behindOff {
			r.inService, r.behindError = half, change // as accurate, with half the work
			return nil
		}
		if err := r.checkTwice(b, half); err != nil {
			if r.behindError = restOfChanges(change, before, ratio); r.behindError <= mostBehindOff {
				return nil
			}
			return err
		}
		if half.service != nil {
			ratio = change / before
		}
		half, last, before = r.inService, f, change
	}
}

// restOfChanges returns a bound on the sum of all further changes of the transform as B doubles, if their ratios do not
// grow: change·q/(1 − q), where q is the ratio of the last change to the change before. ratio is the q of one doubling
// before, +Inf if it is not known. Where ratios grow or exceed 1/2, nothing is known, and the bound is +Inf.
//
// The probability of more than B jobs behind decreases geometrically in B. The ratio of two changes is then squared at each
// doubling.
func restOfChanges(change, before, ratio float64) float64 {
	q := change / before
	if q > 0.5 || q > ratio || math.IsInf(ratio, 1) {
		return math.Inf(1)
	}
	return change * q / (1 - q)
}

// checkTwice returns the error of [untagged.checkWork] for twice the number b of jobs behind the tagged job. half is
// the chain with half of b, empty if none was made: then 2·b is tried. Numbers of states and transitions are linear in
// the number of jobs behind.
func (r *response) checkTwice(b int, half inService) error {
	if half.service == nil {
		return nil
	}
	twice := func(now, half int) int { return now + 2*(now-half) }
	transitions := twice(r.service.Transitions(), half.service.Transitions())
	return r.checkWork(r.work(2*b, transitions), twice(r.service.States(), half.service.States()))
}

// work estimates the number of complex multiplications of an inversion with up to b jobs behind the tagged job. Its chain
// has the given number of transitions. The number of passes is a mean, measured on machines of 4 to 16 nodes. If the
// tagged job is of one of several classes, a job of each class is followed, and the estimate is their sum.
func (r *response) work(b, transitions int) float64 {
	const passes = 80
	jobs := 1
	if r.of.Class != nil {
		jobs = len(r.sys.arriving())
	}
	return float64(jobs) * transformPoints * (r.wait.Work(b) + passes*float64(transitions))
}

// maxTransformWork is the largest number of complex multiplications of two windows, as many as most distributions need.
// They take maxTransformSeconds on one core.
const (
	maxTransformWork    = 2e10
	maxTransformSeconds = 30
	transformPoints     = 100 // of two windows
)

// checkWork returns an error if a transform takes too much work. The states of a job in service are 0 if they are not
// known yet. The error wraps a *[parallel.LimitError] and [markov.ErrTooLarge].
func (u *untagged) checkWork(work float64, states int) error {
	if work <= maxTransformWork {
		return nil
	}
	service := ""
	if states > 0 {
		service = fmt.Sprintf(", %d of a job in service", states)
	}
	return fmt.Errorf("%d states of the machine%s: %w", len(u.levels.States(u.n)), service, &parallel.LimitError{Resource: parallel.Time,
		Takes: work / maxTransformWork * maxTransformSeconds, Limit: maxTransformSeconds, Kind: markov.ErrTooLarge})
}

// limitBehind returns the largest number of jobs behind the tagged job in a state of the machine. More jobs count as so many.
func (r *response) limitBehind(s Shared) int {
	if s.Kind == executing {
		return r.behind
	}
	return min(r.behind, r.stoppedMost)
}

// stoppedOff is the largest probability that more jobs arrive during a repartition into n shares than
// response.stoppedMost. Jobs wait behind the tagged job only if n jobs have shares.
const stoppedOff = 1e-13

// build makes the chain of a job in service with up to b jobs behind it. States are numbered level by level, so that
// [markov.Chain.Resolvent] needs few passes.
func (r *response) build(ctx context.Context, b int, memory *markov.Memory) error {
	if err := r.checkTagged(len(r.begins)*(b+1), memory); err != nil {
		return err
	}
	start, err := r.levelByLevel(ctx, b)
	if err != nil {
		return err
	}
	if err := r.checkTagged(len(start), memory); err != nil {
		return err
	}
	var states []tagged
	if r.service, states, err = markov.Explore(ctx, start, maxTagged, r.moves); err != nil {
		return err
	}
	r.setIndices(states)
	return ctx.Err()
}

// checkTagged returns an error if a chain of a job in service that has the given number of states, or more, takes too
// much memory or time. The machine without the tagged job is held beside it, with a solution that has as many blocks. A
// state takes 500 to 790 bytes on machines of 3 to 12 nodes: for its entry in a map, its transitions, the same transitions
// listed for the resolvent, and the chain with half as many jobs behind.
func (u *untagged) checkTagged(least int, memory *markov.Memory) error {
	if least > maxTagged {
		return levels.TakesTooLong("%d states or more, at most %d are solved", least, maxTagged)
	}
	if err := memory.Check(2*u.levels.Held() + taggedBytes*float64(least)); err != nil {
		return fmt.Errorf("%d states or more: %w", least, err)
	}
	return nil
}

// levelByLevel lists the states of a job in service with up to b jobs behind it, by the number of jobs. Within a level,
// states during a repartition come first, because they lead to the other states. r.behind becomes b. All levels with jobs
// behind the tagged job have the same states of the machine. Only levels with at most one job behind are explored.
func (r *response) levelByLevel(ctx context.Context, b int) ([]tagged, error) {
	var start []tagged // in a fixed order
	for _, w := range r.start {
		start = append(start, w.tagged)
	}
	for t := range 2 {
		for _, begin := range r.begins {
			start = append(start, tagged{begin.machine, t})
		}
	}
	r.behind = 1
	_, levels, err := markov.Explore(ctx, start, maxTagged, r.moves)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(levels, func(x, y tagged) int {
		return cmp.Or(
			cmp.Compare(x.machine.Running()+x.behind, y.machine.Running()+y.behind),
			cmp.Compare(y.machine.Kind, x.machine.Kind))
	})
	r.behind = b
	waiting := slices.IndexFunc(levels, func(t tagged) bool { return t.behind > 0 })
	if waiting < 0 {
		return levels, nil
	}
	top := levels[waiting:]
	for k := 2; k <= b; k++ {
		for _, t := range top {
			if k <= r.limitBehind(t.machine) {
				levels = append(levels, tagged{t.machine, k})
			}
		}
	}
	return levels, nil
}

// setIndices finds the states in which the tagged job begins its service in the list of all states.
func (r *response) setIndices(states []tagged) {
	index := make(map[tagged]int, len(states))
	for i, s := range states {
		index[s] = i
	}
	r.startAt = make([]int, len(r.start))
	for k, w := range r.start {
		r.startAt[k] = index[w.tagged]
	}
	r.takenAt = make([][][]int, r.behind+1)
	for b := range r.takenAt {
		r.takenAt[b] = make([][]int, len(r.taken))
		for i, list := range r.taken {
			for _, to := range list {
				state := to.tagged
				state.behind = b
				r.takenAt[b][i] = append(r.takenAt[b][i], index[state])
			}
		}
	}
}

// at returns the transform F(s) of P(response time > t). Let x be the transform of the rates at which the tagged job
// begins its service, by state: at its arrival, or after a wait with b jobs behind it. Then
//
//	F(s) = (transform of P(job waits at t)) + x·(sI − T)⁻¹·1,
//
// where T are the rates of the chain of the job in service.
func (r *response) at(ctx context.Context, s complex128) (complex128, error) {
	waiting, next, err := r.wait.At(ctx, s, r.behind)
	if err != nil {
		return 0, err
	}
	x := make([]complex128, r.service.States())
	for k, w := range r.start {
		x[r.startAt[k]] += complex(w.p, 0)
	}
	for b, w := range next {
		for i, v := range w {
			for k, to := range r.taken[i] {
				x[r.takenAt[b][i][k]] += v * complex(to.p, 0)
			}
		}
	}
	y, _, err := r.service.Resolvent(ctx, s, x)
	if err != nil {
		return 0, err
	}
	for _, v := range y {
		waiting += v
	}
	return waiting, nil
}

// moves adds the transitions of a state. done is called with the rate of the departure of the tagged job.
func (r *response) moves(t tagged, add func(to tagged, rate float64), done func(rate float64)) {
	jobs := t.machine.Running() + t.behind
	r.others.Events(jobs, t.machine, func(by int, to Shared, rate float64) {
		shares := min(jobs+by, r.n)
		switch {
		case by == 0, by > 0 && t.behind >= r.limitBehind(to):
			add(tagged{to, t.behind}, rate)
		case counts.Total(to.Jobs[len(to.Jobs)/2:]) == 0:
			done(rate)
		default:
			r.others.Divide(jobs+by, to, shares, func(to Shared, p float64) { add(tagged{to, jobs + by - shares}, rate*p) })
		}
	})
}
