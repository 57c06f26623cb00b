package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/spec"
)

func solveCommand() command {
	return command{
		name:      "solve",
		group:     answering,
		summary:   "compare dynamic partitioning with every static one on a model",
		arguments: "FILE",
		details: "Solves the Markov chains of the model FILE exactly: dynamic equi-partitioning, static partitioning for " +
			"every number of partitions K, the best of these, and the ratio of their mean response times.",
		examples: []string{
			"partwise solve model.yaml",
			"partwise solve model.yaml --load 0.7 --policy dynamic --policy static:4 --format json",
			"partwise solve model.yaml --set machine.nodes=16 --set machine.min_nodes=4 --load 0.5",
		},
		flags: append(modelFlags(),
			methodFlag(),
			sensitivityFlag(),
			&cli.BoolFlag{Name: "percentiles", DisableDefaultText: true,
				Usage: "add percentiles of the response time, and of the waiting time under static policies"},
		),
		minArgs: 1, maxArgs: 1,
		formats: []string{"json", "csv", "markdown", "table"},
		run:     solve,
	}
}

// modelFlags are those of every command that takes a model and policies.
func modelFlags() []cli.Flag {
	return []cli.Flag{
		policyFlag(),
		&cli.StringFlag{Name: "load", Usage: "rescale the arrivals to the relative load `X`"},
		setFlag(),
	}
}

func policyFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "policy", Usage: "`P` is dynamic, static (every K), static:K or best-static; may be " +
		"repeated (default: dynamic and every static:K)"}
}

func setFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "set", Usage: "replace a value of the file, as in `PATH=VALUE`; may be repeated"}
}

func solve(inv *invocation) error {
	settings, err := inv.solver()
	if err != nil {
		return err
	}
	file, err := inv.model()
	if err != nil {
		return err
	}
	asked, err := inv.policies(file.System)
	if err != nil {
		return err
	}
	if err := asked.include(file); err != nil {
		return err
	}
	decision, err := file.System.Decide(inv.ctx, asked.solved, settings, inv.workers)
	if err != nil {
		return methodError(settings.Method, err)
	}
	report, err := newSolution(inv, file, asked, &decision)
	if err != nil {
		return err
	}
	if inv.flags.Bool("sensitivity") {
		if err := inv.sensitivity(file, settings, report); err != nil {
			return err
		}
	}
	if err := inv.emit(report); err != nil {
		return err
	}
	for _, r := range asked.shown(&decision) {
		for _, w := range warnings(file.TimeUnit.Name, &r) {
			inv.warn("%v: %s", r.Policy, w)
		}
	}
	if !asked.stable(&decision) {
		return unstable(file, asked.shown(&decision))
	}
	return require(file, &decision)
}

func methodError(method string, err error) error {
	var one *models.SolveError
	switch {
	case errors.Is(err, models.ErrNoChain) && errors.As(err, &one):
		return usage("partwise simulate has it", "--policy %v: there is no exact chain", one.Policy)
	case errors.Is(err, markov.ErrMethod):
		return usage("leave --method out", "--method %s: %w", method, err)
	case errors.Is(err, markov.ErrNoConvergence), errors.Is(err, markov.ErrInaccurate):
		return &exitError{code: exitAccuracy, err: err, hint: "another --method may do better"}
	}
	return err
}

// model loads the model file that is the first argument, with the settings and the load of the flags.
func (inv *invocation) model() (*spec.Model, error) {
	load, err := inv.load()
	if err != nil {
		return nil, err
	}
	sets, err := inv.settings()
	if err != nil {
		return nil, err
	}
	file, err := spec.Load(inv.args[0], sets...)
	if err != nil {
		return nil, err
	}
	for _, w := range file.Warnings {
		inv.warn("%v", w)
	}
	if load > 0 {
		if file.System, err = file.System.WithLoad(load); err != nil {
			return nil, err
		}
	}
	return file, nil
}

// load returns what --load says, 0 if it says nothing.
func (inv *invocation) load() (float64, error) {
	text := inv.flags.String("load")
	if !inv.flags.IsSet("load") {
		return 0, nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v > 0) || math.IsInf(v, 0) {
		return 0, usage("for example --load 0.7", "--load: %q is not a positive number", text)
	}
	return v, nil
}

func (inv *invocation) settings() ([]spec.Set, error) {
	var sets []spec.Set
	for _, text := range inv.flags.StringSlice("set") {
		s, err := spec.ParseSet(text)
		if err != nil {
			return nil, usage("for example --set machine.nodes=16", "--set: %s", plain(err))
		}
		sets = append(sets, s)
	}
	return sets, nil
}

