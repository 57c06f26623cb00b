package replaycmd

import (
	"errors"
	"fmt"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/metric"
	"github.com/partwise/partwise/validate/replay"
)

// Forecast is a log under EASY, and under EASY with shares of the jobs malleable.
type Forecast struct {
	easy       *replay.Run
	runs       []*replay.Run // by share
	impossible string        // why there are no runs
}

// NewForecast replays a log under EASY and easy-malleable, as partwise replay does. A replay that is impossible with these
// jobs gives a forecast without runs.
func NewForecast(inv *cli.Invocation, log *input.Selection, assuming input.Assuming) (*Forecast, error) {
	_, runs, err := Beside(inv, log, assuming, replay.ForecastShares(), policy.EASY{}.Name(),
		policy.EASYMalleable{}.Name())
	var e *cli.Error
	if errors.As(err, &e) && (e.Code == cli.ExitUsage || e.Code == cli.ExitTooLarge) {
		return &Forecast{impossible: cli.Plain(e.Err)}, nil
	}
	if err != nil {
		return nil, err
	}
	return &Forecast{easy: runs[0], runs: runs[1:]}, nil
}

// Sentences say whether resizing pays on the log, and by how much.
func (f *Forecast) Sentences() []string {
	if f.impossible != "" {
		return []string{"The log cannot be replayed with malleable jobs: " + f.impossible + "."}
	}
	answer, from := replay.ResizingPays(f.runs)
	last := f.runs[len(f.runs)-1]
	switch answer {
	case replay.Pays:
		return []string{gain(from), "Resizing pays from " + shareWords(from.Share) + " malleable jobs on."}
	case replay.PaysNot:
		return []string{gain(last), "Resizing does not pay, even if all jobs are malleable."}
	}
	why := "the log is too short, and the 90 % interval is wider than the difference from EASY"
	if !output.Finite(last.Ratio().HalfWidth) {
		why = "the log has too few jobs for an interval"
	}
	return []string{"Whether resizing pays is not clear from this log: " + why + ".", gain(last)}
}

// gain says how much time jobs take where a share of them is malleable.
func gain(run *replay.Run) string {
	e := run.Ratio()
	words := fmt.Sprintf("With %s of the jobs malleable, jobs take %s time (%s s in place of %s s under EASY", shareWords(run.Share),
		change(e.Mean), seconds(run), seconds(run.Baseline))
	if interval := changes(e); interval != "" {
		words += "; 90 % interval " + interval
	}
	return words + ")."
}

func seconds(run *replay.Run) string { return output.Thousands(run.Measures[measure.MeanResponseTime]) }

// change says how response times differ from those of EASY, of a ratio of EASY's to them: "16 % less", "5 % more".
func change(ratio float64) string {
	switch {
	case !(ratio > 0):
		return "any amount more"
	case ratio < 1:
		return output.Percent(1/ratio-1) + " more"
	}
	return output.Percent(1-1/ratio) + " less"
}

// changes says what the interval of a ratio to EASY means for response times, such as "12 to 19 % less"; "" if it has none.
func changes(e metric.Interval) string {
	if !output.Finite(e.HalfWidth) {
		return ""
	}
	first, last := change(e.Low), change(e.High)
	if e.High < 1 {
		first, last = last, first
	}
	for _, same := range []string{" % less", " % more"} {
		if strings.HasSuffix(first, same) && strings.HasSuffix(last, same) {
			first = strings.TrimSuffix(first, same)
		}
	}
	return first + " to " + last
}

// Table has a row for EASY, and one for each share of malleable jobs; nil if there are no runs.
func (f *Forecast) Table() *output.List {
	if len(f.runs) == 0 {
		return nil
	}
	rows := append([]*replay.Run{f.easy}, f.runs...)
	malleable := func(name string, of func(run *replay.Run) any) output.Column {
		return output.Column{Name: name, Number: true, None: "–", Value: func(i int) any { return output.When(i > 0, of(rows[i])) }}
	}
	with := &f.runs[0].Assumptions
	title := fmt.Sprintf("The log under EASY backfilling, and with malleable jobs, which are resized while they run (%s to %s times "+
		"the nodes that they ask for, %s)", output.Shortest(with.Least), output.Shortest(with.Most), input.CostWords(&with.Cost))
	return &output.List{Title: title, Len: len(rows), Form: output.NoCSV, Columns: []output.Column{
		{Name: "malleable jobs", Value: func(i int) any { return output.When(i > 0, shareWords(rows[i].Share)) }, None: "none (EASY)"},
		{Name: "response [s]", Number: true, Value: func(i int) any { return seconds(rows[i]) }},
		malleable("time against EASY", func(run *replay.Run) any { return change(run.Ratio().Mean) }),
		malleable("90 % interval", func(run *replay.Run) any { return changes(run.Ratio()) }),
		{Name: "EASY / it", Number: true, Value: func(i int) any { return ratioWords(rows[i].Ratio()) }},
	}}
}

// Object returns what JSON has of the forecast: the response time under EASY, those by share, or why there are none.
func (f *Forecast) Object() output.Object {
	if f.impossible != "" {
		return output.Object{{Name: "forecast", Value: []output.Object{}}, {Name: "forecast_impossible", Value: f.impossible}}
	}
	response := func(run *replay.Run) output.Object {
		e, _, _ := run.Intervals()
		e.Mean = run.Measures[measure.MeanResponseTime]
		return estimateObject(e)
	}
	rows := make([]output.Object, len(f.runs))
	for i, run := range f.runs {
		rows[i] = output.Object{{Name: "malleable_share", Value: run.Share}, {Name: "policy", Value: run.Policy.String()},
			{Name: measure.MeanResponseTime, Value: response(run)}, {Name: "ratio_to_easy", Value: estimateObject(run.Ratio())}}
	}
	return output.Object{{Name: "baseline", Value: output.Object{{Name: "policy", Value: f.easy.Policy.String()},
		{Name: measure.MeanResponseTime, Value: response(f.easy)}}}, {Name: "forecast", Value: rows}}
}

// Decision returns what JSON has of the decision: whether resizing pays, and from which share of malleable jobs on.
func (f *Forecast) Decision() output.Object {
	answer, from := replay.ResizingPays(f.runs)
	o := output.Object{{Name: "resizing_pays", Value: string(answer)}}
	if from != nil {
		o.Add("from_share", from.Share)
	}
	return o
}
