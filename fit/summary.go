package fit

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/partwise/partwise/fit/internal/productlimit"
)

// Summary ranks candidates by [AIC] if by is AIC, otherwise by [BIC], also for the zero value. It returns sentences on
// their goodness of fit. The first says whether the best candidate has enough phases and how far into the tail it
// follows the data. A second follows if the best candidate differs significantly from the data, and another if fewer
// phases give the same response times of a queue. Without candidates the result is nil. ranked stays unchanged.
func Summary(ranked []Candidate, by Criterion) []string {
	if len(ranked) == 0 {
		return nil
	}
	if by != AIC {
		by = BIC
	}
	ranked = slices.SortedStableFunc(slices.Values(ranked), func(a, b Candidate) int { return a.compare(b.Fitted, by) })
	best := &ranked[0]
	sentences := []string{phasesInWords(ranked, by) + "; " + best.Goodness.tailInWords() + "."}
	if best.Goodness.rejected() {
		sentences = append(sentences, best.Goodness.differenceInWords())
	}
	if s := queueInWords(ranked); s != "" {
		sentences = append(sentences, s)
	}
	return sentences
}

// differenceInWords returns the sentence on a significant difference of fit and data. The distance with its critical value
// is KS, unless lower bounds, truncation or intervals make KS less certain.
func (g *Goodness) differenceInWords() string {
	name := "KS is"
	if math.Abs(g.WeightedKS-g.KS) > 1e-9 {
		name = "KS, weighted by its precision, is"
	}
	return fmt.Sprintf(
		"The fit differs significantly from the data: %s %.4f, and only 5 %% of samples of %.0f observations exceed %.4f.",
		name, g.WeightedKS, g.Effective, productlimit.CriticalValue(g.Effective))
}

// phasesInWords returns the beginning of a sentence on the number of phases of the best candidate, ranked[0]. ranked
// are the candidates, best first by the criterion by. If all have the same number of phases, the sentence says that
// only this number was tried. Otherwise, if the best has no fewer parameters than there are observations, the sentence says
// that these are too few. If the best has the most phases of its family but other families have more, the sentence
// gives the range that was tried. It also gives the range if the best is the only candidate of its family. If no
// candidate has more phases than the best, more may fit better. Otherwise the phases are enough.
func phasesInWords(ranked []Candidate, by Criterion) string {
	best := &ranked[0]
	if n := best.size(); n <= float64(best.DegreesOfFreedom) && slices.ContainsFunc(ranked, func(c Candidate) bool { return c.Phases != best.Phases }) {
		return fmt.Sprintf("The observations are too few to tell the number of phases: %.0f, for the %d parameters of %s",
			n, best.DegreesOfFreedom, phasesOf(best.Phases))
	}
	least, most := best.Phases, best.Phases // of the family of the best
	leastOfAll, mostOfAll := best.Phases, best.Phases
	for _, c := range ranked {
		if c.Family == best.Family {
			least, most = min(least, c.Phases), max(most, c.Phases)
		}
		leastOfAll, mostOfAll = min(leastOfAll, c.Phases), max(mostOfAll, c.Phases)
	}
	switch {
	case leastOfAll == mostOfAll:
		if best.Phases == 1 {
			return "Only 1 phase was tried"
		}
		return fmt.Sprintf("Only %d phases were tried", best.Phases)
	case least == most || best.Phases == most && most < mostOfAll:
		return fmt.Sprintf("%s with %s is the best by %s of candidates with %d to %d phases",
			best.Family, phasesOf(best.Phases), strings.ToUpper(string(by)), leastOfAll, mostOfAll)
	case best.Phases == most:
		return fmt.Sprintf("%s are the best by %s, and no more were tried: more may fit better",
			phasesOf(best.Phases), strings.ToUpper(string(by)))
	case best.Phases == 1:
		return "1 phase is enough"
	}
	return phasesOf(best.Phases) + " are enough"
}

// phasesOf returns "1 phase", or a number with "phases", for sentences and errors.
func phasesOf(n int) string {
	if n == 1 {
		return "1 phase"
	}
	return fmt.Sprintf("%d phases", n)
}

// tailFactor is the factor by which two tail probabilities may differ, in addition to four standard errors of the data,
// and still count as equal. From the factor mismatch on they differ, however few the observations are.
const (
	tailFactor = 1.25
	mismatch   = 2
)

// tailInWords returns the end of a sentence: up to which quantile the fit follows the data, and how far off it is. A tail
// probability of the fit may differ from the tail probability of the data by the factor 1.25 and four standard errors, but
// by less than the factor 2. It also names a quantile that cannot be judged, as too many values are lower bounds. The
// sentence ends otherwise if there are too few values for a quantile, no value is above the median, or the fit misses the
// median.
func (g *Goodness) tailInWords() string {
	followed, off := "", 0.
	for i, p := range g.Tail {
		if p.Data == 0 { // no value lies beyond, so that nothing is known of the tail there
			break
		}
		data, standardError := max(p.Data, minPositive), 0.
		if i < len(g.TailErrors) {
			standardError = g.TailErrors[i]
		}
		allowed := min(math.Log(mismatch), math.Log(tailFactor)+4*standardError/data)
		if d := math.Abs(math.Log(max(p.Fit, minPositive) / data)); d > allowed {
			if followed == "" {
				return "the fit does not even match the median"
			}
			return tailWithin(followed, off) + ", but not beyond"
		}
		followed, off = percentile(p.Data), max(off, math.Abs(p.Fit/p.Data-1))
	}
	next := len(g.Tail) // of the quantiles
	isCensored := next < len(tailProbabilities) && tailProbabilities[next]*g.Effective >= leastBeyond
	switch {
	case next == 0 && isCensored:
		return "the uncensored values are too few to judge the tail"
	case next == 0:
		return "there are too few values to judge the tail"
	case followed == "":
		return "the values are too alike to judge the tail: the largest is the most frequent"
	case isCensored:
		return tailWithin(followed, off) + "; the uncensored values are too few to judge " + percentile(tailProbabilities[next])
	}
	return tailWithin(followed, off)
}

// tailWithin returns a phrase such as "the fit matches the tail within 3.1 % up to p99". off is the largest relative
// difference of fit and data up to the quantile, 0.031 in the example, and is printed with two digits. quantile is the
// name of the quantile.
func tailWithin(quantile string, off float64) string {
	percent := fmt.Sprintf("%.2g", 100*off)
	if off >= 0.1 {
		percent = fmt.Sprintf("%.0f", 100*off)
	}
	return "the fit matches the tail within " + percent + " % up to " + quantile
}

// percentile returns the name of the quantile with probability p above it, such as "p99" for 0.01.
func percentile(p float64) string { return "p" + fmt.Sprintf("%.4g", 100*(1-p)) }

// queueInWords returns a sentence on the fewest phases that give nearly the same response times of queues as the best
// candidate, ranked[0]. It names the smallest candidate of the same family whose mean response times of M/PH/1 and
// PH/M/1 are both within 1 %. It returns "" if no candidate with fewer phases is within 1 %. ranked are the candidates,
// best first.
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
	if first == best || best.size() <= float64(best.DegreesOfFreedom) { // so few tell no number of phases
		return ""
	}
	return fmt.Sprintf(
		"At load %.1f the mean response times of M/PH/1 and PH/M/1 with %s are within 1 %% of those with %d.",
		QueueLoad, phasesOf(first.Phases), best.Phases)
}

// near reports whether a differs from b by at most 1 % of b, for b > 0.
func near(a, b float64) bool { return math.Abs(a-b) <= 0.01*b }
