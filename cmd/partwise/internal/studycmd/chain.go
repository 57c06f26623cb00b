package studycmd

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/reportcmd"
	"github.com/partwise/partwise/cmd/partwise/internal/solution"
	"github.com/partwise/partwise/cmd/partwise/internal/validatecmd"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/metric"
	"github.com/partwise/partwise/validate/replay"
)

// chain is what the chain says of the machine of the log, if jobs were independent, and why it differs from the log.
type chain struct {
	missing   string // why there is no chain; "": there is one
	written   bool   // the model file
	file      *modelfile.Model
	asked     *policy.Selection
	decision  decide.Decision
	compared  []policy.Policy
	explained *validatecmd.Explanation
	log       metric.Interval // the best static split over dynamic partitioning, on the log
	differ    error           // chain_and_log_differ
	certainty *output.Result  // of the bootstrap; nil: none
}

// solveChain writes the model file and solves it. A chain that has no model, or cannot be solved, leaves the study without it.
func (s *work) solveChain() error {
	err := s.writeModel()
	if err == nil {
		err = s.decideChain()
	}
	s.chain.missing, err = s.reason(err)
	return err
}

// writeModel writes the model file and reads it, which fits its distributions to the jobs.
func (s *work) writeModel() error {
	draft, err := s.Draft(s.inv, s.base+".yaml", filepath.Base(s.base)+".swf", s.title(), s.selected.Nodes, s.log.Jobs.Jobs())
	if err != nil {
		return err
	}
	if err := output.WriteFile(s.base+".yaml", draft.Write); err != nil {
		return err
	}
	s.chain.written = true
	s.chain.file, err = input.Read(s.inv, s.base+".yaml")
	return err
}

// decideChain solves the model, and chooses the policies that are compared with the log.
func (s *work) decideChain() (err error) {
	c := &s.chain
	if c.asked, err = input.SelectPolicies(s.inv, c.file, nil); err != nil {
		return err
	}
	if c.decision, err = solution.Decision(s.inv, c.file, c.asked.Run); err != nil {
		return err
	}
	if c.compared = c.comparable(s.replayed); c.compared == nil {
		return fmt.Errorf("no policy is stable at load %s", output.Load(c.file.System.Load()))
	}
	return nil
}

// explainChain replays the log with one assumption of the chain after the other.
func (s *work) explainChain() (err error) {
	if c := &s.chain; c.missing == "" {
		c.missing, err = s.reason(s.compareChain())
	}
	return err
}

func (s *work) compareChain() (err error) {
	c := &s.chain
	if c.explained, err = validatecmd.Explain(s.inv, c.file, s.base+".swf", c.compared, &c.decision, &s.Assumptions); err != nil {
		return err
	}
	c.compare(s.replayed)
	if s.samples == 0 {
		return nil
	}
	c.certainty = &output.Result{}
	return solution.AddBootstrap(s.inv, c.file, c.asked, &c.decision, s.samples, markov.Settings{Method: markov.Auto,
		Memory: s.inv.Memory}, c.certainty)
}

// comparable returns the policies that are stable by the chain among dynamic partitioning, the best static split by the chain, and
// the best on the log.
func (c *chain) comparable(replayed []*replay.Run) (all []policy.Policy) {
	best := []policy.Policy{policy.Dynamic{}}
	if c.decision.Best != nil {
		best = append(best, c.decision.Best.Policy)
	}
	for _, run := range replayed {
		if _, static := run.Policy.(policy.Static); static {
			best = append(best, run.Policy)
		}
	}
	for _, r := range c.decision.Results {
		if r.Measures.Stable && slices.Contains(best, r.Policy) {
			all = append(all, r.Policy)
		}
	}
	return all
}

// compare holds the winner by the chain against that of replays of the log, of whose static splits only the best is there. They
// differ only if the log does so, too, where its jobs can use no more nodes than the classes of the chain.
func (c *chain) compare(replayed []*replay.Run) {
	var dynamic, static *replay.Run
	for _, run := range replayed {
		switch run.Policy.(type) {
		case policy.Dynamic:
			dynamic = run
		case policy.Static:
			static = run
		}
	}
	if dynamic == nil || static == nil || !c.explained.HasDecision() {
		return
	}
	var err error
	c.log, err = dynamic.Log.RatioOf(static.Log, replay.Confidence)
	by := c.explained.Predicted.Ratio
	opposite := (by > 1 && c.log.High < 1 || by < 1 && c.log.Low > 1) && !c.explained.Agrees()
	if err == nil && output.Finite(c.log.HalfWidth) && opposite && !decide.Negligible(by) {
		c.differ = fault.Failf(fault.ExitFailed, "chain_and_log_differ: %s by the chain, %s by the log", winner(by), winner(c.log.Mean))
	}
}

