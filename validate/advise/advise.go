package advise

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/metric"
)

// Advice is a rule, and what is known of it.
type Advice struct {
	Rule      policy.Resize
	Selection *Selection
	Value     metric.Interval // of the objective under the rule
	// Gains are over dynamic, the best static split and the policies of [Problem.Rigid], as far as these can keep up.
	Gains  []Gain
	Losses []Loss     // of [Options.Carried], in its order
	Flat   []Flatness // beside [Options.Screening], of its jobs alone
	Jobs   int64      // simulated, without those of policies that were left out or given up
}

// Gain compares a policy with the rule.
type Gain struct {
	Over  policy.Policy
	Value metric.Interval // of the objective under the policy
	// Share is 1 − rule/policy, by which the rule makes the objective smaller; the jobs are the same under both, and the interval
	// belongs to the quotient.
	Share metric.Interval
}

// Flatness says how much worse the objective becomes when one parameter is changed.
type Flatness struct {
	Name   string
	Values []float64         // ascending, with the value of the rule; no cap, which is 0, comes last
	Worse  []metric.Interval // rule with that value / rule − 1
}

// Advise finds the best rule for resizing and says what it gains. The rules have every combination of the values in
// over; dynamic equi-partitioning and every static split are candidates, too. The best rule is compared with dynamic
// partitioning, the best static split and the policies of q.Rigid. It is also compared with the ways of o.Carried, and
// with the rules that differ in one value.
//
// For a model, the comparison uses jobs that the selection has not seen; for a log, it uses the same jobs, or all jobs
// beside o.Screening. If dynamic partitioning or a static split is better there than the selected policy, it becomes the
// rule. Policies of a log whose waiting jobs do not fit into memory are left out. The error says what is
// wrong with the problem or the parameters, comes from a simulation, or wraps the error of ctx. The advice is nil
// beside an error.
func (q *Problem) Advise(ctx context.Context, over []Parameter, o Options) (*Advice, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	rules, err := q.Grid(over)
	if err != nil {
		return nil, err
	}
	screening := cmp.Or(o.Screening, q)
	search, err := screening.search(ctx, q.Candidates(rules), o)
	if err != nil {
		return nil, err
	}
	s := search.outcome()
	a := &Advice{Selection: s, Jobs: s.Jobs}
	o.share = o.Memory / leastShares
	c, near := q.comparisons(screening, search, s, o)
	rivals, err := c.compareBest(ctx, s)
	if err != nil {
		return nil, err
	}
	rule := best(c.all, func(p policy.Policy) bool { return !slices.Contains(q.Rigid, p) })
	if rule == nil {
		return nil, errNoneFits
	}
	a.Rule, a.Value = ruleOf(rule), c.value(rule)
	a.Gains = c.gains(rule, rivals)
	if o.Carried != nil {
		if a.Losses, err = c.losses(ctx, rule, a.Gains, o.Carried(a)); err != nil {
			return nil, err
		}
	}
	if near != c {
		if err := near.add(ctx, o.compared(), rule); err != nil {
			return nil, err
		}
	}
	if a.Flat, err = near.flat(ctx, rule, a.Rule, over); err != nil {
		return nil, err
	}
	if a.Jobs += c.simulated(); near != c {
		a.Jobs += near.simulated()
	}
	return a, nil
}

// comparisons returns the comparison of the best rule with its rivals, and the comparison with its neighbours, the rules
// that differ in one value. The two are one unless screening, the problem that the search has solved, is another than q:
// the neighbours are then compared on the jobs of screening.
func (q *Problem) comparisons(screening *Problem, search *search, s *Selection, o Options) (rivals, neighbours *comparison) {
	c := &comparison{Problem: q, o: o, key: q.keyOf(&o, comparing), block: s.Block}
	if q.Jobs > 0 {
		c.known = search.all // on the same jobs, the candidates need not run again
	}
	if screening == q {
		return c, c
	}
	near := *c
	near.Problem = screening
	c.block, c.known = q.blockOfLog(), nil
	return c, &near
}

// compareBest runs the best policy of the selection and its rivals. It returns the rivals that were not given up.
func (c *comparison) compareBest(ctx context.Context, s *Selection) ([]policy.Policy, error) {
	rivals := c.rivals(s)
	first, splits := apartFromSplits(rivals, s)
	if err := c.add(ctx, c.o.compared(), append([]policy.Policy{s.Best}, first...)...); err != nil {
		return nil, err
	}
	c.giveUpWorseSplits()
	if err := c.add(ctx, c.o.compared(), splits...); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(rivals, func(p policy.Policy) bool { return c.of(p) == nil }), nil
}

