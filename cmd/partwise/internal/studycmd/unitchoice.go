package studycmd

import (
	"errors"
	"fmt"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/validate/study"
)

// chosenUnit says in which unit the chain divides the nodes, and why. It returns "" if the command line gives the unit, or if no
// unit was found.
func (v *view) chosenUnit() string {
	d := &v.Chain.Division
	if d.Usual == 0 || d.Unit == 0 {
		return ""
	}
	text := fmt.Sprintf("The chain has the load %s in units of %s, and the log has %s on the %ss that jobs had.", words.Load(d.Load),
		words.Count(d.Unit, v.unit()), words.Load(d.Logged), v.unit())
	if d.Unit != d.Usual {
		text += fmt.Sprintf(" In units of %d it would be %s, because jobs use more %ss less efficiently.", d.Usual,
			words.Load(d.UsualLoad), v.unit())
	}
	return text + " Another unit: --min-nodes."
}

// unitWarning says that the usual unit was not taken, and why. It returns "" if the usual unit was taken, or if there is no chain.
func (v *view) unitWarning() string {
	if d := &v.Chain.Division; d.Unit != d.Usual && v.Chain.Missing == nil {
		return v.chosenUnit()
	}
	return ""
}

// unitRemedy says what to do if no unit was found, or if no policy is stable in the unit. It returns "" otherwise.
func (v *view) unitRemedy() string {
	var failed *study.DivisionError
	var unstable *study.UnstableError
	switch {
	case errors.As(v.Chain.Missing, &failed) && failed.Stable > 0:
		return fmt.Sprintf("Units of %d %ss keep the load below 1 (--min-nodes %[1]d), with a larger chain.", failed.Stable, v.unit())
	case errors.As(v.Chain.Missing, &failed):
		return fmt.Sprintf("A chain of %s leaves one %s over, %s of the machine: partwise init from-log LOG --nodes %d.",
			words.Count(failed.Nodes-1, v.unit()), v.unit(), words.Percent(1/float64(failed.Nodes)), failed.Nodes-1)
	case errors.As(v.Chain.Missing, &unstable) && unstable.Logged < 1:
		return "Smaller units lower the load of the chain: --min-nodes."
	case errors.As(v.Chain.Missing, &unstable):
		return "The log offers more than the machine can do: --load stretches its times, or say with --nodes how many there are."
	}
	return ""
}

// unitObject returns the fields of JSON about the choice of the unit. It returns nil if the command line gives the unit, or if no
// unit was found.
func (v *view) unitObject() output.Object {
	d := &v.Chain.Division
	if d.Usual == 0 || d.Unit == 0 {
		return nil
	}
	return output.Pairs("min_nodes", d.Unit, "load", d.Load, "logged_load", d.Logged, "usual_min_nodes", d.Usual,
		"usual_load", d.UsualLoad, "flag", "--min-nodes")
}
