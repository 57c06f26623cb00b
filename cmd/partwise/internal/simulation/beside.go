package simulation

import (
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate"
	"github.com/partwise/partwise/validate/machine"
)

// Beside simulates policies of a decision to a precision, as the chain has them and on whole nodes, as partwise validate
// does.
func Beside(inv *cli.Invocation, file *modelfile.Model, policies []policy.Policy, d *decide.Decision, precision float64) (
	*cli.Result, error) {
	o := newRunOptions(inv.Table, policy.Chain)
	o.precision = precision
	runs := len(policies)
	for _, p := range policies {
		if !isStatic(p) {
			runs++ // on whole nodes, too
		}
	}
	v := &validation{inv: inv, file: file, options: o.of(inv), fidelity: bothFidelities, policies: policies,
		of: runs}
	comparisons, err := v.compare(d)
	if err != nil {
		return nil, err
	}
	r := v.result(comparisons)
	if v.main.interrupted {
		return r, v.main.interruption(precision)
	}
	if err := precisionReached(v.main.runs, precision); err != nil {
		inv.Warnf("%v", err)
	}
	return r, nil
}

// Explained replays a log beside policies of a decision, and the log with one assumption of the chain after the other, as
// partwise validate --log does, with the given costs of a resize. verdict is the error that the chain and the log differ.
func Explained(inv *cli.Invocation, file *modelfile.Model, log string, policies []policy.Policy, d *decide.Decision,
	costs machine.Costs) (r *cli.Result, verdict, err error) {
	o := newRunOptions(inv.Table, policy.Chain)
	o.log = log
	given := o.of(inv)
	given.Fidelity, given.Costs = validate.MachineFidelity, costs
	if err := o.addTo(inv, file, 0, &given); err != nil {
		return nil, nil, err
	}
	l, err := explainLog(inv, file, given, policies, d)
	if err != nil {
		return nil, nil, err
	}
	r = &cli.Result{}
	l.addTo(r)
	return r, l.verdict(), nil
}
