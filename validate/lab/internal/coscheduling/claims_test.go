package coscheduling_test

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/testdata/phtest"
	"github.com/partwise/partwise/validate/lab/internal/coscheduling"
	"github.com/partwise/partwise/validate/metric"
)

type outcome = phtest.Outcome

const holds, partly, fails outcome = "holds", "partly", "fails"

var (
	claim   = phtest.NewClaim[*results]
	verdict = phtest.Verdict
)

// claims is the table of statements of section 4 of the paper.
var claims = []phtest.Claim[*results]{
	claim("1", "4.1", "Local, SY, DCS and DCS-SY saturate before the utilization reaches 50 % (figure 3).", holds, earlySaturation),
	claim("2", "4.1", "GS goes to 57 %, the other five further; SB, PB and PB-SB go to 77 %.", partly, lateSaturation),
	claim("3", "4.2", "Computing jobs (wl4): Local and SY are worst, then DCS and DCS-SY, then GS, which skew slows down.", partly,
		computingOrder),
	claim("4", "4.2", "wl4: the other five do not differ significantly.", holds, computingFive),
	claim("5", "4.2", "Communicating jobs (wl5): PB is clearly the best.", fails, boostBest),
	claim("6", "4.2", "wl5: GS, SB, PB-SB and PB-SY are comparable; DCS and DCS-SY become much worse.", partly, communicating),
	claim("7", "4.2", "I/O (wl2): no significant difference between SB, DCS-SB, PB, PB-SB and PB-SY; GS is worse.", holds, inputOutput),
	claim("8", "4.2", "Balanced jobs (wl3): GS is not as good as SB, PB, PB-SB and PB-SY.", holds, balanced),
	claim("9", "4.2", "Several dynamic policies have shorter waits than GS.", holds, shorterWaits),
	claim("10", "4.3", "A higher MPL slows Local down; policies with PB or SB gain most (table 4).", partly, levelsMatter),
	claim("11", "4.3", "With an MPL of 2 PB is better than SB, above all on wl5.", fails, boostAtTwo),
	claim("12", "4.4", "Skew slows GS down; dynamic policies hide more of it (figure 6).", holds, skewCosts),
	claim("13", "4.4", "Blocking hides skew better than spinning.", partly, blockingHides),
	claim("14", "4.5", "A shorter quantum helps GS, even at the same cost of a switch (table 5).", partly, shorterQuantum),
	claim("15", "4.5", "Lower overheads help policies that block more than those that spin; PB gains little.", holds, overheads),
	claim("16", "4.6", "Tree: policies that block are better than the others (figure 7).", holds, treeBlocks),
	claim("17", "4.6", "All to all: GS is the best.", fails, gangBest),
	claim("18", "4.6", "Linear and nearest neighbours are comparable; PB is good on every pattern.", holds, linearLikeNearest),
	claim("19", "4.7", "Twice the nodes more than halve the wait; run times hardly grow (figure 8).", holds, scaling),
	claim("20", "4.7", "One cluster is better than two halves (figure 9).", holds, oneCluster),
	claim("21", "4.8", "GS is the fairest, Local the least fair; SB and PB-SB are fairer than DCS, PB and PB-SY (figure 10).", partly,
		fairness),
	claim("22", "4.9", "wl4: heuristics B, D and E are better than A and C (figure 11).", partly, computingRules),
	claim("23", "4.9", "wl5: C, D and E are better than A and B.", holds, communicatingRules),
	claim("24", "4.9", "D and E are the best on all three workloads.", partly, bestRules),
	claim("25", "4.9", "A and C boost processes without messages (S1) more often; on wl5 most boosts are for S3 (figure 12).", partly,
		boostedStates),
	claim("26", "4.9", "On wl5 C to E choose the next process in turn more often than A and B (figure 13).", holds, boostedNext),
	claim("27", "4.9", "B and D are fairer than A, C and E (figure 14).", partly, fairRules),
	claim("28", "4.9", "A fair share makes A to D as fair as GS; E less (table 6).", fails, primedFair),
	claim("29", "4.9", "A fair share costs no response time (figure 15).", holds, primedTimes),
}

// results are the outcomes of all figures, as they are stored.
type results struct {
	t       testing.TB
	figures map[string][]coscheduling.Outcome
}

