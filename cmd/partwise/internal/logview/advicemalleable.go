package logview

import (
	"fmt"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/validate/advise"
	"github.com/partwise/partwise/validate/replay"
)

// Malleable lays out what malleable jobs beside rigid jobs gain under EASY backfilling, and what is left of the gain as systems
// carry it out.
type Malleable struct {
	Run     *replay.Run // with the share of malleable jobs
	Ways    []advise.Way
	Carried []*replay.Run // in the order of Ways; nil where the waiting jobs do not fit into memory
	// Growing and Shrinking are runs whose malleable jobs are resized one way only; nil: jobs are resized only one way in Run, too.
	Growing, Shrinking *replay.Run
	Replay             string // says that the replay does not reproduce the log; "" if it does
	Title              string
	Node               string        // what one of the nodes is called: node, CPU or GPU
	Heading            output.Object // the first fields of JSON
	Assumed            []output.Assumption
	Seconds            float64
}

// Result lays the gain out.
func (v *Malleable) Result() *output.Result {
	notes := words.NonEmpty(v.Replay, words.Sentence("let ", MalleableRule(v.Run, v.Node)), v.whichWay())
	r := &output.Result{Object: v.Heading, Assumed: v.Assumed, Notes: notes, Short: notes}
	r.List(v.results())
	if v.Growing != nil {
		r.List(v.oneWay())
	}
	r.List(v.carriedOut())
	r.Add("advised", append(output.PolicyObject(v.Run.Policy),
		output.Pairs("malleable_share", v.Run.Share, "parameters", v.bounds())...))
	r.Add("seconds", v.Seconds)
	return r
}

// bounds are the parameters of malleable jobs.
func (v *Malleable) bounds() output.Object {
	return output.Pairs("min_factor", v.Run.Least, "max_factor", v.Run.Most)
}

// Columns of mean response times, and of how much less time jobs take than under EASY.
var (
	responseColumn = output.Col(measure.MeanResponseTime, "mean response [s]").Right()
	lessColumn     = saving("against EASY")
)

// responseTo returns the cell of the mean response time of a run.
func responseTo(run *replay.Run) output.Cell {
	response, _, _ := run.Intervals()
	return responseColumn.Is(response)
}

// gainOf returns the cells of the mean response time of a run, and of how much less time its jobs take than under EASY.
func gainOf(run *replay.Run) output.Row {
	gain := output.Object{{Name: run.Baseline.Policy.Name(), Value: run.Saved()}}
	return output.Row{responseTo(run), output.Data("gain_over", gain), lessColumn.Is(run.Saved())}
}

// showGains has the table of a list of runs show the column that names them, and their gains.
func showGains(l *output.List, name output.Column) *output.List {
	return l.Show(name, responseColumn, responseColumn.HalfWidth(2), lessColumn, widthOf(lessColumn))
}

// results has a row for malleable jobs under EASY, and one for EASY.
func (v *Malleable) results() *output.List {
	rows := []output.Row{
		slices.Concat(output.Policy(v.Run.Policy),
			output.Row{output.Data("malleable_share", v.Run.Share), output.Data("parameters", v.bounds())}, gainOf(v.Run)),
		append(output.Policy(v.Run.Baseline.Policy), responseTo(v.Run.Baseline)),
	}
	return showGains(output.ListOfRows("results", v.Title, output.NoCSV, rows), output.InTable("policy"))
}

// oneWay has a row for malleable jobs that only grow, and one for jobs that only shrink.
func (v *Malleable) oneWay() *output.List {
	way := output.Col("way", "malleable jobs")
	rows := []output.Row{append(output.Row{way.Is("only grow")}, gainOf(v.Growing)...),
		append(output.Row{way.Is("only shrink")}, gainOf(v.Shrinking)...)}
	return showGains(output.ListOfRows("one_way", "What one way to resize jobs brings alone", output.NoCSV, rows), way)
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
		brings = words.Capitalized(does) + " brings most of the gain"
	}
	return fmt.Sprintf("%s: with malleable jobs that only %s, jobs take %s time than under EASY; with jobs that only %s, %s.",
		brings, bestOnly, lessOrMore(best.Saved()), otherOnly, lessOrMore(other.Saved()))
}

// carriedOut has a row for each way in which systems carry the policy out.
func (v *Malleable) carriedOut() *output.List {
	by, limits := output.Col("by", "carried out by"), output.InTable("limits")
	rows := make([]output.Row, len(v.Ways))
	for i, w := range v.Ways {
		rows[i] = output.Row{by.Is(w.By), limits.Is(joined(w.Limits)), output.Data("limits", w.Limits)}
		if run := v.Carried[i]; run != nil {
			rows[i] = append(rows[i], gainOf(run)...)
		}
		rows[i] = append(rows[i], output.Data("stable", v.Carried[i] != nil))
	}
	return output.ListOfRows("carried_out",
		"What is left of the gain on systems: by the controller of --controller, with the settings of --systems",
		output.NoCSV, rows).Show(by, limits, responseColumn, lessColumn.Else("too slow"), widthOf(lessColumn))
}

// MalleableRule returns the rule by which malleable jobs are resized in a run, as the rest of a sentence that begins with "let".
// unit is what one of the nodes is called: node, CPU or GPU.
func MalleableRule(run *replay.Run, unit string) string {
	return fmt.Sprintf("EASY backfilling start all jobs, and make %s of them malleable: "+
		"shrink them where a waiting job can then start, never below %s times the %[4]ss that they ask for, "+
		"and let them grow onto %[4]ss that no job can use, never beyond %[3]s times these %[4]ss",
		words.Tenths(run.Share), words.Shortest(run.Least), words.Shortest(run.Most), unit)
}

// joined lists the names of limits.
func joined(limits []string) string { return strings.Join(limits, ", ") }
