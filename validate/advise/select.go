package advise

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/metric"
)

// Options steer a selection. The zero value works.
type Options struct {
	Objective Objective // "" is Mean
	// Probability is the probability of a correct selection; 0 is 0.95. For a model, the best candidate is selected
	// with this probability if it is better than all others by the share Indifference. For a log, the candidates that
	// are not left out include the best candidate with this probability.
	Probability  float64
	Indifference float64 // relative to the best value of the first stage; 0 is 1 %
	MaxJobs      int64   // bound on the jobs simulated for a selection, but for its first stage; 0 is 60·10⁶
	Seed         uint64
	Workers      int // goroutines; 0 is one for each processor. The result does not depend on it.
	// Memory is how many bytes the jobs in the systems of all candidates together may take; 0 is 4 GiB. A candidate that needs more than
	// its share ends with a *[parallel.LimitError].
	Memory float64
	share  float64 // of Memory, for a candidate
	// Screening, if not nil, is a problem of the same machine with a part of the jobs of a log. [Problem.Advise] selects the
	// rule on these jobs alone, to save time, and compares it on all jobs with other policies and with ways to apply it. The
	// neighbours of the rule also have these jobs alone.
	Screening *Problem
	// Carried, if not nil, returns the ways in which systems apply the rule of an advice that has its gains.
	// [Advice.Losses] says what each way loses.
	Carried func(a *Advice) []Carried
	// Progress, if not nil, hears how many of all candidates are left, and how many jobs were simulated for them; never two
	// calls at once.
	Progress func(left, all int, jobs int64)
}

// The probability and the indifference of a selection if nobody says otherwise.
const (
	DefaultProbability  = 0.95
	DefaultIndifference = 0.01
)

// withDefaults returns the options with the defaults in place of zero values; see the fields of [Options].
func (o Options) withDefaults() Options {
	o.Objective, o.Probability = cmp.Or(o.Objective, Mean), cmp.Or(o.Probability, DefaultProbability)
	o.Indifference, o.MaxJobs = cmp.Or(o.Indifference, DefaultIndifference), cmp.Or(o.MaxJobs, 60_000_000)
	o.Memory = cmp.Or(o.Memory, parallel.DefaultMemory)
	return o
}

// Estimate is what is known of a candidate.
type Estimate struct {
	Policy policy.Policy
	Value  float64 // mean of its blocks; of a log, of all jobs
	Blocks int
	Left   bool // it was not left out
}

// Selection is the outcome of choosing among candidates.
type Selection struct {
	Best       policy.Policy
	Candidates []Estimate // in their order, without the unstable candidates
	Unstable   []policy.Policy
	Block      int // jobs in a block
	Jobs       int64
	OfLog      int     // jobs of the log that the candidates were compared on: all, or those of [Options.Screening]; 0 of a model
	Margin     float64 // the least difference that is told apart, in the unit of the objective; 0 of a log
	Left       int     // candidates that were not left out
	// Sure reports that the best was selected with the probability asked for: the selection came to its end within
	// MaxJobs. A log is never sure: it has as many jobs as it has.
	Sure bool
}

const (
	firstStage  = 20 // blocks of every candidate before any is left out
	blocksOfLog = 32 // that a log is cut into
	pilotBlocks = 32
	leastShares = 64   // that the memory is divided into
	leastBlock  = 1000 // jobs
	mostBlock   = 32_000
)

// Select chooses the best of the candidates: the policy with the least objective, with the probability of a correct
// selection that o asks for; see [Options.Probability]. The values of blocks are treated as independent and normal. A
// pilot run of the first candidate decides how long blocks must be for this.
//
// The error says that the problem is empty, that there are no stable candidates, or comes from a simulation. If ctx
// ends after the first stage, Select returns the selection so far and an error that wraps the error of ctx.
func (q *Problem) Select(ctx context.Context, candidates []policy.Policy, o Options) (*Selection, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	s, err := q.search(ctx, candidates, o.withDefaults())
	if s == nil {
		return nil, err
	}
	return s.outcome(), err
}

// search makes the selection of [Problem.Select], and returns it with the simulated candidates, which a comparison on a
// log uses again. The result is nil if the first stage failed. Beside a later error it holds the selection so far. o
// must have its defaults.
func (q *Problem) search(ctx context.Context, candidates []policy.Policy, o Options) (*search, error) {
	o.share = o.Memory / float64(max(len(candidates), leastShares))
	s := &search{comparison: comparison{Problem: q, o: o, key: q.keyOf(&o, selecting)}}
	if err := s.begin(ctx, candidates); err != nil {
		return nil, err
	}
	stage := firstStage
	if q.Jobs > 0 {
		stage = (q.Jobs + s.block - 1) / s.block
	}
	if err := s.lengthen(ctx, stage); err != nil {
		return nil, err
	}
	if q.Jobs > 0 {
		s.leaveFull()
		if len(s.left) == 0 {
			return nil, errNoneFits
		}
		s.subset(1 - s.o.Probability)
		return s, nil
	}
	return s, s.sequential(ctx)
}