func stored(t *testing.T) *results {
	r := &results{t, map[string][]coscheduling.Outcome{}}
	for _, f := range coscheduling.Figures() {
		if !viewed[f.Name] {
			r.figures[f.Name] = read(t, &f)
		}
	}
	return r
}

// of returns the outcome of a policy in a case of a figure.
func (r *results) of(figure, name, policy string) *coscheduling.Outcome {
	for i := range r.figures[figure] {
		if o := &r.figures[figure][i]; o.Case.Name == name && o.Policy.String() == policy {
			return o
		}
	}
	r.t.Fatalf("figure %s has no %s, %s", figure, name, policy)
	return nil
}

// set are policies in a case of a figure.
type set struct {
	*results
	figure, name string
}

func (s set) of(policy string) *coscheduling.Outcome { return s.results.of(s.figure, s.name, policy) }

// value is the mean of a measure.
func (s set) value(policy, name string) float64 { return s.of(policy).Of(name).Mean }

// response writes the mean response time of a policy.
func (s set) response(policy string) string {
	o := s.of(policy)
	over := ""
	if o.Saturated() {
		over = "over "
	}
	return fmt.Sprintf("%s %s%.1f", upper(policy), over, o.Of(measure.MeanResponseTime).Mean)
}

func upper(policy string) string {
	if policy == "local" {
		return "Local"
	}
	return strings.Replace(strings.ToUpper(policy), "PB:", "PB-", 1)
}

func (s set) responses(policies ...string) string {
	var all []string
	for _, p := range policies {
		all = append(all, s.response(p))
	}
	return strings.Join(all, ", ") + " s"
}

// ratio compares the response times of two policies on the same jobs.
func (s set) ratio(a, b string) metric.Interval {
	return ratio(s.of(a), s.of(b), measure.MeanResponseTime)
}

// slower reports whether all policies of a list are slower than all of another, significantly.
func (s set) slower(these, than []string) (all, some bool) {
	all = true
	for _, a := range these {
		for _, b := range than {
			is := s.ratio(a, b).Low > 1
			all, some = all && is, some || is
		}
	}
	return all, some
}

// spread returns the longest over the shortest mean response time of policies.
func (s set) spread(policies ...string) float64 {
	least, most := math.Inf(1), 0.
	for _, p := range policies {
		v := s.value(p, measure.MeanResponseTime)
		least, most = math.Min(least, v), math.Max(most, v)
	}
	return most / least
}

func interval(v metric.Interval) string { return fmt.Sprintf("%.2f ±%.2f", v.Mean, v.HalfWidth) }

// list is a list of policies that are separated by blanks.
func list(text string) []string { return strings.Fields(text) }

var five = list("sb dcs-sb pb pb-sb pb-sy")

func earlySaturation(r *results) (outcome, string) {
	s := set{r, "saturation", "wl7"}
	all, text := true, ""
	for _, p := range list("local sy dcs dcs-sy") {
		v := s.of(p).Of("utilization_useful")
		all = all && v.Low < .5
		text += fmt.Sprintf("%s %s, ", upper(p), interval(v))
	}
	return verdict(all, all), "Useful work done from a backlog: " + strings.TrimSuffix(text, ", ") + "."
}

func lateSaturation(r *results) (outcome, string) {
	s := set{r, "saturation", "wl7"}
	gang := s.of("gs")
	text, further, far := "GS "+interval(gang.Of("utilization_useful")), true, true
	for _, p := range five {
		o := s.of(p)
		further = further && ratio(o, gang, "utilization_useful").Low > 1
		v := o.Of("utilization_useful")
		if p == "sb" || p == "pb" || p == "pb-sb" {
			far = far && v.Low < .77 && v.High > .77
		}
		text += fmt.Sprintf(", %s %s", upper(p), interval(v))
	}
	return verdict(further && far, further || far), text + "."
}

func computingOrder(r *results) (outcome, string) {
	s := set{r, "4", "wl4"}
	a, someA := s.slower(list("local sy"), list("dcs dcs-sy"))
	b, someB := s.slower(list("dcs dcs-sy"), list("gs"))
	c, someC := s.slower(list("gs"), five)
	return verdict(a && b && c, someA || someB || someC), s.responses("local", "sy", "dcs", "dcs-sy", "gs") + "."
}