// request is what --policy asks for.
type request struct {
	solved []models.Policy // what is solved, in order, without repetitions
	named  []models.Policy // what is shown of it, beside the best static one
	best   bool            // show the best static one
	every  bool            // every static policy is solved: the best one of them is the best there is
}

// policies reads the --policy flags.
func (inv *invocation) policies(s *models.System) (*request, error) {
	texts := inv.flags.StringSlice("policy")
	if len(texts) == 0 {
		texts = []string{models.Dynamic, models.Static}
	}
	r := &request{}
	for _, text := range texts {
		if text == spec.BestStatic {
			r.best = true
			continue
		}
		found, err := s.ParsePolicies(text)
		if err != nil {
			return nil, usage(policyHint(text), "--policy: %s", plain(err))
		}
		r.named = appendNew(r.named, found...)
	}
	r.solved = slices.Clone(r.named)
	if r.best {
		all, err := s.ParsePolicies(models.Static)
		if err != nil {
			return nil, err
		}
		r.solved = appendNew(r.solved, all...)
	}
	r.every = true
	for _, k := range s.Divisors() {
		r.every = r.every && slices.Contains(r.solved, models.Policy{Kind: models.Static, Partitions: k})
	}
	return r, nil
}

// policyHint is the hint about a policy that is none: its name may be misspelt, or what stands behind the colon wrong.
func policyHint(text string) string {
	name, parameter, given := strings.Cut(text, ":")
	kinds := []string{models.Dynamic, models.Static, spec.BestStatic, models.Capped, models.Smoothing, models.Folding,
		models.Limited}
	near := nearest(name, kinds)
	switch {
	case near == "" || near == name:
		return "use dynamic, static, static:K or best-static"
	case given:
		near += ":" + parameter
	}
	return fmt.Sprintf("did you mean %q?", near)
}

// include adds what the requirements of the file speak of to what is solved.
func (r *request) include(file *spec.Model) error {
	for _, goal := range file.Require {
		found, err := subjects(file.System, goal.Policy)
		if err != nil {
			return err
		}
		r.solved = appendNew(r.solved, found...)
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

// shown returns the results that were asked for. If the best static policy was and none is stable, all static ones are
// shown, which says why.
func (r *request) shown(d *models.Decision) []models.Solved {
	var out []models.Solved
	for _, one := range d.Results {
		best := r.best && (d.Best == nil || one.Policy == d.Best.Policy)
		if slices.Contains(r.named, one.Policy) || best {
			out = append(out, one)
		}
	}
	return out
}

func (r *request) stable(d *models.Decision) bool {
	return slices.ContainsFunc(r.shown(d), func(one models.Solved) bool { return one.Measures.Stable })
}

// warnings returns the doubts about a result: those of the solver, and those about what it means.
func warnings(timeUnit string, r *models.Solved) []string {
	var all []string
	for _, w := range r.Measures.Diagnostics.Warnings {
		all = append(all, w.Error())
	}
	if !r.Measures.Stable && len(all) == 0 {
		all = append(all, fmt.Sprintf("unstable: traffic intensity %s; the largest stable arrival rate is %s per %s",
			output.Round(r.Measures.TrafficIntensity, 4), output.Round(r.Measures.MaxArrivalRate, 4), timeUnit))
	}
	if p := r.Measures.Repartitions; p != nil && r.Measures.Stable && p.Probability > thrashes {
		all = append(all, fmt.Sprintf("thrashing: %s of the time goes into repartitioning", percent(p.Probability)))
	}
	return all
}

// unstable says that there is no result, and from where on there would be one.
func unstable(file *spec.Model, results []models.Solved) error {
	widest := results[0]
	for _, r := range results {
		if r.Measures.MaxArrivalRate > widest.Measures.MaxArrivalRate {
			widest = r
		}
	}
	most := widest.Measures.MaxArrivalRate
	return &exitError{
		code: exitUnstable,
		err: fmt.Errorf("no requested policy is stable: the traffic intensity is %s under %v, the largest stable arrival "+
			"rate %s per %s", output.Round(widest.Measures.TrafficIntensity, 4), widest.Policy,
			output.Round(most, 4), file.TimeUnit.Name),
		hint: fmt.Sprintf("it would be stable below load %s", output.Round(most/file.System.Capacity(), 4)),
	}
}