// errNoneFits is the error of a log that no policy can keep up with.
var errNoneFits = errors.New("advise: under none of the policies do the jobs that wait fit into memory")

// blockOfLog returns the number of jobs of a block of a log: a 32nd of the jobs, rounded up.
func (q *Problem) blockOfLog() int { return (q.Jobs + blocksOfLog - 1) / blocksOfLog }

// search is a selection under way.
type search struct {
	comparison
	left []*candidate
	out  Selection

	progress sync.Mutex
	jobs     int64 // simulated
}

// begin sets s.block, the number of jobs of a block, and starts the stable candidates: it fills s.all and s.left.
// Unstable candidates go into s.out.Unstable. The error says that no candidate is stable, or comes from a simulation.
func (s *search) begin(ctx context.Context, candidates []policy.Policy) error {
	stable, err := s.stableOf(candidates)
	if err != nil {
		return err
	}
	if s.block, err = s.blockOf(ctx, stable[0]); err != nil {
		return err
	}
	for _, p := range stable {
		if err := s.start(p); err != nil {
			return err
		}
	}
	s.left = s.all
	return nil
}

// stableOf returns the stable candidates, in their order, and appends the others to s.out.Unstable. If none is stable,
// the error is the *[models.UnstableError] of the last candidate, or says that there are no candidates. Any other error
// of s.Config is returned, too.
func (s *search) stableOf(candidates []policy.Policy) ([]policy.Policy, error) {
	var stable []policy.Policy
	last := errors.New("advise: there are no candidates")
	for _, p := range candidates {
		switch _, err := s.Config(p); {
		case errors.As(err, new(*models.UnstableError)):
			s.out.Unstable, last = append(s.out.Unstable, p), err
		case err != nil:
			return nil, err
		default:
			stable = append(stable, p)
		}
	}
	if len(stable) == 0 {
		return nil, last
	}
	return stable, nil
}

// blockOf returns the number of jobs of a block. For a model it is the least of 1000, 2000, … 16,000 with which the
// values of 32 blocks under policy p pass for independent. It is 32,000 if none passes. The test is von Neumann's ratio
// of mean response times, from a pilot run with random numbers of its own. For a log it is a 32nd of the jobs, rounded
// up. The error comes from the simulation.
func (s *search) blockOf(ctx context.Context, p policy.Policy) (block int, err error) {
	if s.Jobs > 0 {
		return s.blockOfLog(), nil
	}
	mean := s.o
	mean.Objective = Mean
	for block = leastBlock; block < mostBlock; block *= 2 {
		x, err := s.newCandidate(p, &mean, block, des.Seed(s.o.Seed).At(piloting).At(uint64(block)))
		if err != nil {
			return 0, err
		}
		if err := x.lengthen(ctx, pilotBlocks); err != nil {
			return 0, err
		}
		parts := make([][]float64, pilotBlocks)
		for i := range parts {
			parts[i] = []float64{x.values[i], 1}
		}
		if len(metric.Independent(parts, 0, 1)) == pilotBlocks {
			break
		}
	}
	return block, nil
}

// lengthen simulates the candidates in s.left concurrently, until each has so many complete blocks, and reports the
// progress. The error comes from [candidate.lengthen]. A candidate of a log that does not fit into memory is no error:
// its field full is set.
func (s *search) lengthen(ctx context.Context, blocks int) error {
	return parallel.Each(ctx, len(s.left), s.o.Workers, func(i int) error {
		x := s.left[i]
		before, lengthen := len(x.values), x.lengthen
		if s.Jobs > 0 {
			lengthen = x.lengthenInMemory
		}
		err := lengthen(ctx, blocks)
		s.report(len(x.values) - before)
		return err
	})
}

// leaveFull moves the candidates of a log whose waiting jobs do not fit into memory from s.all to s.out.Unstable,
// because they cannot keep up. s.left becomes the remaining candidates.
func (s *search) leaveFull() {
	s.all = slices.DeleteFunc(s.all, func(x *candidate) bool {
		if x.full {
			s.out.Unstable = append(s.out.Unstable, x.policy)
		}
		return x.full
	})
	s.left = s.all
}

// report counts so many further blocks of a candidate, and tells o.Progress how many candidates are left and how many
// jobs were simulated. It does nothing without o.Progress. Several goroutines may call it at a time.
func (s *search) report(blocks int) {
	if s.o.Progress == nil {
		return
	}
	s.progress.Lock()
	defer s.progress.Unlock()
	s.jobs += int64(blocks) * int64(s.block)
	s.o.Progress(len(s.left), len(s.all), s.jobs)
}

