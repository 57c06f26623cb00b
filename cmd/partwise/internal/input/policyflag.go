package input

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/values"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/words"
)

// mostChoices is how many policies the help of a flag lists. More policies are in the list of partwise policies.
const mostChoices = 12

// choices returns which policies of a table a flag takes, in the words of its help: the policies that the runner can run. A long
// list is cut to examples. Policies that a program has added to the table come first.
func choices(table policy.Table, on policy.Runner) string {
	all := table.Choices(on)
	if len(all) <= mostChoices {
		return "one of " + strings.Join(all, ", ")
	}
	standard := policy.Standard().Choices(on)
	examples := slices.DeleteFunc(all, func(name string) bool { return slices.Contains(standard, name) })
	examples = append(examples, "dynamic", "static:K", "fcfs", "easy")
	return "such as " + strings.Join(examples, ", ") + " or easy-malleable; partwise policies lists all"
}

// PolicyTexts binds --policy to its texts, for [Select]: choices among the policies of a table that a runner
// can run.
func PolicyTexts(to *[]string, table policy.Table, on policy.Runner, otherwise string) cli.Flag {
	return cli.Values(to, "policy", values.AsIs, cli.About{Default: otherwise, Words: table.Words(on),
		Usage: "run the policy `POLICY`, " + choices(table, on) + "; may be repeated"})
}

// PolicyList reads a list of policies, see [policy.SplitList].
func PolicyList(text string) ([]string, error) { return policy.SplitList(text), nil }

// Select reads the policies that a flag names, for a machine. The command of the invocation says what runs the policies. Times
// without a unit of their own are in unit u. Errors come from [PolicyError].
func Select(inv *cli.Invocation, flag string, m policy.Machine, u measure.TimeUnit, texts ...string) (*policy.Selection, error) {
	s, err := inv.Table.Select(m, inv.RunsPolicies, words.Texts(texts, func(t string) string { return measure.InUnit(t, u) })...)
	return s, PolicyError(inv, flag, err)
}

// PolicyError returns an error of the table of policies as an error of the command line. The hint is the nearest policy, or
// the commands that can run the policy. PolicyError returns other errors as they are.
func PolicyError(inv *cli.Invocation, flag string, err error) error {
	var unknown *policy.UnknownError
	var runner *policy.RunnerError
	var parameter *policy.ParameterError
	switch {
	case errors.As(err, &unknown):
		return fault.Usagef(nearestPolicy(inv, unknown), "%s: unknown policy %q", flag, unknown.Text)
	case errors.As(err, &runner):
		return fault.Usagef(whoRuns(inv, runner.RunsOn), "%s: %s", flag, fault.Plain(err))
	case errors.As(err, &parameter):
		hint := "partwise policies lists them"
		name, _, _ := strings.Cut(parameter.Policy, ":")
		entry, known := inv.Table.Named(name)
		example := cmp.Or(parameter.Example, entry.Example)
		if known && example != parameter.Policy { // the example of the table may not fit this machine
			hint = "for example " + example
		}
		return fault.Usagef(hint, "%s: %s", flag, fault.Plain(err))
	}
	return err
}

// nearestPolicy returns the hint for an unknown policy: its name may be misspelt.
func nearestPolicy(inv *cli.Invocation, e *policy.UnknownError) string {
	if all := strings.Split(e.Text, ","); len(all) > 1 &&
		!slices.ContainsFunc(all, func(text string) bool { return !known(inv, text) }) {
		return "give each its own flag: --policy " + strings.Join(all, " --policy ")
	}
	name, parameter, given := strings.Cut(strings.Replace(e.Text, "=", ":", 1), ":")
	near, ok := words.Nearest(name, append(inv.Table.On(inv.RunsPolicies).Names(), policy.BestStatic))
	if !ok {
		elsewhere, known := words.Nearest(name, inv.Table.Names())
		if known {
			other, _ := inv.Table.Named(elsewhere)
			return fmt.Sprintf("did you mean %q? %s", elsewhere, whoRuns(inv, other.RunsOn))
		}
		return "use " + strings.Join(e.Known, ", ") + "; partwise policies lists all"
	}
	if given {
		near += ":" + parameter
	}
	return fmt.Sprintf("did you mean %q?", near)
}

// known reports whether a text begins with the name of a policy, or is the choice of the best static policy.
func known(inv *cli.Invocation, text string) bool {
	name, _, _ := strings.Cut(text, ":")
	_, named := inv.Table.Named(name)
	return named || name == policy.BestStatic
}

// whoRuns names the commands that can run policies on any of the runners; "" if no command can.
func whoRuns(inv *cli.Invocation, on policy.Runner) string {
	commands := inv.Running(on)
	if len(commands) == 0 {
		return ""
	}
	return words.Or(commands) + " runs it"
}
