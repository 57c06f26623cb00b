package output

import (
	"fmt"
	"math"
	"strings"

	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/words"
)

// Answer says in a sentence or two what the comparison of dynamic with the best static partitioning means.
func Answer(file *modelfile.Model, d *decide.Decision) []string {
	return AnswerAfter("", file.System.Load(), d)
}

// AnswerAfter says what [Answer] says of a system at a load, with a lead at the beginning of the first sentence, such as "by the
// chain, ". A load that is NaN is not told.
func AnswerAfter(lead string, load float64, d *decide.Decision) []string {
	return answer(lead, load, d, "the best static split (K=%d)")
}

// Among compares dynamic partitioning with those static policies that were asked for.
func Among(file *modelfile.Model, d *decide.Decision) []string {
	if c := d.Compare(); !c.BothStable {
		return nil
	}
	return answer("", file.System.Load(), d, "static partitioning with K=%d")
}

// answer returns the sentences of a comparison at a load; static is how the static policy is named.
func answer(lead string, load float64, d *decide.Decision, static string) []string {
	c := d.Compare()
	clause := verdict(&c, atLoad(load), static)
	if clause == "" {
		return nil
	}
	all := []string{Sentence(lead, clause)}
	if c.BothStable {
		if text := byClass(&c); text != "" {
			all = append(all, text)
		}
	}
	if clause := againstRigid(load, d); clause != "" {
		all = append(all, Sentence(lead, clause))
	}
	return all
}

// againstRigid returns the clause that compares dynamic partitioning with rigid jobs in the order of their arrival; "" unless
// both were solved and dynamic partitioning is stable. The load may be NaN.
func againstRigid(load float64, d *decide.Decision) string {
	c := d.CompareWith(policy.FCFS{})
	switch {
	case c.BothStable:
		return compared(&c, "rigid jobs in their order (fcfs)")
	case c.Winner != decide.DynamicWins:
		return ""
	}
	m := &d.Of(policy.FCFS{}).Measures
	text := fmt.Sprintf("rigid jobs in their order (fcfs) keep at most %s %% of the nodes busy",
		words.Round(100*m.Rigid.SaturatedUtilization, 3))
	if math.IsNaN(load) {
		return text
	}
	return text + ": they saturate at load " + words.SaturationLoad(load/m.TrafficIntensity, 3)
}

// atLoad returns " at load 0.7"; "" for a load that is NaN.
func atLoad(load float64) string {
	if math.IsNaN(load) {
		return ""
	}
	return " at load " + words.Load(load)
}

// verdict returns the clause that says which policy is better at a load, which at names; "" if the comparison is undecided.
func verdict(c *decide.Comparison, at, static string) string {
	switch {
	case c.Dynamic == nil && c.Rival != nil:
		return fmt.Sprintf("the best static split%s is K=%d", at, c.Rival.Partitions())
	case c.Winner == decide.Undecided:
		return ""
	case c.Winner == decide.NeitherIsStable:
		return fmt.Sprintf("neither dynamic nor static partitioning is stable%s", at)
	case c.Rival == nil:
		return fmt.Sprintf("only dynamic partitioning is stable%s; %s", at, repartitions(c.Dynamic))
	case !c.BothStable:
		return fmt.Sprintf("dynamic partitioning is unstable%s; static partitioning with K=%d is stable", at, c.Rival.Partitions())
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s; %s", at, compared(c, fmt.Sprintf(static, c.Rival.Partitions())),
		repartitions(c.Dynamic)))
}

// byClass says which classes of jobs gain from resizing and which lose by it, "" if not both exist.
func byClass(c *decide.Comparison) string {
	var all []string
	gain, lose := false, false
	for _, one := range c.Classes() {
		ratio := one.Ratio()
		if decide.Negligible(ratio) {
			continue
		}
		word := "less"
		if ratio < 1 {
			word = "more"
		}
		gain, lose = gain || ratio > 1, lose || ratio < 1
		all = append(all, fmt.Sprintf("%s jobs take %s %s time (%s times as fast)", one.Name,
			words.Percent(math.Abs(1-1/ratio)), word, words.Round(ratio, 3)))
	}
	if !gain || !lose {
		return ""
	}
	return "By class, under dynamic partitioning: " + strings.Join(all, ", ") + "."
}

// compared says which of two stable ways is faster, and by how much.
func compared(c *decide.Comparison, rival string) string {
	switch c.Winner {
	case decide.NoDifference:
		return fmt.Sprintf("there is no practical difference between dynamic partitioning and %s (%s)", rival,
			Difference(c.Dynamic, c.Rival))
	case decide.DynamicWins:
		return fmt.Sprintf("a job takes %s under dynamic partitioning than under %s", Saving(c), rival)
	}
	return fmt.Sprintf("a job takes %s under %s than under dynamic partitioning", Saving(c), rival)
}

// Saving says how much time the faster of two ways saves: "36 % less time (1.55 times as fast)".
func Saving(c *decide.Comparison) string {
	return fmt.Sprintf("%s less time (%s times as fast)", words.Percent(c.Saving), words.Round(c.Speedup, 3))
}

// Difference says by how much the response time of a differs from that of b.
func Difference(a, b *decide.Solved) string {
	off := a.Measures.MeanResponseTime/b.Measures.MeanResponseTime - 1
	const rounding = 5e-5
	if math.Abs(off) < rounding {
		return "their response times are equal"
	}
	word := "longer"
	if off < 0 {
		word = "shorter"
	}
	return fmt.Sprintf("response times are %s %s", words.Percent(math.Abs(off)), word)
}

// Alone returns the sentence about the only policy that was solved: response and waiting time of a job, in the unit of the
// model.
func Alone(file *modelfile.Model, r *decide.Solved) string {
	m, unit := &r.Measures, file.TimeUnit.Name
	digits := m.Diagnostics.Digits()
	text := fmt.Sprintf("Under %v a job takes %s on average at load %s, of which it waits %s", r.Policy,
		words.WithUnit(Certain(m.MeanResponseTime, digits), unit), words.Load(file.System.Load()),
		words.WithUnit(Certain(m.MeanWaitingTime, digits), unit))
	if r.Policy == (policy.Dynamic{}) {
		text += "; " + repartitions(r)
	}
	return text + "."
}

// repartitions returns the clause that says which share of the time repartitions take under dynamic partitioning.
func repartitions(dynamic *decide.Solved) string {
	p := dynamic.Measures.Repartitions
	if p == nil || p.Rate == 0 {
		return "repartitions cost nothing"
	}
	if p.Partial {
		return "some jobs are being resized " + words.Percent(p.Probability) + " of the time, the others go on"
	}
	return words.Percent(p.Probability) + " of the time goes into repartitions"
}