// gains compares the rule with its rivals. Of the static splits it takes the best alone, and none if none can keep up.
func (c *comparison) gains(rule policy.Policy, rivals []policy.Policy) (all []Gain) {
	static := best(c.all, isStatic)
	for _, p := range rivals {
		if isStatic(p) && p != static {
			continue
		}
		all = append(all, Gain{p, c.value(p), c.quotient(rule, p, less)})
	}
	return all
}

// BestStatic returns the number of partitions of the best static split. It is 0 if every static split is unstable.
func (a *Advice) BestStatic() int {
	for _, g := range a.Gains {
		if p, is := g.Over.(policy.Static); is {
			return p.Partitions
		}
	}
	return 0
}

// Split returns the number of partitions of the best static split, see [Advice.BestStatic]. If every static split is
// unstable, it returns the number of shares into which the rule divides machine m at most.
func (a *Advice) Split(m policy.Machine) int {
	return cmp.Or(a.BestStatic(), a.Rule.Shares(m.Partitions(), m.Partitions()))
}

// Rival returns the index in a.Gains of the policy that tables compare the rule with. It is the best static split or,
// if every static split is unstable, the first policy. It is −1 if a.Gains is empty.
func (a *Advice) Rival() int {
	for i, g := range a.Gains {
		if isStatic(g.Over) {
			return i
		}
	}
	if len(a.Gains) == 0 {
		return -1
	}
	return 0
}

// Losing returns the indices in a.Losses of the ways under which the rule takes significantly more time than the best
// static split. The whole interval says so, or the rule is unstable there. The result is nil if every static split is
// unstable.
func (a *Advice) Losing() (indices []int) {
	rival := a.Rival()
	if a.BestStatic() == 0 || rival < 0 {
		return nil
	}
	for i := range a.Losses {
		if loss := &a.Losses[i]; loss.Unstable || loss.Gains[rival].High < 0 {
			indices = append(indices, i)
		}
	}
	return indices
}

// less returns 1 − quotient: by which share a value is smaller than another value, given their quotient.
func less(quotient float64) float64 { return 1 - quotient }

// more returns quotient − 1: by which share a value is larger than another value, given their quotient.
func more(quotient float64) float64 { return quotient - 1 }

// isStatic reports whether policy p is a static split.
func isStatic(p policy.Policy) bool {
	_, static := p.(policy.Static)
	return static
}

// ruleOf returns policy p as a rule for resizing. A static split is the rule whose floor and cap are the number of
// partitions. Any policy that is neither a rule nor a static split, such as dynamic partitioning, is the zero rule.
func ruleOf(p policy.Policy) policy.Resize {
	switch p := p.(type) {
	case policy.Resize:
		return p
	case policy.Static:
		return policy.Resize{Floor: p.Partitions, Cap: p.Partitions}
	}
	return policy.Resize{}
}

// rivals returns the policies with which the best rule is compared: of the candidates of s, dynamic partitioning and
// the static splits, and then the policies of q.Rigid. Unstable policies are left out. Of q.Rigid, the policies behind
// an unstable one are left out, too.
func (q *Problem) rivals(s *Selection) []policy.Policy {
	var all []policy.Policy
	for _, e := range s.Candidates {
		if e.Policy == policy.Policy(policy.Dynamic{}) || isStatic(e.Policy) {
			all = append(all, e.Policy)
		}
	}
	for _, p := range q.Rigid {
		if _, err := q.Config(p); errors.As(err, new(*models.UnstableError)) {
			break
		}
		all = append(all, p) // its simulation returns any other error
	}
	return all
}

// apartFromSplits returns the rivals of a rule in two lists, each in their order: splits holds the static splits but the
// best of the selection, first all others.
func apartFromSplits(rivals []policy.Policy, s *Selection) (first, splits []policy.Policy) {
	var static policy.Policy
	least := math.Inf(1)
	for _, e := range s.Candidates {
		if isStatic(e.Policy) && e.Value < least {
			static, least = e.Policy, e.Value
		}
	}
	for _, p := range rivals {
		if isStatic(p) && p != static {
			splits = append(splits, p)
		} else {
			first = append(first, p)
		}
	}
	return first, splits
}

// giveUpWorseSplits makes further static splits of a log end when they are certain to be worse than the best split in
// c.all: when the values of their jobs have a larger sum. So the queue before too few partitions does not grow with the
// log. A percentile is no sum: with this objective all splits run to their end.
func (c *comparison) giveUpWorseSplits() {
	if static := best(c.all, isStatic); static != nil && c.Jobs > 0 && c.o.Objective != P95 {
		c.sumOfBest = c.of(static).sum
	}
}

