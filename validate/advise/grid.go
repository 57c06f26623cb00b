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

// Parameters returns the names of the parameters that can be varied.
func Parameters() []string {
	return slices.DeleteFunc(policy.ResizeParameters(), func(name string) bool { return name == "scv" })
}

// UsualNames returns the names of the parameters that are varied where nobody names others.
func UsualNames() []string { return []string{"cooldown", "hysteresis", "wait"} }

// Usual returns the usual values of a parameter: cooldowns from half a mean time between arrivals to sixteen, caps and
// floors that are shares of the units, and small factors and numbers.
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

// twoDigits returns the number with two significant digits that is nearest to v.
func twoDigits(v float64) float64 {
	x, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 2, 64), 64) // what was formatted can be parsed
	return x
}

// mostCandidates bounds a grid.
const mostCandidates = 5000

// Grid returns the rules with every combination of the values, each once; combinations that are none, such as a floor
// above the cap, are left out.
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

// Candidates returns what is chosen among: dynamic, every static split, and the rules, but that which is dynamic.
func (q *Problem) Candidates(rules []policy.Resize) []policy.Policy {
	all := policy.Candidates(q.Machine)
	for _, r := range rules {
		if r != (policy.Resize{}) {
			all = append(all, r)
		}
	}
	return all
}
