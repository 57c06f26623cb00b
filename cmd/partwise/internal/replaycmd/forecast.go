package replaycmd

import (
	"errors"
	"fmt"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/models/words"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/metric"
	"github.com/partwise/partwise/validate/replay"
)

// Forecast is a log under EASY, and under EASY with shares of the jobs malleable.
type Forecast struct {
	easy       *replay.Run
	runs       []*replay.Run // with the shares of [replay.ForecastShares]
	curve      []*replay.Run // with these and further shares, ascending
	breakevens []replay.Breakeven
	variations []replay.Variation
	study      *logReplay
	days       float64 // from the first to the last submission
	impossible string  // why there are no runs
}

// curveShares are the shares of malleable jobs of the picture, besides those of the forecast.
var curveShares = []float64{0.05, 0.1, 0.35, 0.75}

// NewForecast replays a log under EASY and easy-malleable, as partwise replay does. A replay that is impossible with these
// jobs gives a forecast without runs.
func NewForecast(inv *cli.Invocation, log *input.Selection, assuming input.Assuming) (*Forecast, error) {
	f := &Forecast{}
	var err error
	f.study, f.curve, err = beside(inv, log, assuming, slices.Sorted(slices.Values(slices.Concat(replay.ForecastShares(), curveShares))),
		policy.EASY{}.Name(), policy.EASYMalleable{}.Name())
	var e *fault.Error
	if errors.As(err, &e) && (e.Code == fault.ExitUsage || e.Code == fault.ExitTooLarge) {
		return &Forecast{impossible: fault.Plain(e.Err)}, nil
	}
	if err != nil {
		return nil, err
	}
	f.easy, f.curve, f.days = f.curve[0], f.curve[1:], (log.Offer.Last-log.Offer.First)/86400
	for _, run := range f.curve {
		if slices.Contains(replay.ForecastShares(), run.Share) {
			f.runs = append(f.runs, run)
		}
	}
	return f, nil
}

// Replays returns how many times a forecast replays a log.
func Replays() int { return 1 + len(replay.ForecastShares()) + len(curveShares) }

// counted shows how many of about so many replays are done while the study replays its log.
func (f *Forecast) counted(inv *cli.Invocation, replays int) (clear func()) {
	return f.study.counted(inv, f.easy.Jobs*replays)
}

// AddOtherLoads replays the log with the lowest and the highest load that is expected of another stretch. If too many jobs wait for
// the memory then, a warning says that the forecasts are for the same load.
func (f *Forecast) AddOtherLoads(inv *cli.Invocation) error {
	if f.impossible != "" {
		return nil
	}
	defer f.counted(inv, 2*Replays())()
	err := f.study.Foretell(inv.Context, inv.Workers, f.curve)
	if errors.As(err, new(*replay.RunError)) {
		inv.Warnf("forecasts are for another stretch with the same load; with another one, %s", fault.Plain(err))
		return nil
	}
	return err
}

// AddBreakevens finds up to which time of a resize resizing pays, for each share of malleable jobs.
func (f *Forecast) AddBreakevens(inv *cli.Invocation) (err error) {
	if f.impossible != "" {
		return nil
	}
	of := *f.study.Study
	var clear func()
	of.Foreseen, clear = inv.Foreseen("replaying jobs")
	defer clear()
	of.Policies, of.Shares = []policy.Policy{policy.EASYMalleable{}}, replay.ForecastShares()
	f.breakevens, err = of.Breakevens(inv.Context, inv.Workers)
	return err
}

// Breakevens returns what AddBreakevens found.
func (f *Forecast) Breakevens() []replay.Breakeven { return f.breakevens }

// decisive returns the run with the share of malleable jobs from which on resizing pays, otherwise with all.
func (f *Forecast) decisive() *replay.Run {
	if _, from := replay.ResizingPays(f.runs); from != nil {
		return from
	}
	return f.last()
}

// last returns the run with the largest share of malleable jobs.
func (f *Forecast) last() *replay.Run { return f.runs[len(f.runs)-1] }

// Sentences say whether resizing pays on the log, and by how much.
func (f *Forecast) Sentences() []string {
	if f.impossible != "" {
		return []string{f.Verdict()}
	}
	answer, from := replay.ResizingPays(f.runs)
	last := f.last()
	switch answer {
	case replay.Pays:
		return append([]string{f.gain(from, true), fmt.Sprintf("Resizing pays from %s malleable jobs on; %s were compared.", output.Tenths(from.Share), f.shares())}, f.doubt(from)...)
	case replay.PaysNot:
		return append([]string{f.gain(last, true), "Resizing does not pay, even if all jobs are malleable."}, f.doubt(last)...)
	}
	return []string{f.Verdict(), f.gain(last, true)}
}