// comparison simulates policies on the same blocks of jobs.
type comparison struct {
	*Problem
	o     Options
	key   des.Key // of the jobs
	block int
	all   []*candidate
	known []*candidate // of a log, which ran to their end with the same jobs and the same key

	sumOfBest float64 // of static splits that are begun; see [candidate.isWorse]
}

// The purposes of random numbers. Each has a key of its own, so that a rule is compared on jobs that its selection has
// not seen.
const (
	selecting = 0
	piloting  = 1
	comparing = 2
)

// keyOf returns the key of the random numbers for a purpose: selecting, piloting or comparing. Each purpose has a key
// of its own below o.Seed, so that a model draws other jobs for it. A log has the same jobs for all purposes, and one
// key.
func (q *Problem) keyOf(o *Options, purpose uint64) des.Key {
	if q.Jobs > 0 {
		purpose = selecting
	}
	return des.Seed(o.Seed).At(purpose)
}

// start appends the candidate of policy p to c.all. It is a known candidate that has run to its end, or else a new one
// without jobs. The error comes from [Problem.newCandidate]; nothing is appended then.
func (c *comparison) start(p policy.Policy) error {
	if i := slices.IndexFunc(c.known, func(x *candidate) bool { return x.policy == p && x.ended }); i >= 0 {
		c.all = append(c.all, c.known[i])
		return nil
	}
	x, err := c.newCandidate(p, &c.o, c.block, c.key)
	if err != nil {
		return err
	}
	if isStatic(p) {
		x.sumOfBest = c.sumOfBest
	}
	c.all = append(c.all, x)
	return nil
}

// simulated returns the number of jobs of all complete blocks that c.all has simulated, blocks that are left out
// included. Known candidates do not count.
func (c *comparison) simulated() (jobs int64) {
	for _, x := range c.all {
		if slices.Contains(c.known, x) {
			continue
		}
		jobs += int64(x.block) * int64(len(x.values)+x.first)
	}
	return jobs
}

// comparedBlocks is how many blocks of a model are compared at least.
const comparedBlocks = 40

// compared returns how many jobs of a model are simulated under each policy with which a rule is compared: a million,
// or o.MaxJobs/20 if it is less. A fifth of this number is simulated under each neighbour of the rule.
func (o *Options) compared() int { return int(min(1_000_000, o.MaxJobs/20)) }

// add simulates further policies on about so many jobs of a model, at least comparedBlocks blocks, or on all jobs of a
// log. Policies in c.all already are left out. The candidates are appended to c.all and run concurrently. Candidates of a
// log whose waiting jobs do not fit into memory are removed again: they cannot keep up. So are splits that are given up.
// The error comes from [Problem.newCandidate] or [candidate.lengthen].
func (c *comparison) add(ctx context.Context, jobs int, policies ...policy.Policy) error {
	begun := len(c.all)
	for _, p := range policies {
		if c.of(p) == nil {
			if err := c.start(p); err != nil {
				return err
			}
		}
	}
	added := c.all[begun:]
	err := parallel.Each(ctx, len(added), c.o.Workers, func(i int) error {
		if c.Jobs > 0 {
			return added[i].lengthenInMemory(ctx, c.blocks(jobs))
		}
		return added[i].lengthen(ctx, c.blocks(jobs))
	})
	c.all = slices.DeleteFunc(c.all, func(x *candidate) bool { return x.full || x.isWorse() })
	return err
}

// blocks returns the number of blocks that have about so many jobs of a model, at least comparedBlocks, or all jobs of
// a log.
func (c *comparison) blocks(jobs int) int {
	if c.Jobs > 0 {
		return (c.Jobs + c.block - 1) / c.block
	}
	return max(comparedBlocks, jobs/c.block)
}

// of returns the candidate of policy p in c.all; nil if p was not simulated.
func (c *comparison) of(p policy.Policy) *candidate {
	if i := slices.IndexFunc(c.all, func(x *candidate) bool { return x.policy == p }); i >= 0 {
		return c.all[i]
	}
	return nil
}

// best returns the policy with the least value of the objective among the candidates for whose policies among is true;
// the first among equals. It is nil if there is no such candidate.
func best(all []*candidate, among func(policy.Policy) bool) (best policy.Policy) {
	least := math.Inf(1)
	for _, x := range all {
		if v := x.value(); among(x.policy) && v < least {
			best, least = x.policy, v
		}
	}
	return best
}

