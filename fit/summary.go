package fit

import (
	"fmt"
	"math"
	"strings"

	"github.com/partwise/partwise/phasetype"
)

// Comparison lays the data beside a distribution, for pictures.
type Comparison struct {
	Survival  []TailPoint    // where the distribution of the data rises, at most some hundreds, rising
	Quantiles []QuantilePair // the same
}

// QuantilePair is a quantile of the data beside that of the fit.
type QuantilePair struct {
	Probability float64 // below the quantile
	Data, Fit   float64
}

// Compare lays s beside d. The error is a *[SampleError] if s is not a sample.
func Compare(s Sample, d phasetype.Dist) (Comparison, error) {
	if err := s.check(); err != nil {
		return Comparison{}, err
	}
	p, err := newProblem(s, Options{})
	if err != nil {
		return Comparison{}, err
	}
	law := phasetype.NewLaw(d)
	whole := 1.0
	if len(p.truncations) > 0 {
		whole = p.observableMass(p.curve(d))
	}
	var out Comparison
	for _, st := range thinSteps(p.steps()) {
		x := st.x * p.scale
		out.Survival = append(out.Survival, TailPoint{x, st.after, law.Survival(x) / whole})
		middle := st.after
		if !st.edge {
			middle = (st.before + st.after) / 2
		}
		if middle > 0 && middle < 1 {
			out.Quantiles = append(out.Quantiles, QuantilePair{1 - middle, x, law.InverseSurvival(middle * whole)})
		}
	}
	return out, nil
}

// thinSteps keeps, of very many steps, the first and last and one in each cell of the logarithms of the value and of
// both tails.
func thinSteps(all []step) []step {
	const few = 300
	if len(all) <= few {
		return all
	}
	cell := func(s step) [3]int {
		tail := func(p float64) int { return int(math.Floor(12 * math.Log2(max(p, 1e-12)))) }
		return [3]int{int(math.Floor(6 * math.Log2(s.x))), tail(s.after), tail(1 - s.after)}
	}
	out := []step{all[0]}
	last := cell(all[0])
	for _, s := range all[1 : len(all)-1] {
		if c := cell(s); c != last {
			last = c
			out = append(out, s)
		}
	}
	out = append(out, all[len(all)-1])
	if len(out) <= 3*few {
		return out
	}
	var sparse []step
	for i := range 3 * few {
		sparse = append(sparse, out[i*(len(out)-1)/(3*few-1)])
	}
	return sparse
}

// Verdict says in words what ranked candidates mean: whether their phases suffice, how far into the tail the best of
// them follows the data, and whether more phases would matter to a queue.
func Summary(ranked []Candidate, by Criterion) []string {
	if len(ranked) == 0 {
		return nil
	}
	best := &ranked[0]
	said := []string{phasesInWords(ranked, by) + "; " + best.Goodness.tailInWords(best.Samples) + "."}
	if best.KS > 0 && best.Goodness.rejected(best.Samples) {
		said = append(said, fmt.Sprintf(
			"The data differ from the fit by more than chance: KS %.2g, of %d values 5 %% exceed %.2g.",
			best.KS, best.Samples, ksLimit(best.Samples)))
	}
	if s := queueInWords(ranked); s != "" {
		said = append(said, s)
	}
	return said
}

func phasesInWords(ranked []Candidate, by Criterion) string {
	best := &ranked[0]
	least, most := best.Phases, best.Phases
	for _, c := range ranked {
		if c.Family == best.Family {
			least, most = min(least, c.Phases), max(most, c.Phases)
		}
	}
	switch {
	case least == most:
		return phasesOf(best.Phases) + " were asked for and no other number tried"
	case best.Phases == most:
		return fmt.Sprintf("%s are the best by %s and the most that were tried: more may fit better",
			phasesOf(best.Phases), strings.ToUpper(string(by)))
	case best.Phases == 1:
		return "1 phase suffices"
	}
	return phasesOf(best.Phases) + " suffice"
}

func phasesOf(n int) string {
	if n == 1 {
		return "1 phase"
	}
	return fmt.Sprintf("%d phases", n)
}

// off is by what factor two tails may differ and still be called the same, besides four standard errors of the data.
const tailFactor = 1.25

// tailInWords names the first quantile from which on the fit leaves the data.
func (g Goodness) tailInWords(n int) string {
	if len(g.Tail) == 0 {
		return "there are too few values to speak of a tail"
	}
	good := ""
	for _, p := range g.Tail {
		allowed := math.Log(tailFactor) + 4*math.Sqrt((1-p.Data)/(max(p.Data, minPositive)*float64(n)))
		if d := math.Abs(math.Log(max(p.Fit, minPositive) / max(p.Data, minPositive))); d > allowed {
			if good == "" {
				return "not even the median is captured"
			}
			return fmt.Sprintf("the tail beyond %s is not captured", good)
		}
		good = percentile(p.Data)
	}
	return fmt.Sprintf("the tail is captured up to %s", percentile(g.Tail[len(g.Tail)-1].Data))
}

// percentile names the place with probability p beyond it.
func percentile(p float64) string { return "p" + fmt.Sprintf("%.4g", 100*(1-p)) }

// ksLimit is what the KS distance of n values from their true distribution exceeds in 5 % of all cases; from a fitted
// one, in fewer.
func ksLimit(n int) float64 { return 1.358 / math.Sqrt(float64(max(n, 1))) }

func (g Goodness) rejected(n int) bool { return g.KS > ksLimit(n) }

// queueInWords compares the best with the smallest order of its family whose queues are the same to one part in a
// hundred.
func queueInWords(ranked []Candidate) string {
	best := &ranked[0]
	first := best
	for i := range ranked {
		c := &ranked[i]
		if c.Family == best.Family && c.Phases < first.Phases && near(c.Queue.MPH1, best.Queue.MPH1) &&
			near(c.Queue.PHM1, best.Queue.PHM1) {
			first = c
		}
	}
	if first == best {
		return ""
	}
	return fmt.Sprintf(
		"A queue at load %.1f does not tell %s from %d: M/PH/1 and PH/M/1 respond alike within 1 %%.",
		QueueLoad, phasesOf(first.Phases), best.Phases)
}

func near(a, b float64) bool { return math.Abs(a-b) <= 0.01*b }
