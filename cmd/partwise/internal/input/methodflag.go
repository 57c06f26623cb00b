package input

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/values"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/multiserver"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/words"
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

// simulated is the command that runs policies without an exact chain.
const simulated = "partwise simulate --fidelity machine"

// MethodError says of an error of solving by a method what can be done about it, unless the error has a hint already. The
// method is "" for a command without --method.
func MethodError(method string, err error) error {
	var rigidity *models.RigidityError
	var hinted *fault.Error
	switch {
	case errors.As(err, &hinted):
		return err
	case errors.Is(err, markov.ErrMethod):
		return fault.Usagef("leave --method out", "--method %s: %w", method, err)
	case errors.Is(err, models.ErrNoChain):
		return fault.Usagef(simulated, "%w", err)
	case errors.As(err, &rigidity):
		return fault.Usagef("choose a policy of jobs that can be resized, or say in the model how many nodes jobs ask for", "%s",
			strings.Replace(err.Error(), rigidity.Error(), notRigid(rigidity), 1))
	case errors.Is(err, markov.ErrNoConvergence), errors.Is(err, markov.ErrInaccurate):
		return fault.Hint(fault.ExitAccuracy, moreDigits(method, err), err)
	case errors.Is(err, markov.ErrReducible): // rates are lost to roundings
		return fault.Hint(fault.ExitAccuracy, "its rates are too far apart: check the units of the times", err)
	case errors.Is(err, markov.ErrTooLarge):
		return fault.Hint(fault.ExitTooLarge, SmallerChain(err), err)
	}
	return err
}

// moreDigits says what gives more digits than a method that was not accurate enough. If methods were left out for lack of
// memory, err says how much memory is enough for all of them.
func moreDigits(method string, err error) string {
	var leftOut *parallel.LimitError
	known := errors.As(err, &leftOut)
	switch {
	case known && leftOut.What == markov.SubtractionFree:
		return fmt.Sprintf("partwise solve --method %s --memory %s may do better: it subtracts nothing; or partwise simulate",
			markov.SubtractionFree, leftOut.Suffices())
	case known:
		return fmt.Sprintf("--memory %s is enough for all methods; or partwise simulate", leftOut.Suffices())
	case method == markov.SubtractionFree, errors.Is(err, markov.ErrIllConditioned),
		errors.Is(err, markov.ErrNoConvergence) && method != multiserver.SpectralExpansion: // of cyclic reduction, which all others need
		return "no other method does better: its rates are too far apart, or its load is too close to 1"
	}
	return "partwise solve --method " + markov.SubtractionFree + " subtracts nothing and may do better"
}

// SmallerChain says what makes a chain small enough to be solved, given the error of its solution. More memory helps only if
// memory is short.
func SmallerChain(err error) string {
	fewer := "use fewer phases (E2 in a queue, partwise fit --phases 2 for a file) or fewer partitions (servers of a queue, " +
		"a larger machine.min_nodes in a file)"
	if ofMemory := MoreMemory(err); ofMemory != "" {
		return ofMemory + ", or " + fewer
	}
	return fewer
}

// MoreMemory says how --memory must be set for what was refused: with the size if that is known. It is "" if err does not
// refuse something for lack of memory.
func MoreMemory(err error) string {
	var limit *parallel.LimitError
	switch {
	case !parallel.IsShortOf(err, parallel.Memory) || !errors.As(err, &limit):
		return ""
	case limit.Suffices() == "":
		return "raise --memory"
	}
	return "raise the limit: --memory " + limit.Suffices()
}

// longSolution is the time in seconds from which a command says beforehand how long the solution of a model takes.
const longSolution = 30

// TellTime writes a note if the chains of policies take long to be solved so many times: about how long, and what takes less time.
func TellTime(inv *cli.Invocation, s *models.System, policies []policy.Policy, set markov.Settings, times int) {
	seconds, err := decide.Seconds(inv.Context, s, policies, set)
	seconds *= float64(times)
	if err != nil || seconds < longSolution {
		return // the solution says what is wrong
	}
	inv.Notef("the chains take about %s on one core; fewer phases (partwise fit --phases 2) or partitions (machine.min_nodes, "+
		"servers of a queue) take less", words.Count(int(math.Ceil(seconds/60)), "minute"))
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