// alike is by what factor means may differ that count as alike.
const alike = 1.2

func computingFive(r *results) (outcome, string) {
	s := set{r, "4", "wl4"}
	return verdict(s.spread(five...) < alike, false), s.responses(five...) + "."
}

func boostBest(r *results) (outcome, string) {
	s := set{r, "4", "wl5"}
	all, _ := s.slower(list("gs sb dcs-sb pb-sb pb-sy"), list("pb"))
	some, _ := s.slower(list("gs dcs-sb pb-sb pb-sy"), list("pb"))
	return verdict(all, some), s.responses("pb", "sb", "pb-sb", "pb-sy") + fmt.Sprintf("; PB over SB %s.", interval(s.ratio("pb", "sb")))
}

func communicating(r *results) (outcome, string) {
	s := set{r, "4", "wl5"}
	comparable := s.spread("gs", "sb", "pb-sb", "pb-sy") < alike
	worse, _ := s.slower(list("dcs dcs-sy"), list("gs sb pb-sb pb-sy"))
	return verdict(comparable && worse, comparable || worse), s.responses("gs", "sb", "pb-sb", "pb-sy", "dcs", "dcs-sy") + "."
}

func inputOutput(r *results) (outcome, string) {
	s := set{r, "4", "wl2"}
	worse, _ := s.slower(list("gs"), five)
	close := s.spread(five...) < alike
	return verdict(worse && close, worse || close), s.responses(append(list("gs"), five...)...) + "."
}

func balanced(r *results) (outcome, string) {
	s := set{r, "4", "wl3"}
	all, some := s.slower(list("gs"), list("sb pb pb-sb pb-sy"))
	return verdict(all, some), s.responses(list("gs sb pb pb-sb pb-sy")...) + "."
}

func shorterWaits(r *results) (outcome, string) {
	all, text := true, ""
	for _, mix := range list("wl4 wl5 wl2 wl3") {
		s := set{r, "4", mix}
		gang := s.value("gs", measure.MeanWaitingTime)
		most := 0.
		for _, p := range five {
			most = math.Max(most, s.value(p, measure.MeanWaitingTime))
		}
		all = all && most < gang
		text += fmt.Sprintf("; %s: %.3f and at most %.3f s", mix, gang, most)
	}
	return verdict(all, false), "Means of GS and of the five of claim 4" + text + "."
}

// change returns the change of the mean response time of a policy from one case to another, relative.
func (r *results) change(figure, policy, from, to string) (metric.Interval, bool) {
	a, b := r.of(figure, to, policy), r.of(figure, from, policy)
	v := ratio(a, b, measure.MeanResponseTime)
	v.Mean, v.Low, v.High = v.Mean-1, v.Low-1, v.High-1
	return v, a.Saturated() || b.Saturated()
}

func levelsMatter(r *results) (outcome, string) {
	slower, faster := true, true
	for _, mix := range list("wl2 wl4 wl5") {
		local, _ := r.change("table4", "local", mix+", MPL 2", mix+", MPL 5")
		slower = slower && local.Low > 0
		for _, p := range five {
			v, _ := r.change("table4", p, mix+", MPL 2", mix+", MPL 5")
			faster = faster && v.High < 0
		}
	}
	return verdict(slower && faster, slower || faster), "The five of claim 4 gain; Local is slower on wl2 only."
}

func boostAtTwo(r *results) (outcome, string) {
	all, some, text := true, false, ""
	for _, mix := range list("wl5 wl2 wl4") {
		s := set{r, "table4", mix + ", MPL 2"}
		v := s.ratio("sb", "pb")
		all, some = all && v.Low > 1, some || v.Low > 1
		text += fmt.Sprintf(", %s on %s", interval(v), mix)
	}
	return verdict(all, some), "SB over PB: " + text[2:] + "."
}