// shares names the shares of malleable jobs that were replayed.
func (f *Forecast) shares() string {
	return words.And(words.Texts(f.runs, func(run *replay.Run) string { return output.Tenths(run.Share) }))
}

// doubt says that another stretch of the log could give another verdict, if that is so.
func (f *Forecast) doubt(run *replay.Run) []string {
	if e := ratioForecast(run); e.ForecastHigh < 1 || 1 < e.ForecastLow || !foretold(run) {
		return nil
	}
	return []string{"That holds for this log; in " + f.another() + " it could be the other way round."}
}

// another names a stretch that is as long as the log.
func (f *Forecast) another() string {
	return "another " + lengthWords(f.days)
}

// Verdict says in one sentence whether resizing pays, as pages begin.
func (f *Forecast) Verdict() string {
	if f.impossible != "" {
		return "The log cannot be replayed with malleable jobs: " + f.impossible + "."
	}
	last := f.last()
	switch answer, from := replay.ResizingPays(f.runs); answer {
	case replay.Pays:
		return "Resizing pays: w" + f.gain(from, false)[1:]
	case replay.PaysNot:
		return "Resizing does not pay: w" + f.gain(last, false)[1:]
	}
	if f.TooFew() {
		return fmt.Sprintf("%s of %s are too few to tell whether resizing pays; jobs of %s would do.", words.Count(last.Jobs, "job"),
			lengthWords(f.days), lengthWords(f.enough(last)))
	}
	return fmt.Sprintf("Whether resizing pays is not clear from this log: with %s of the jobs malleable, jobs take %s time than under "+
		"EASY (90 %% interval). Jobs of %s could tell.", output.Tenths(last.Share), changes(last.Ratio()), lengthWords(f.enough(last)))
}

// gain says how much time jobs take where a share of them is malleable, perhaps with the times and the forecast.
func (f *Forecast) gain(run *replay.Run, numbers bool) string {
	e := run.Ratio()
	words := fmt.Sprintf("With %s of the jobs malleable, jobs take %s time", output.Tenths(run.Share), change(e.Mean))
	if !numbers {
		return words + " than under EASY."
	}
	words += fmt.Sprintf(" (%s s in place of %s s under EASY", seconds(run), seconds(run.Baseline))
	if foretold(run) {
		words += "; " + f.another() + ": " + otherChanges(run)
	}
	return words + ")."
}

func seconds(run *replay.Run) string { return whole(run.Measures[measure.MeanResponseTime]) }

// whole writes seconds without decimals, unless they are few.
func whole(v float64) string {
	if 100 <= v && v < 1000 {
		return output.Fixed(v, 0)
	}
	return output.Thousands(v)
}

