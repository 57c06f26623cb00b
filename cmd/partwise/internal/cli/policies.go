package cli

import (
	"errors"
	"fmt"
	"github.com/partwise/partwise/models/words"
	"strconv"
	"strings"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
)

// PolicyTexts binds --policy to its texts, for [Invocation.Select]: choices among the policies of a table that a runner
// can run.
func PolicyTexts(to *[]string, table policy.Table, on policy.Runner, otherwise string) Flag {
	return Values(to, "policy", AsIs, About{Default: otherwise, Words: table.Words(on),
		Usage: "run the policy `POLICY`, one of " + strings.Join(table.Choices(on), ", ") + "; may be repeated"})
}

// PolicyList splits a list of policies at its commas; a number, or a setting, is not a policy and belongs to the one
// before it, as in hybrid:1,60 and resize:cooldown=60,cap=8.
func PolicyList(text string) ([]string, error) {
	var policies []string
	for word := range strings.SplitSeq(text, ",") {
		word = strings.TrimSpace(word)
		_, err := strconv.ParseFloat(word, 64)
		setting := strings.Contains(word, "=") && !strings.Contains(word, ":")
		if (err == nil || setting) && len(policies) > 0 {
			policies[len(policies)-1] += "," + word
			continue
		}
		policies = append(policies, word)
	}
	return policies, nil
}

// Select reads the policies of a flag, for a machine that this command runs. Times without a unit of their own are in unit u.
func (inv *Invocation) Select(flag string, m policy.Machine, u measure.TimeUnit, texts ...string) (*policy.Selection, error) {
	s, err := inv.Table.Select(m, inv.command.RunsPolicies, words.Texts(texts, func(t string) string { return measure.InUnit(t, u) })...)
	return s, inv.PolicyError(flag, err)
}

// Running returns the invocation with another runner of policies, for a part of a command that has a runner of its own.
func (inv *Invocation) Running(on policy.Runner) *Invocation {
	of := *inv
	of.command.RunsPolicies = on
	return &of
}

// PolicyError returns an error of the table of policies as an error of the command line. The hint is the nearest policy, or
// the commands that can run the policy.
func (inv *Invocation) PolicyError(flag string, err error) error {
	var unknown *policy.UnknownError
	var runner *policy.RunnerError
	var parameter *policy.ParameterError
	switch {
	case errors.As(err, &unknown):
		return Usagef(inv.nearestPolicy(unknown), "%s: unknown policy %q", flag, unknown.Text)
	case errors.As(err, &runner):
		return Usagef(inv.program.whoRuns(runner.RunsOn), "%s: %s", flag, Plain(err))
	case errors.As(err, &parameter):
		hint := "partwise policies lists them"
		name, _, _ := strings.Cut(parameter.Policy, ":")
		if e, ok := inv.Table.Named(name); ok && e.Example != parameter.Policy { // which may not fit this machine
			hint = "for example " + e.Example
		}
		return Usagef(hint, "%s: %s", flag, Plain(err))
	}
	return err
}

// nearestPolicy returns the hint for an unknown policy: its name may be misspelt.
func (inv *Invocation) nearestPolicy(e *policy.UnknownError) string {
	name, parameter, given := strings.Cut(e.Text, ":")
	near, ok := words.Nearest(name, append(inv.Table.On(inv.command.RunsPolicies).Names(), policy.BestStatic))
	if elsewhere, known := words.Nearest(name, inv.Table.Names()); !ok && known {
		other, _ := inv.Table.Named(elsewhere)
		return fmt.Sprintf("did you mean %q? %s", elsewhere, inv.program.whoRuns(other.RunsOn))
	}
	switch {
	case !ok:
		return "use " + strings.Join(e.Known, ", ") + "; partwise policies lists all"
	case given:
		near += ":" + parameter
	}
	return fmt.Sprintf("did you mean %q?", near)
}

// whoRuns names the commands that can run policies on any of the runners.
func (p *Program) whoRuns(on policy.Runner) string {
	var names []string
	p.Every(func(name string, c Command) {
		if c.RunsPolicies&on != 0 {
			names = append(names, "partwise "+name)
		}
	})
	if names == nil {
		return ""
	}
	return words.Or(names) + " runs it"
}