func skewCosts(r *results) (outcome, string) {
	gang, _ := r.change("6", "gs", "skew 0.2", "skew 1.5")
	all, text := gang.Low > 0, ""
	for _, p := range five {
		v, _ := r.change("6", p, "skew 0.2", "skew 1.5")
		all = all && v.Mean < gang.Mean
		text += fmt.Sprintf(", %s %+.0f %%", upper(p), 100*v.Mean)
	}
	return verdict(all, gang.Low > 0), fmt.Sprintf("From 20 to 150 %% on wl4: GS %+.0f ±%.0f %%", 100*gang.Mean, 100*gang.HalfWidth) + text + "."
}

func blockingHides(r *results) (outcome, string) {
	blocks, spins := math.Inf(-1), math.Inf(1)
	text := ""
	for _, p := range list("sb dcs-sb pb-sb pb dcs sy pb-sy dcs-sy") {
		v, _ := r.change("6", p, "skew 0.2", "skew 1.5")
		if strings.HasSuffix(p, "sb") {
			blocks = math.Max(blocks, v.Mean)
		} else {
			spins = math.Min(spins, v.Mean)
		}
		text += fmt.Sprintf(", %s %+.0f", upper(p), 100*v.Mean)
	}
	pairs := 0
	for _, p := range [][2]string{{"pb-sb", "pb"}, {"dcs-sb", "dcs"}} {
		a, _ := r.change("6", p[0], "skew 0.2", "skew 1.5")
		b, _ := r.change("6", p[1], "skew 0.2", "skew 1.5")
		if a.Mean < b.Mean {
			pairs++
		}
	}
	return verdict(blocks < spins, pairs > 0), text[2:] + " %, most of it waiting for the slowest process, which no policy can hide."
}

func shorterQuantum(r *results) (outcome, string) {
	a, _ := r.change("table5", "gs", "Q 200 ms, CS 2 ms", "Q 100 ms, CS 1 ms")
	b, _ := r.change("table5", "gs", "Q 200 ms, CS 2 ms", "Q 100 ms, CS 2 ms")
	return verdict(a.High < 0 && b.High < 0, a.Mean < 0 || b.Mean < 0), "Shorter, not significantly."
}

func overheads(r *results) (outcome, string) {
	gain := map[string]float64{}
	for _, p := range list("sb dcs-sb pb-sb dcs pb") {
		v, _ := r.change("table5", p, "CS 200 µs, I 50 µs", "CS 100 µs, I 25 µs")
		gain[p] = -v.Mean
	}
	all := gain["pb"] < math.Min(gain["sb"], math.Min(gain["dcs-sb"], gain["pb-sb"])) && gain["dcs-sb"] > gain["dcs"]
	return verdict(all, gain["pb"] < math.Max(gain["sb"], math.Max(gain["dcs-sb"], gain["pb-sb"]))), "See table 5."
}

func treeBlocks(r *results) (outcome, string) {
	s := set{r, "7", "tree"}
	all, some := s.slower(list("gs dcs pb sy pb-sy dcs-sy"), list("sb dcs-sb pb-sb"))
	return verdict(all, some), s.responses(list("sb dcs-sb pb-sb gs pb dcs")...) + "."
}

func gangBest(r *results) (outcome, string) {
	s := set{r, "7", "aa"}
	all, _ := s.slower(five, list("gs"))
	some := false
	for _, p := range five {
		some = some || s.value(p, measure.MeanResponseTime) > alike*s.value("gs", measure.MeanResponseTime)
	}
	return verdict(all, some && s.value("gs", measure.MeanResponseTime) < s.value("sb", measure.MeanResponseTime)),
		s.responses(append(list("gs"), five...)...) + "."
}

func linearLikeNearest(r *results) (outcome, string) {
	a, b := set{r, "7", "nn"}, set{r, "7", "linear"}
	comparable := true
	for _, p := range append(list("gs"), five...) {
		ratio := b.value(p, measure.MeanResponseTime) / a.value(p, measure.MeanResponseTime)
		comparable = comparable && ratio < alike && ratio > 1/alike
	}
	good, text := true, ""
	for _, pattern := range list("nn linear tree aa") {
		s := set{r, "7", pattern}
		best := math.Inf(1)
		for _, p := range append(list("gs"), five...) {
			best = math.Min(best, s.value(p, measure.MeanResponseTime))
		}
		ratio := s.value("pb", measure.MeanResponseTime) / best
		good = good && ratio < 1.5
		text += fmt.Sprintf(", %.2f times on %s", ratio, pattern)
	}
	return verdict(comparable && good, comparable || good), "PB takes the time of the best policy " + text[2:] + "; " +
		a.responses("sb", "gs") + " on nn, " + b.responses("sb", "gs") + " on linear."
}

