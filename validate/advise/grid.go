package advise

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/partwise/partwise/models/policy"
)

// Parameter is a parameter of a rule, by its name in [policy.Resize], and the values that are tried; 0 is without it.
type Parameter struct {
	Name   string
	Values []float64
}

// Parameters returns the names of the parameters that can be varied: all of [policy.ResizeParameters] but scv, because
// candidates have fixed cooldowns.
func Parameters() []string {
	return slices.DeleteFunc(policy.ResizeParameters(), func(name string) bool { return name == "scv" })
}

// UsualNames returns the names of the parameters that are varied unless the user names others: cooldown, hysteresis and
// wait.
func UsualNames() []string { return []string{"cooldown", "hysteresis", "wait"} }

// Usual returns the usual values of the parameter with a name, 0 (without the parameter) first. Cooldowns are ½, 1, 2,
// … 16 mean times between arrivals, to two digits. Caps are shares of the units of the machine, and floors are powers
// of two up to half of the units. Hysteresis, batch, wait and on have a few small values. Any other name has 0 alone.
func (q *Problem) Usual(name string) Parameter {
	p := Parameter{name, []float64{0}}
	n := q.Machine.Partitions()
	switch name {
	case "cooldown":
		for x := 0.5; x <= 16; x *= 2 {
			p.Values = append(p.Values, twoDigits(x*q.Gap))
		}
	case "cap":
		for _, k := range []int{3 * n / 4, n / 2, 3 * n / 8, n / 4, n / 8} {
			if k > 0 && k < n && !slices.Contains(p.Values, float64(k)) {
				p.Values = append(p.Values, float64(k))
			}
		}
	case "floor":
		for k := 2; k <= n/2; k *= 2 {
			p.Values = append(p.Values, float64(k))
		}
	case "hysteresis":
		p.Values = append(p.Values, 1.25, 1.5, 2, 2.5, 3, 4)
	case "batch", "wait":
		p.Values = append(p.Values, 2, 3, 4)
	case "on":
		p.Values = append(p.Values, 1)
	}
	return p
}

// twoDigits returns v rounded to two significant decimal digits.
func twoDigits(v float64) float64 {
	x, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 2, 64), 64) // what was formatted can be parsed
	return x
}

// mostCandidates bounds a grid.
const mostCandidates = 5000

// Grid returns the rules with every combination of the values, each once, in the order of the combinations; the last
// parameter varies fastest. Rules that do not fit the machine, such as a floor above the cap, are left out.
//
// The error says that q is nil or that a value is not valid. It may also say that there are more than 5000
// combinations, or that no rule fits the machine.
func (q *Problem) Grid(over []Parameter) ([]policy.Resize, error) {
	if q == nil {
		return nil, q.check()
	}
	rules := []policy.Resize{{}}
	for _, p := range over {
		var next []policy.Resize
		for _, r := range rules {
			for _, v := range p.Values {
				with, err := r.With(p.Name, v)
				if err != nil {
					return nil, err
				}
				next = append(next, with)
			}
		}
		if rules = next; len(rules) > mostCandidates {
			return nil, fmt.Errorf("advise: the grid has more than %d rules; give fewer values", mostCandidates)
		}
	}
	seen := map[policy.Resize]bool{}
	rules = slices.DeleteFunc(rules, func(r policy.Resize) bool {
		again := seen[r]
		seen[r] = true
		return again || r.Check(q.Machine) != nil
	})
	if len(rules) == 0 {
		return nil, fmt.Errorf("advise: none of the rules fits a machine of %d partitions", q.Machine.Partitions())
	}
	return rules, nil
}

// Candidates returns the policies among which a selection chooses: dynamic partitioning, every static split, and then
// the rules. The zero rule is left out, because it is dynamic partitioning.
func (q *Problem) Candidates(rules []policy.Resize) []policy.Policy {
	all := policy.Candidates(q.Machine)
	for _, r := range rules {
		if r != (policy.Resize{}) {
			all = append(all, r)
		}
	}
	return all
}