func winner(ratio float64) string {
	if ratio > 1 {
		return "dynamic partitioning wins"
	}
	return "static partitioning wins"
}

// agreement says whether the winners by the chain and by the log are the same; "" where the log has none to compare.
func (c *chain) agreement() string {
	if c.log.Mean == 0 {
		return ""
	}
	by := c.explained.Predicted.Ratio
	verdict := "agree: " + winner(by)
	switch {
	case c.differ != nil:
		verdict = "differ: " + winner(by) + " by the chain, " + winner(c.log.Mean) + " by the log"
	case winner(by) != winner(c.log.Mean):
		verdict = "do not differ significantly"
	}
	log := output.Round(c.log.Mean, 3) + " times by the log"
	if len(c.file.System.Classes) > 0 {
		log = fmt.Sprintf("%s times by the log with jobs that can use as many nodes as those of the chain, and %s with any number of nodes",
			output.Round(c.explained.Replayed.Ratio, 3), log)
	}
	return fmt.Sprintf("The chain and the log %s. The best static split takes %s times as long as dynamic partitioning by the chain, %s.",
		verdict, output.Round(by, 3), log)
}

// chainPart is the section of the page about the chain.
func (s *work) chainPart() reportcmd.Part {
	c := &s.chain
	part := reportcmd.Part{Title: "If jobs were independent", Bullets: s.violated()}
	if c.missing != "" {
		part.Lead = []string{"There is no chain of this machine: " + c.missing + "."}
		return part
	}
	for i, text := range output.Answer(c.file, &c.decision) {
		if i == 0 {
			text = "The chain says of the same machine, if jobs were independent: " + strings.ToLower(text[:1]) + text[1:]
		}
		part.Lead = append(part.Lead, text)
	}
	if text := c.agreement(); text != "" {
		part.Lead = append(part.Lead, text)
	}
	if n := len(c.file.System.Classes); n > 1 {
		part.Lead = append(part.Lead, fmt.Sprintf("The chain has %d classes of jobs by the nodes that they asked for. In a repartition all jobs "+
			"stop: a chain of classes in which only the resized stop does not exist.", n))
	}
	part.Lead = append(part.Lead, "Do not plan with the times of the chain. The last table says why they differ from those of the log.")
	part.Tables = []*output.List{c.explained.Forecasts(), c.classes(), c.explained.Effects()}
	return part.Show(c.certainty, "")
}

// classes returns the classes of jobs under the policies that are compared.
func (c *chain) classes() *output.List {
	return solution.Classes(slices.DeleteFunc(slices.Clone(c.decision.Results), func(r decide.Solved) bool {
		return !slices.Contains(c.explained.Policies, r.Policy)
	}), "s", nil)
}

// object returns the fields of JSON about the chain: its results, or the reason why there is no chain.
func (c *chain) object() output.Object {
	if c.missing != "" {
		return output.Object{{Name: "chain", Value: nil}, {Name: "no_chain", Value: c.missing}}
	}
	decision := append(c.explained.Decision(), output.Pairs("chain_and_log_differ", c.differ != nil)...)
	o := &output.Result{Object: output.Pairs("machine", input.MachineObject(c.file.System.Machine()), "load", c.file.System.Load(),
		"policies", c.explained.Forecasts().Objects(), "decision", decision, "because", c.explained.Effects().Objects())}
	if classes := c.classes(); classes.Len > 0 {
		o.Add("classes", classes.Objects())
	}
	o.Result("certainty", c.certainty)
	return output.Pairs("chain", o.Object)
}

// sources are the files beside the page.
func (s *work) sources() []string {
	names := []string{filepath.Base(s.base) + ".swf"}
	if s.chain.written {
		names = slices.Insert(names, 0, filepath.Base(s.base)+".yaml")
	}
	return names
}