// change says how response times differ from those of EASY, of a ratio of EASY's to them: "16 % less", "5 % more". Whole per
// cents are enough: the intervals are wider.
func change(ratio float64) string {
	switch {
	case !(ratio > 0):
		return "any amount more"
	case ratio < 1/1.005: // nearer to 1 it rounds to none
		return fmt.Sprintf("%.0f %% more", 100*(1/ratio-1))
	}
	return fmt.Sprintf("%.0f %% less", 100*max(0, 1-1/ratio))
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

// otherChanges says what the forecast of a run means for response times.
func otherChanges(run *replay.Run) string {
	e := ratioForecast(run)
	return changes(metric.Interval{Low: e.ForecastLow, High: e.ForecastHigh})
}

// Table has a row for EASY, and one for each share of malleable jobs; nil if there are no runs.
func (f *Forecast) Table() *output.List {
	if len(f.runs) == 0 {
		return nil
	}
	type row struct {
		Share    string `head:"malleable jobs"`
		Response string `head:"response [s]" form:"number"`
		Change   string `head:"time against EASY" form:"number none=–"`
		Interval string `head:"90 % interval" form:"number none=– extra"` // on the page there is room for it
		Another  string `head:"another" form:"number none=–"`
		Ratio    string `head:"times as fast as EASY" form:"number"`
	}
	rows := []row{{Share: "none (EASY)", Response: seconds(f.easy), Ratio: ratioWords(f.easy.Ratio())}}
	for _, run := range f.runs {
		r := row{output.Tenths(run.Share), seconds(run), change(run.Ratio().Mean), changes(run.Ratio()), "", ratioWords(run.Ratio())}
		if foretold(run) {
			r.Another = otherChanges(run)
		}
		rows = append(rows, r)
	}
	with := &f.runs[0].Assumptions
	l := output.ListOf("", fmt.Sprintf("The log under EASY backfilling, and with malleable jobs, which are resized while they run (%s to %s times "+
		"the nodes that they ask for, %s)", output.Shortest(with.Least), output.Shortest(with.Most), input.CostWords(&with.Cost)),
		output.NoCSV, rows, "")
	l.Columns[4].Name = f.another()
	return l
}

// TimeWords writes a time that is a number with its unit, such as 15min, with a space between them.
func TimeWords(text string) string {
	number := strings.TrimRight(text, "adehimns")
	if unit := text[len(number):]; unit != "" && number != "" && strings.Trim(number, "0123456789.") == "" {
		return number + " " + unit
	}
	return text
}

// SpeedupWords says what a speedup means for a program.
func SpeedupWords(s workload.Speedup) string {
	switch s := s.(type) {
	case nil, workload.Linear:
		return "programs speed up with every node"
	case workload.Amdahl:
		return output.Shortest(100*s.Serial) + " % of a program is serial"
	}
	return "programs speed up as " + workload.SpeedupText(s)
}

// Figure draws EASY's mean response time over that with malleable jobs against their share; nil if there are no runs.
func (f *Forecast) Figure() *chart.Figure {
	if len(f.runs) == 0 {
		return nil
	}
	with := &f.runs[0].Assumptions
	figure := &chart.Figure{Title: "Gain against the share of malleable jobs", XLabel: "malleable jobs [% of the jobs]"}
	figure.Panels = []chart.Panel{benefitPanel(f.curve, figure, func(run *replay.Run) float64 { return 100 * run.Share },
		func(*replay.Run) string { return "with malleable jobs, " + input.CostWords(&with.Cost) })}
	return figure
}

// Tiles are the numbers of the verdict.
func (f *Forecast) Tiles() [][2]string {
	if len(f.runs) == 0 {
		return nil
	}
	run := f.decisive()
	tiles := [][2]string{{"mean time under EASY", seconds(f.easy) + " s"}, {"with " + output.Tenths(run.Share) + " malleable jobs", seconds(run) + " s"}}
	if foretold(run) {
		tiles = append(tiles, [2]string{"this log (90 % interval)", changes(run.Ratio())},
			[2]string{"in " + f.another() + " (90 % forecast)", otherChanges(run)})
	}
	for _, b := range f.breakevens {
		if e := b.ResizeCost; b.Share == run.Share && e.Mean > 0 && output.Finite(e.Mean) {
			tiles = append(tiles, [2]string{"pays while a resize takes less than", whole(e.Mean) + " s"})
		}
	}
	return tiles
}

// Object returns what JSON has of the forecast: the response time under EASY, those by share and the costs up to which
// resizing pays, or why there are none.
func (f *Forecast) Object() output.Object {
	if f.impossible != "" {
		return output.Pairs("forecast", []output.Object{}, "forecast_impossible", f.impossible)
	}
	response := func(run *replay.Run) output.Object {
		_, response := run.Forecasts()
		return forecastObject(response)
	}
	var rows []output.Object
	for _, run := range f.runs {
		rows = append(rows, output.Pairs("malleable_share", run.Share, "policy", run.Policy.String(), measure.MeanResponseTime, response(run),
			"ratio_to_easy", forecastObject(ratioForecast(run))))
	}
	costs := []output.Object{}
	for _, b := range f.breakevens {
		costs = append(costs, output.Pairs("malleable_share", b.Share, "resize_cost", estimateObject(b.ResizeCost)))
	}
	return output.Pairs("baseline", output.Pairs("policy", f.easy.Policy.String(), measure.MeanResponseTime, response(f.easy)),
		"forecast", rows, "breakeven", costs)
}

// Decision returns what JSON has of the decision: whether resizing pays, from which share of malleable jobs on, and why.
func (f *Forecast) Decision() output.Object {
	answer, from := replay.ResizingPays(f.runs)
	o := output.Pairs("resizing_pays", string(answer))
	if from != nil {
		o.Add("from_share", from.Share)
	}
	o.Add("because", f.Sentences())
	return o
}
