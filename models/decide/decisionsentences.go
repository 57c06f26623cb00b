package decide

import (
	"fmt"
	"math"
	"strings"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/words"
)

// Sentences say what the comparison of dynamic with the best static partitioning means, and the comparison with rigid jobs where
// fcfs was solved. The first sentence begins with a lead, such as "by the chain, ". A load that is NaN is not told.
func (d *Decision) Sentences(lead string, load float64) []string {
	return d.sentences(lead, load, "the best static split (K=%d)")
}

// SentencesAmong compare dynamic partitioning with the static policies that were solved, which need not be all there are. There
// are none unless both are stable.
func (d *Decision) SentencesAmong(load float64) []string {
	if c := d.Compare(); !c.BothStable {
		return nil
	}
	return d.sentences("", load, "static partitioning with K=%d")
}

// sentences returns the sentences of a comparison at a load; static is how the static policy is named.
func (d *Decision) sentences(lead string, load float64, static string) []string {
	c := d.Compare()
	clause := c.verdict(atLoad(load), static)
	if clause == "" {
		return nil
	}
	all := []string{words.Sentence(lead, clause)}
	if c.BothStable {
		if text := c.byClass(); text != "" {
			all = append(all, text)
		}
	}
	if clause := d.againstRigid(load); clause != "" {
		all = append(all, words.Sentence(lead, clause))
	}
	return all
}

// againstRigid returns the clause that compares dynamic partitioning with rigid jobs in the order of their arrival; "" unless
// both were solved and dynamic partitioning is stable. The load may be NaN.
func (d *Decision) againstRigid(load float64) string {
	c := d.CompareWith(policy.FCFS{})
	switch {
	case c.BothStable:
		return c.compared("rigid jobs in their order (fcfs)")
	case c.Winner != DynamicWins:
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
func (c *Comparison) verdict(at, static string) string {
	switch {
	case c.Dynamic == nil && c.Rival != nil:
		return fmt.Sprintf("the best static split%s is K=%d", at, c.Rival.Partitions())
	case c.Winner == Undecided:
		return ""
	case c.Winner == NeitherIsStable:
		return fmt.Sprintf("neither dynamic nor static partitioning is stable%s", at)
	case c.Rival == nil:
		return fmt.Sprintf("only dynamic partitioning is stable%s; %s", at, c.Dynamic.repartitions())
	case !c.BothStable:
		return fmt.Sprintf("dynamic partitioning is unstable%s; static partitioning with K=%d is stable", at, c.Rival.Partitions())
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s; %s", at, c.compared(fmt.Sprintf(static, c.Rival.Partitions())),
		c.Dynamic.repartitions()))
}

// byClass says which classes of jobs gain from resizing and which lose by it, "" if not both exist.
func (c *Comparison) byClass() string {
	var all []string
	gain, lose := false, false
	for _, one := range c.Classes() {
		ratio := one.Ratio()
		if Negligible(ratio) {
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
func (c *Comparison) compared(rival string) string {
	switch c.Winner {
	case NoDifference:
		return fmt.Sprintf("there is no practical difference between dynamic partitioning and %s (%s)", rival,
			c.Dynamic.Difference(c.Rival))
	case DynamicWins:
		return fmt.Sprintf("a job takes %s under dynamic partitioning than under %s", c.SavingInWords(), rival)
	}
	return fmt.Sprintf("a job takes %s under %s than under dynamic partitioning", c.SavingInWords(), rival)
}

// SavingInWords says how much time the faster of two ways saves: "36 % less time (1.55 times as fast)".
func (c *Comparison) SavingInWords() string {
	return fmt.Sprintf("%s less time (%s times as fast)", words.Percent(c.Saving), words.Round(c.Speedup, 3))
}

// Difference says by how much the response time of a result differs from that of another.
func (r *Solved) Difference(other *Solved) string {
	off := r.Measures.MeanResponseTime/other.Measures.MeanResponseTime - 1
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

// Clause says which of dynamic and static partitioning wins, with both mean response times in a unit; "" unless both are stable. It
// is a clause, see [words.Sentence].
func (c *Comparison) Clause(unit string) string {
	if c == nil || !c.BothStable {
		return ""
	}
	dynamic := words.WithUnit(c.Dynamic.Measures.MeanResponseTime, unit)
	static := words.WithUnit(c.Rival.Measures.MeanResponseTime, unit)
	split := fmt.Sprintf("static partitioning with K=%d", c.Rival.Partitions())
	switch c.Winner {
	case DynamicWins:
		return fmt.Sprintf("dynamic partitioning wins: %s against %s", dynamic, static)
	case RivalWins:
		return fmt.Sprintf("%s wins: %s against %s", split, static, dynamic)
	}
	return fmt.Sprintf("there is no practical difference: %s under dynamic partitioning, %s under %s", dynamic, static, split)
}

// Sentence tells the response and the waiting time of a job under a policy at a load, in a unit of time.
func (r *Solved) Sentence(load float64, unit string) string {
	m := &r.Measures
	digits := m.Diagnostics.Digits()
	text := fmt.Sprintf("Under %v a job takes %s on average at load %s, of which it waits %s", r.Policy,
		words.WithUnit(words.Certain(m.MeanResponseTime, digits), unit), words.Load(load),
		words.WithUnit(words.Certain(m.MeanWaitingTime, digits), unit))
	if r.Policy == (policy.Dynamic{}) {
		text += "; " + r.repartitions()
	}
	return text + "."
}

// repartitions returns the clause that says which share of the time repartitions take under dynamic partitioning.
func (r *Solved) repartitions() string {
	p := r.Measures.Repartitions
	if p == nil || p.Rate == 0 {
		return "repartitions cost nothing"
	}
	if p.Partial {
		return "some jobs are being resized " + words.Percent(p.Probability) + " of the time, the others go on"
	}
	return words.Percent(p.Probability) + " of the time goes into repartitions"
}
