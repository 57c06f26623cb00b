package solvecmd

import (
	"errors"
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/words"
)

// percentilesOf returns the percentiles of the results that are shown, if they were asked for or a single static policy is shown.
// Percentiles under dynamic partitioning take seconds. They are refused, with a warning, where following a job would take much
// longer, or the chain follows no job. Other errors keep nobody from the percentiles of other policies.
func percentilesOf(inv *cli.Invocation, shown []decide.Solved, asked bool) (all []*decide.Percentiles, missing []error) {
	all = make([]*decide.Percentiles, len(shown))
	single := len(shown) == 1 && shown[0].Partitions() > 0
	if !asked && !single {
		return all, nil
	}
	for i := range shown {
		var err error
		all[i], err = shown[i].Percentiles(inv.Context)
		switch {
		case err == nil:
		case inv.Context.Err() != nil: // the command ends: this is no problem of the percentiles
			return all, missing
		case parallel.IsShortOf(err, parallel.Memory) && fault.ExitCode(err) == fault.ExitTooLarge:
			more := "raise --memory" // a job is followed in several steps, and later steps may need more
			if shown[i].Partitions() > 0 {
				more = input.MoreMemory(err)
			}
			inv.Warnf("%s; %s, or partwise simulate --percentiles estimates them", fault.PlainWithin(err), more)
		case errors.Is(err, markov.ErrTooLarge), errors.Is(err, models.ErrNoChain):
			inv.Warnf("%s; partwise simulate --percentiles estimates them", fault.PlainWithin(err))
		case asked:
			missing = append(missing, withoutPercentiles(&shown[i], err))
		default:
			inv.Warnf("%v", err)
		}
	}
	return all, missing
}

// withoutPercentiles says of an error of the percentiles of a policy what can be done about it. No method of solution
// takes part in following a job where the machine is divided dynamically.
func withoutPercentiles(r *decide.Solved, err error) error {
	inaccurate := errors.Is(err, markov.ErrNoConvergence) || errors.Is(err, markov.ErrInaccurate)
	if r.Partitions() > 0 || !inaccurate {
		return err
	}
	return fault.Hint(fault.ExitAccuracy, "the times of jobs and repartitions are too many decades apart for percentiles: "+
		"partwise simulate --percentiles estimates them, or leave out jobs so short that they do not matter", err)
}

// times are the times that have percentiles, as JSON and as titles name them.
var times = []struct{ name, words string }{{"waiting_time", "waiting time"}, {"response_time", "response time"}}

// percentileCells returns percentiles: objects by percentage in JSON, a measure each in CSV. They may be nil.
func percentileCells(p *decide.Percentiles) (row output.Row) {
	for _, time := range times {
		values, object := p.Of(time.name), output.Object{}
		for k, percent := range decide.Percents() {
			cell := output.InCSV(time.name+"_p"+words.Shortest(percent), nil)
			if values != nil {
				cell.Value = values[k]
				object.Add(words.Shortest(percent), values[k])
			}
			row = append(row, cell)
		}
		row = append(row, output.InJSON(time.name+"_percentiles", output.When(values != nil, object)))
	}
	if p != nil {
		row = append(row, output.InJSON("percentiles_error", output.Positive(p.Bound)))
	}
	return row
}

// ofClass returns the percentiles of class k, nil if there are none.
func ofClass(p *decide.Percentiles, k int) *decide.Percentiles {
	if p == nil {
		return nil
	}
	return p.Classes[k]
}

// percentileTables returns a table for each time of which some policy has percentiles. Those of all jobs under a single policy are
// among its measures.
func percentileTables(unit string, shown []decide.Solved, all []*decide.Percentiles) (tables []*output.List) {
	byClass := slices.ContainsFunc(all, func(p *decide.Percentiles) bool { return p != nil && len(p.Classes) > 0 })
	for _, time := range slices.Backward(times) {
		var rows []output.Row
		add := func(policy, class string, p *decide.Percentiles) {
			values := p.Of(time.name)
			if values == nil {
				return
			}
			row := output.Row{output.InTable("policy").Is(policy)}
			if byClass {
				row = append(row, output.InTable("class").Is(class))
			}
			for k, percent := range decide.Percents() {
				row = append(row, output.InTable(words.Shortest(percent)+" %").Is(values[k]))
			}
			rows = append(rows, row)
		}
		for i, r := range shown {
			if len(shown) > 1 {
				add(r.Policy.String(), "all", all[i])
			}
			for k, c := range r.Measures.Classes {
				add(r.Policy.String(), c.Name, ofClass(all[i], k))
			}
		}
		if rows != nil {
			tables = append(tables, output.TableOfRows("Percentiles of the "+time.words+" ["+unit+"]", rows))
		}
	}
	return tables
}