func scaling(r *results) (outcome, string) {
	waits, runs, text := true, true, ""
	for _, p := range append(list("gs"), five...) {
		small, large := r.of("8", "16 nodes", p), r.of("8", "32 nodes", p)
		waits = waits && large.Of(measure.MeanWaitingTime).Mean < small.Of(measure.MeanWaitingTime).Mean/2
		v := ratio(large, small, measure.MeanRunTime)
		runs = runs && v.Mean < alike
		text += fmt.Sprintf(", %s %.2f", upper(p), v.Mean)
	}
	where := "All waits fall to less than half"
	if !waits {
		where = "Waits do not fall to less than half everywhere"
	}
	return verdict(waits && runs, waits || runs), where + "; run times on 32 nodes over those on 16, with the same jobs: " + text[2:] + "."
}

func oneCluster(r *results) (outcome, string) {
	all, some, text := true, false, ""
	for _, p := range append(list("gs"), five...) {
		v := ratio(r.of("9", "2 × 16 nodes", p), r.of("9", "32 nodes", p), measure.MeanResponseTime)
		all, some = all && v.Mean > 1, some || v.Low > 1
		text += fmt.Sprintf(", %s %s", upper(p), interval(v))
	}
	return verdict(all && some, some), "Two halves over one cluster: " + text[2:] + "."
}

func (s set) unfair(policy string) float64 { return s.value(policy, "fairness_cv") }

func fairness(r *results) (outcome, string) {
	s := set{r, "10", "wl8, no skew"}
	gang, local, blocks := true, true, true
	for _, p := range list("local gs sb dcs pb pb-sb pb-sy") {
		gang = gang && (p == "gs" || s.unfair(p) > s.unfair("gs"))
		local = local && (p == "local" || s.unfair(p) < s.unfair("local"))
	}
	for _, p := range list("dcs pb pb-sy") {
		blocks = blocks && s.unfair("sb") < s.unfair(p) && s.unfair("pb-sb") < s.unfair(p)
	}
	return verdict(gang && local && blocks, gang || local || blocks), "GS and Local as in the paper, SB not."
}

func ruleSet(letters string) (all []string) {
	for _, letter := range letters {
		name := "pb"
		if letter != 'a' {
			name = "pb:" + string(letter)
		}
		all = append(all, name)
	}
	return all
}

func computingRules(r *results) (outcome, string) {
	s := set{r, "11", "wl4"}
	all, some := s.slower(ruleSet("ac"), ruleSet("bde"))
	return verdict(all, some), s.responses(ruleSet("abcde")...) + "."
}

func communicatingRules(r *results) (outcome, string) {
	s := set{r, "11", "wl5"}
	all, some := s.slower(ruleSet("ab"), ruleSet("cde"))
	return verdict(all, some), s.responses(ruleSet("abcde")...) + "."
}

func bestRules(r *results) (outcome, string) {
	best, good, text := true, true, ""
	for _, mix := range list("wl4 wl8 wl5") {
		s := set{r, "11", mix}
		least := math.Inf(1)
		for _, p := range ruleSet("abcde") {
			least = math.Min(least, s.value(p, measure.MeanResponseTime))
		}
		d, e := s.value("pb:d", measure.MeanResponseTime), s.value("pb:e", measure.MeanResponseTime)
		best = best && (d == least || e == least)
		good = good && d < 1.1*least && e < 1.1*least
		text += fmt.Sprintf("; %s: D %.2f, E %.2f, the best %.2f s", mix, d, e, least)
	}
	return verdict(best && good, good), text[2:] + "."
}

// states returns the shares of boosts by state.
func (s set) states(policy string) (shares [3]float64) {
	b := s.of(policy).Boosts(coscheduling.States)
	for k, n := range b {
		shares[k] = n / (b[0] + b[1] + b[2])
	}
	return shares
}

