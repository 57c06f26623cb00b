package input

import (
	"errors"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/values"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/multiserver"
	"github.com/partwise/partwise/models"
)

// Method binds --method to how chains are solved.
func Method(to *markov.Settings) cli.Flag {
	return cli.Value(to, "method", parseMethod, cli.About{Rare: true, Default: markov.Auto, Words: multiserver.Methods(),
		Usage: "solve the chains by the algorithm `METHOD`: " + strings.Join(multiserver.Methods(), ", ")})
}

// parseMethod reads the name of a method of solution, such as auto.
func parseMethod(name string) (markov.Settings, error) {
	method, err := values.OneOf("unknown method", multiserver.Methods()...)(name)
	return markov.Settings{Method: method}, err
}

// AnyMethod are the settings without --method.
func AnyMethod() markov.Settings { return markov.Settings{Method: markov.Auto} }

// MethodError says of an error of solving by a method what can be done about it; the method is "" for a command without
// --method.
func MethodError(method string, err error) error {
	var rigidity *models.RigidityError
	switch {
	case errors.Is(err, markov.ErrMethod):
		return fault.Usagef("leave --method out", "--method %s: %w", method, err)
	case errors.Is(err, models.ErrNoChain):
		return fault.Usagef("partwise simulate --fidelity machine", "%w", err)
	case errors.As(err, &rigidity):
		return fault.Usagef("choose a policy of jobs that can be resized, or say in the model how many nodes jobs ask for", "%s",
			strings.Replace(err.Error(), rigidity.Error(), notRigid(rigidity), 1))
	case errors.Is(err, markov.ErrNoConvergence), errors.Is(err, markov.ErrInaccurate):
		hint := "partwise solve --method " + markov.SubtractionFree + " subtracts nothing and may do better"
		if method == markov.SubtractionFree {
			hint = "no other method does better: its rates are too far apart, or its load is too close to 1"
		}
		return fault.Hint(fault.ExitAccuracy, hint, err)
	case errors.Is(err, markov.ErrReducible): // rates are lost to roundings
		return fault.Hint(fault.ExitAccuracy, "its rates are too far apart: check the units of the times", err)
	case errors.Is(err, markov.ErrTooLarge):
		return fault.Hint(fault.ExitTooLarge, "use fewer phases or partitions, or raise --memory", err)
	}
	return err
}

// notRigid says why jobs cannot be rigid, by the names of fields in model files.
func notRigid(e *models.RigidityError) string {
	var wrong *models.SystemError
	if !errors.As(e, &wrong) {
		return fault.Plain(e)
	}
	field := wrong.Field
	switch field {
	case "Service":
		field = "jobs.service"
	case "PhaseMap":
		field = "jobs.phase_map"
	}
	return field + " " + wrong.Problem
}
