package input

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/replay"
)

const (
	// sameAnswer is the share of the mean response time below which a class more makes no difference.
	sameAnswer = 0.01
	// memoryOfDraft is the memory of the chains that classes are chosen by. Chains within it take a second or two.
	memoryOfDraft = 256 << 20
)

// Draft returns the model file for the jobs of a log on some nodes, with classes of jobs by the nodes that they asked for: as
// few as change the mean response time under dynamic partitioning by less than 1 %. Where there is no such time, all jobs are
// alike. file is the name of the model file, and log is what the file calls the log.
func (a *Assuming) Draft(inv *cli.Invocation, file, log, title string, nodes int, jobs []joblog.Job) (*modelfile.Draft, error) {
	unit := a.Unit
	if unit == 0 {
		var err error
		if unit, err = modelfile.DivisionUnit(nodes); errors.Is(err, modelfile.ErrIndivisible) {
			return nil, fmt.Errorf("%d nodes cannot be divided into 2 to %d equal units, which --min-nodes sets", nodes, modelfile.MostPartitions)
		}
	}
	d := &modelfile.Draft{Title: title, Log: log, Jobs: len(jobs), Nodes: nodes, Unit: unit, ResizeCost: a.Cost.Seconds, Stops: a.Stops,
		Speedup: workload.SpeedupText(a.Speedup)}
	machine := policy.Machine{Nodes: nodes, Unit: unit}
	classes, err := replay.Classes(jobs, machine, a.Assumptions, sameAnswer, func(all []replay.JobClass) (float64, error) {
		d.Classes = draftClasses(all, machine)
		return answer(inv, d, file)
	})
	if inv.Context.Err() != nil {
		return nil, err
	}
	if d.Classes = nil; err == nil { // an error is reported when the chain of the draft is solved
		d.Classes = draftClasses(classes, machine)
	}
	return d, nil
}

// draftClasses returns classes as a draft has them: none where all jobs can use all nodes.
func draftClasses(classes []replay.JobClass, m policy.Machine) (all []modelfile.DraftClass) {
	if len(classes) == 1 && classes[0].MaxNodes == m.Nodes {
		return nil
	}
	for _, c := range classes {
		all = append(all, modelfile.DraftClass(c))
	}
	return all
}

// answer returns the mean response time under dynamic partitioning by the chain of a draft in which all jobs stop in a repartition.
func answer(inv *cli.Invocation, d *modelfile.Draft, file string) (float64, error) {
	var text bytes.Buffer
	if err := d.Write(&text); err != nil {
		return 0, err
	}
	m, err := parallel.Abandonable(inv.Context, func() (*modelfile.Model, error) { return modelfile.Parse(file, text.Bytes()) })
	if err != nil {
		return 0, err
	}
	stopped := *m.System
	stopped.Stops = models.AllStop
	memory := markov.NewMemory(int64(min(memoryOfDraft, inv.Memory.Limit())))
	chain, err := stopped.Chain(policy.Dynamic{})
	if err != nil {
		return 0, err
	}
	v, err := chain.Solve(inv.Context, markov.Settings{Method: markov.Auto, Memory: memory})
	if err == nil && !v.Stable {
		err = v.Unstable()
	}
	return v.MeanResponseTime, err
}

// WriteDraft writes a draft into a file.
func WriteDraft(d *modelfile.Draft, file string) error {
	return output.WriteFile(file, func(w io.Writer) error { return d.Write(w) })
}