// varianceOfDifference returns the sample variance of the differences between the values of two candidates, over their
// common blocks. The blocks have the same jobs, so it is smaller than the variance of independent runs.
func varianceOfDifference(x, y *candidate) float64 {
	n := min(len(x.values), len(y.values))
	return stat.Variance(floats.SubTo(make([]float64, n), x.values[:n], y.values[:n]), nil)
}

// sequential is the procedure of Kim and Nelson with c = 1, at half of the probability α of a mistake. All candidates
// must have n₀ = 20 blocks, the first stage. With k candidates and the variance S² of the difference of two of them,
//
//	h² = (n₀−1)·((α/(k−1))^(−2/(n₀−1)) − 1),   W(r) = max(0, δ/(2r)·(h²S²/δ² − r)),
//
// a candidate is left out after r blocks if its mean exceeds the mean of another candidate by more than W(r). The
// procedure ends when one candidate is left. Otherwise it ends after more than h²S²/δ² blocks with the candidate that
// has the least mean. δ is the indifference, relative to the least mean of the first stage.
//
// A candidate may be far worse, and so variable that the procedure would take long to leave it out. After n₀, 2n₀, 4n₀,
// … blocks, [search.subset] leaves out such candidates, at α/4, α/8, … of the probability.
//
// s.left becomes the remaining candidates, and s.out gets Margin and Sure. The search ends unsure when more than
// MaxJobs jobs were simulated. The error comes from [search.lengthen].
func (s *search) sequential(ctx context.Context) error {
	alpha := (1 - s.o.Probability) / 2
	spent, look := alpha/2, firstStage
	least := math.Inf(1)
	for _, x := range s.all {
		least = min(least, stat.Mean(x.values, nil))
	}
	delta := s.o.Indifference * least
	s.out.Margin = delta
	freedom := float64(firstStage - 1)
	h2 := freedom * (math.Pow(2*alpha/max(1, float64(len(s.all)-1)), -2/freedom) - 1)
	reach := map[[2]*candidate]float64{} // h²S²/δ²
	for _, x := range s.left {
		for _, y := range s.left {
			if x != y {
				reach[[2]*candidate{x, y}] = h2 * varianceOfDifference(x, y) / (delta * delta)
			}
		}
	}
	for r := firstStage; ; r++ {
		if r == look {
			s.subset(spent)
			spent, look = spent/2, 2*look
		}
		s.leaveOut(func(x, y *candidate) float64 {
			return max(0, delta/(2*float64(r))*(reach[[2]*candidate{x, y}]-float64(r)))
		})
		longest := 0.0
		for _, x := range s.left {
			for _, y := range s.left {
				longest = max(longest, reach[[2]*candidate{x, y}])
			}
		}
		if len(s.left) == 1 || float64(r) > longest {
			s.out.Sure = true
			return nil
		}
		if s.simulated() > s.o.MaxJobs {
			return nil
		}
		if err := s.lengthen(ctx, r+1); err != nil {
			return err
		}
	}
}

// leaveOut removes candidates from s.left whose means exceed the mean of another candidate y by more than by(x, y), the
// largest insignificant difference. A candidate whose mean is the least stays.
func (s *search) leaveOut(by func(x, y *candidate) float64) {
	means := make([]float64, len(s.left))
	for i, x := range s.left {
		means[i] = stat.Mean(x.values, nil)
	}
	var left []*candidate
	for i, x := range s.left {
		worse := false
		for j, y := range s.left {
			worse = worse || means[i] > means[j] && means[i] > means[j]+by(x, y)
		}
		if !worse {
			left = append(left, x)
		}
	}
	s.left = left
}

// subset removes candidates from s.left whose means exceed the mean of another by more than t·S/√n. S² is the variance
// of the differences of their n blocks, and t the quantile of Student's distribution at 1 − alpha/(k−1), with k
// candidates. The best is among the others with a probability of at least 1 − alpha, as far as blocks are independent.
func (s *search) subset(alpha float64) {
	n := len(s.left[0].values)
	t := metric.Quantile(n-1, 1-alpha/float64(max(1, len(s.all)-1)))
	s.leaveOut(func(x, y *candidate) float64 {
		return t * math.Sqrt(varianceOfDifference(x, y)/float64(n))
	})
}

// outcome returns the selection. The best candidate has the least value among the candidates in s.left. The selection
// is a copy: it does not hold the jobs of the search in memory.
func (s *search) outcome() *Selection {
	out := s.out
	out.Block, out.Jobs, out.OfLog, out.Left = s.block, s.simulated(), s.Problem.Jobs, len(s.left)
	out.Best = best(s.left, func(policy.Policy) bool { return true })
	for _, x := range s.all {
		out.Candidates = append(out.Candidates, Estimate{x.policy, x.value(), len(x.values), slices.Contains(s.left, x)})
	}
	return &out
}
