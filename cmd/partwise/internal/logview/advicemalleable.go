package logview

import (
	"fmt"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/validate/advise"
	"github.com/partwise/partwise/validate/replay"
)

// Malleable lays out what malleable jobs beside rigid jobs gain under EASY backfilling, and what is left of the gain as systems carry it out.
type Malleable struct {
	Run     *replay.Run // with the share of malleable jobs
	Ways    []advise.Way
	Carried []*replay.Run // in the order of Ways; nil where the waiting jobs do not fit into memory
	// Growing and Shrinking are runs whose malleable jobs are resized one way only; nil: jobs are resized only one way in Run, too.
	Growing, Shrinking *replay.Run
	Replay             string // says that the replay does not reproduce the log; "" if it does
	Title              string
	Heading            output.Object // the first fields of JSON
	Assumed            []output.Assumption
	Seconds            float64
}

// Result lays the gain out.
func (v *Malleable) Result() *output.Result {
	notes := v.notes()
	if v.Replay != "" {
		notes = append([]string{v.Replay}, notes...)
	}
	r := &output.Result{Object: v.Heading, Assumed: v.Assumed, Notes: notes, Short: notes}
	r.List(v.results())
	if v.Growing != nil {
		r.List(v.oneWay())
	}
	r.List(v.carriedOut())
	r.Add("advised", append(output.PolicyObject(v.Run.Policy), output.Pairs("malleable_share", v.Run.Share, "parameters", v.bounds())...))
	r.Add("seconds", v.Seconds)
	return r
}

// bounds are the parameters of malleable jobs.
func (v *Malleable) bounds() output.Object {
	return output.Pairs("min_factor", v.Run.Least, "max_factor", v.Run.Most)
}

// responseOf returns the column of mean response times in tables and JSON.
var responseOf = output.Col(measure.MeanResponseTime, "mean response [s]").Right()

// results has a row for malleable jobs under EASY, and one for EASY.
func (v *Malleable) results() *output.List {
	value, less := responseOf, saving("against EASY")
	response, _, _ := v.Run.Intervals()
	easy, _, _ := v.Run.Baseline.Intervals()
	rows := []output.Row{
		append(output.Policy(v.Run.Policy), output.Data("malleable_share", v.Run.Share), output.Data("parameters", v.bounds()), value.Is(response),
			output.Data("gain_over", output.Object{{Name: v.Run.Baseline.Policy.Name(), Value: v.Run.Saved()}}), less.Is(v.Run.Saved())),
		append(output.Policy(v.Run.Baseline.Policy), value.Is(easy)),
	}
	return output.ListOfRows("results", v.Title, output.NoCSV, rows).
		Show(output.InTable("policy"), value, value.HalfWidth(2), less, widthOf(less))
}

// oneWay has a row for malleable jobs that only grow, and one for jobs that only shrink.
func (v *Malleable) oneWay() *output.List {
	way, value, less := output.Col("way", "malleable jobs"), responseOf, saving("against EASY")
	row := func(name string, run *replay.Run) output.Row {
		response, _, _ := run.Intervals()
		return output.Row{way.Is(name), value.Is(response), output.Data("gain_over", output.Object{{Name: run.Baseline.Policy.Name(), Value: run.Saved()}}),
			less.Is(run.Saved())}
	}
	return output.ListOfRows("one_way", "What one way to resize jobs brings alone", output.NoCSV,
		[]output.Row{row("only grow", v.Growing), row("only shrink", v.Shrinking)}).Show(way, value, value.HalfWidth(2), less, widthOf(less))
}

// whichWay says whether growing or shrinking brings the gain. It returns "" if growing and shrinking do not differ significantly.
func (v *Malleable) whichWay() string {
	best, other := replay.Better(v.Growing, v.Shrinking)
	if best == nil {
		return ""
	}
	does, bestOnly, otherOnly := "growing", "grow", "shrink"
	if best == v.Shrinking {
		does, bestOnly, otherOnly = "shrinking", "shrink", "grow"
	}
	brings := "Only " + does + " helps"
	if other.Saved().Low > 0 {
		brings = output.Capitalized(does) + " brings most of the gain"
	}
	return fmt.Sprintf("%s: with malleable jobs that only %s, jobs take %s time than under EASY; with jobs that only %s, %s.",
		brings, bestOnly, lessOrMore(best.Saved()), otherOnly, lessOrMore(other.Saved()))
}

// carriedOut has a row for each way in which systems carry the policy out.
func (v *Malleable) carriedOut() *output.List {
	by, limits := output.Col("by", "carried out by"), output.InTable("limits")
	value, less := responseOf, saving("against EASY").Else("too slow")
	rows := make([]output.Row, len(v.Ways))
	for i, w := range v.Ways {
		rows[i] = output.Row{by.Is(w.By), limits.Is(joined(w.Limits)), output.Data("limits", w.Limits)}
		if run := v.Carried[i]; run != nil {
			response, _, _ := run.Intervals()
			rows[i] = append(rows[i], value.Is(response), output.Data("gain_over", output.Object{{Name: run.Baseline.Policy.Name(), Value: run.Saved()}}),
				less.Is(run.Saved()))
		}
		rows[i] = append(rows[i], output.Data("stable", v.Carried[i] != nil))
	}
	return output.ListOfRows("carried_out", "What is left of the gain on systems: by the controller of --controller, with the settings of --systems",
		output.NoCSV, rows).Show(by, limits, value, less, widthOf(less).Else(""))
}

// notes say what the policy does, and whether growing or shrinking brings its gain.
func (v *Malleable) notes() []string {
	notes := []string{output.Sentence("let ", MalleableRule(v.Run))}
	if which := v.whichWay(); which != "" {
		notes = append(notes, which)
	}
	return notes
}

// MalleableRule returns the rule by which malleable jobs are resized in a run, as the rest of a sentence that begins with "let".
func MalleableRule(run *replay.Run) string {
	return fmt.Sprintf("EASY backfilling start all jobs, and make %s of them malleable: shrink them where a waiting job can then start, never below %s "+
		"times the nodes that they ask for, and let them grow onto nodes that no job can use, never beyond %s times these nodes",
		output.Tenths(run.Share), output.Shortest(run.Least), output.Shortest(run.Most))
}

// joined lists the names of limits.
func joined(limits []string) string { return strings.Join(limits, ", ") }