// value returns the objective under policy p, which must be in c.all, with a Student interval over its blocks. For a
// log the mean is the value over all jobs, and the interval is that of a replay: by the jackknife over blocks that are
// merged until they pass for independent, see [metric.Independent]. Busy weeks of a log reach over several blocks.
func (c *comparison) value(p policy.Policy) metric.Interval {
	x := c.of(p)
	if c.Jobs == 0 {
		return metric.Student(x.values, c.o.Probability).About(x.value())
	}
	sums := make([][]float64, len(x.values))
	for b, v := range x.values {
		sums[b] = []float64{v, 1}
	}
	mean := func(s []float64) float64 { return s[0] / s[1] }
	return metric.JackknifePositive(metric.Independent(sums, 0, 1), mean, c.o.Probability).Around(x.value())
}

// quotient returns f(x/y) with its interval, where x and y are the values of the objective under the policies p and
// over. Both policies must be in c.all. The interval comes from the jackknife over their common blocks, which have the
// same jobs. For a log the mean is f of the values over all jobs, and blocks are merged until their quotients x/y pass
// for independent.
func (c *comparison) quotient(p, over policy.Policy, f func(x float64) float64) metric.Interval {
	x, y := c.of(p), c.of(over)
	sums := make([][]float64, min(len(x.values), len(y.values)))
	for b := range sums {
		sums[b] = []float64{x.values[b], y.values[b]}
	}
	if c.Jobs > 0 {
		sums = metric.Independent(sums, 0, 1)
	}
	e := metric.Jackknife(sums, func(s []float64) float64 { return f(s[0] / s[1]) }, c.o.Probability)
	if c.Jobs > 0 {
		e = e.About(f(x.value() / y.value()))
	}
	return e
}

// flat compares the rule with its neighbours, which differ in one parameter of over. The result has an entry for each
// parameter, in the order of over. best is the policy that the rule stands for, and must be in c.all. Neighbours that
// are not valid or unstable are left out. The error comes from [comparison.add].
func (c *comparison) flat(ctx context.Context, best policy.Policy, rule policy.Resize, over []Parameter) ([]Flatness, error) {
	rules := make([][]policy.Policy, len(over))
	all := make([]Flatness, len(over))
	for i, p := range over {
		all[i].Name = p.Name
		for _, v := range p.ascending(rule.Get(p.Name)) {
			with, err := rule.With(p.Name, v)
			if _, unstable := c.Config(with); err != nil || unstable != nil {
				continue // a floor above the cap, or a rule that cannot keep up
			}
			neighbour := policy.Policy(with)
			if with == rule {
				neighbour = best
			}
			all[i].Values, rules[i] = append(all[i].Values, v), append(rules[i], neighbour)
		}
	}
	if err := c.add(ctx, c.o.compared()/5, slices.Concat(rules...)...); err != nil {
		return nil, err
	}
	for i := range all {
		values := all[i].Values
		all[i].Values = nil
		for k, p := range rules[i] {
			if c.of(p) != nil {
				all[i].Values, all[i].Worse = append(all[i].Values, values[k]), append(all[i].Worse, c.quotient(p, best, more))
			}
		}
	}
	return all, nil
}

// ascending returns the values of the parameter and one more value, and, in ascending order, each once. Values that
// make no difference count as 0, and values that are not valid are left out. Cap 0 comes last, because without a cap as
// many jobs run as with the largest.
func (p *Parameter) ascending(and float64) []float64 {
	values := []float64{and}
	for _, v := range p.Values {
		if r, err := (policy.Resize{}).With(p.Name, v); err == nil {
			values = append(values, r.Get(p.Name))
		}
	}
	slices.Sort(values)
	values = slices.Compact(values)
	if p.Name == "cap" && values[0] == 0 {
		values = append(values[1:], 0)
	}
	return values
}

// Within returns the smallest and the largest value of the parameter in a row of neighbouring values of f.Values. The
// row includes of, the value of the rule. All other values of the row make the objective worse by at most the given
// share. If of is not in the list, both results are of.
func (f *Flatness) Within(share, of float64) (low, high float64) {
	at := slices.Index(f.Values, of)
	if at < 0 {
		return of, of
	}
	from, to := at, at
	for from > 0 && f.Worse[from-1].Mean <= share {
		from--
	}
	for to < len(f.Values)-1 && f.Worse[to+1].Mean <= share {
		to++
	}
	return f.Values[from], f.Values[to]
}