func boostedStates(r *results) (outcome, string) {
	s1, text := true, ""
	for _, mix := range list("wl4 wl8 wl5") {
		s := set{r, "11", mix}
		for _, p := range ruleSet("ac") {
			for _, q := range ruleSet("bde") {
				s1 = s1 && s.states(p)[0] > s.states(q)[0]
			}
		}
	}
	s := set{r, "11", "wl5"}
	s3 := true
	for _, p := range ruleSet("abcde") {
		shares := s.states(p)
		s3 = s3 && shares[2] > shares[0] && shares[2] > shares[1]
		text += fmt.Sprintf(", %s %.0f/%.0f/%.0f %%", upper(p), 100*shares[0], 100*shares[1], 100*shares[2])
	}
	return verdict(s1 && s3, s1 || s3), "S1/S2/S3 on wl5: " + text[2:] + "."
}

func boostedNext(r *results) (outcome, string) {
	s := set{r, "11", "wl5"}
	next := map[string]float64{}
	text := ""
	for _, p := range ruleSet("abcde") {
		b := s.of(p).Boosts(coscheduling.Positions)
		others := 0.
		for _, n := range b[1:] {
			others += n
		}
		next[p] = b[1] / others
		text += fmt.Sprintf(", %s %.0f %%", upper(p), 100*next[p])
	}
	all, some := true, false
	for _, p := range ruleSet("cde") {
		for _, q := range ruleSet("ab") {
			all, some = all && next[p] > next[q], some || next[p] > next[q]
		}
	}
	return verdict(all, some), "Of the boosts of another than the current process: " + text[2:] + "."
}

func fairRules(r *results) (outcome, string) {
	s := set{r, "14", "wl8, no skew"}
	all, some := true, true
	for _, p := range ruleSet("bd") {
		for _, q := range ruleSet("ace") {
			all = all && s.unfair(p) < s.unfair(q)
			some = some && (q == "pb:e" || s.unfair(p) < s.unfair(q))
		}
	}
	return verdict(all, some), "B and D fairer than A and C; E like D."
}

var primed = list("pb:a' pb:b' pb:c' pb:d' pb:e'")

func primedFair(r *results) (outcome, string) {
	s := set{r, "table6", "wl8, no skew"}
	gang := set{r, "10", "wl8, no skew"}.unfair("gs")
	all, some := true, false
	text := fmt.Sprintf("GS %.2f", gang)
	for _, p := range primed[:4] {
		is := s.unfair(p) < gang+.1
		all, some = all && is, some || is
		text += fmt.Sprintf(", %s %.2f", upper(p), s.unfair(p))
	}
	return verdict(all, some), text + "."
}

func primedTimes(r *results) (outcome, string) {
	s := set{r, "15", "wl8"}
	all, text := true, ""
	for i, p := range primed {
		v := s.ratio(p, ruleSet("abcde")[i])
		all = all && v.Mean < 1.1
		text += fmt.Sprintf(", %s %s", upper(p), interval(v))
	}
	return verdict(all, false), "Over the heuristic without: " + text[2:] + "."
}

// TestClaimsPage holds every claim to the outcome that the table gives, and docs/zhang01.md to the table.
func TestClaimsPage(t *testing.T) {
	r := stored(t)
	rest := []byte("\nFiles have fairness, with the paper's numbers ([figures 10 and 14, table 6](../testdata/zhang/fairness-compared.csv)), " +
		"changes of mean response times from an MPL of 2 to one of 5 or 16 ([table 4](../testdata/zhang/table4-compared.csv)), costs relative to " +
		"the first ([table 5](../testdata/zhang/table5-compared.csv)), and ratios of mean response times on wl5 under other choices " +
		"([--figure choices](../testdata/zhang/choices-compared.csv)).\n")
	phtest.HoldClaims(t, "../../../../docs/zhang01.md", "section", claims, r, rest, *update)
	for name, write := range map[string]func(io.Writer){"table4": r.levels, "table5": r.overheads, "fairness": r.fairness,
		"choices": r.choices} {
		var table bytes.Buffer
		write(&table)
		file := filepath.Join(directory, name+"-compared.csv")
		if *update {
			if err := os.WriteFile(file, table.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(file); err != nil || !bytes.Equal(table.Bytes(), want) {
			t.Errorf("%s is not what the stored results say (%v); -update rewrites it", file, err)
		}
	}
}
