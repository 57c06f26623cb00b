package model

import (
	"fmt"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/spec"
)

// Subjects returns the policies that must be solved to judge goals.
func Subjects(s *models.System, names ...string) ([]models.Policy, error) {
	var all []models.Policy
	for _, name := range names {
		if name == spec.BestStatic {
			name = models.Static
		}
		found, err := s.ParsePolicies(name)
		if err != nil {
			return nil, err
		}
		all = appendNew(all, found...)
	}
	return all, nil
}

// PolicyTexts binds --policy to its texts, for ParsePolicies.
func PolicyTexts(to *[]string) cli.Flag {
	return cli.Values(to, "policy", cli.AsIs, cli.About{
		Usage: "`P` is dynamic, static (every K), static:K or best-static; may be repeated (default: dynamic and every " +
			"static:K)",
	})
}

// PolicyFlag is --policy, which Policies reads.
func PolicyFlag() urfave.Flag { return PolicyTexts(new([]string)).Flag }

// Request is what --policy asks for.
type Request struct {
	Solved []models.Policy // what is solved, in order, without repetitions
	Named  []models.Policy // what is shown of it, beside the best static one
	Best   bool            // show the best static one
	Every  bool            // every static policy is solved: the best one of them is the best there is
}

// Policies reads the --policy flags.
func Policies(inv *cli.Invocation, s *models.System) (*Request, error) {
	return ParsePolicies(s, inv.Flags.StringSlice("policy"))
}

// ParsePolicies reads the texts of --policy, which mean what they mean on one system.
func ParsePolicies(s *models.System, texts []string) (*Request, error) {
	if len(texts) == 0 {
		texts = []string{models.Dynamic, models.Static}
	}
	r := &Request{}
	for _, text := range texts {
		if text == spec.BestStatic {
			r.Best = true
			continue
		}
		found, err := s.ParsePolicies(text)
		if err != nil {
			return nil, cli.Usagef(policyHint(text), "--policy: %s", cli.Plain(err))
		}
		r.Named = appendNew(r.Named, found...)
	}
	r.Solved = slices.Clone(r.Named)
	if r.Best {
		all, err := s.ParsePolicies(models.Static)
		if err != nil {
			return nil, err
		}
		r.Solved = appendNew(r.Solved, all...)
	}
	r.Every = true
	for _, k := range s.Divisors() {
		r.Every = r.Every && slices.Contains(r.Solved, models.Policy{Kind: models.Static, Partitions: k})
	}
	return r, nil
}

// policyHint is the hint about a policy that is none: its name may be misspelt, or what stands behind the colon wrong.
func policyHint(text string) string {
	name, parameter, given := strings.Cut(text, ":")
	kinds := []string{models.Dynamic, models.Static, spec.BestStatic, models.Capped, models.Smoothing, models.Folding,
		models.Limited}
	near := cli.Nearest(name, kinds)
	switch {
	case near == "" || near == name:
		return "use dynamic, static, static:K or best-static"
	case given:
		near += ":" + parameter
	}
	return fmt.Sprintf("did you mean %q?", near)
}

// Include adds what the requirements of the file speak of to what is solved.
func (r *Request) Include(file *spec.Model) error {
	for _, goal := range file.Require {
		found, err := Subjects(file.System, goal.Policy)
		if err != nil {
			return err
		}
		r.Solved = appendNew(r.Solved, found...)
	}
	return nil
}

func appendNew(list []models.Policy, more ...models.Policy) []models.Policy {
	for _, p := range more {
		if !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	return list
}

// Shown returns the results that were asked for. If the best static policy was and none is stable, all static ones are
// shown, which says why.
func (r *Request) Shown(d *models.Decision) []models.Solved {
	var out []models.Solved
	for _, one := range d.Results {
		best := r.Best && (d.Best == nil || one.Policy == d.Best.Policy)
		if slices.Contains(r.Named, one.Policy) || best {
			out = append(out, one)
		}
	}
	return out
}

// Stable reports whether any result that was asked for is stable.
func (r *Request) Stable(d *models.Decision) bool {
	return slices.ContainsFunc(r.Shown(d), func(one models.Solved) bool { return one.Measures.Stable })
}
