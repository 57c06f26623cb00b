package studycmd

import (
	"math"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/model"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/reportcmd"
	"github.com/partwise/partwise/cmd/partwise/internal/validatecmd"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/logstats"
)

// answer is what the study found out, in sentences.
type answer struct {
	log, logMore     []string // of the log: whether resizing pays, and which policies are best
	chain, chainMore []string // of the chain: its decision, and what there is to say for and against it
}

// all returns all sentences: the sentences about the log, then the sentences about the chain.
func (a *answer) all() []string { return slices.Concat(a.log, a.logMore, a.chain, a.chainMore) }

// answer returns the answer of the log and that of the chain.
func (s *work) answer() *answer {
	leads, bullets := s.solved.Sentences()
	if len(leads) > 0 {
		leads[0] = "The chain says of the same machine, if jobs were independent: " + strings.ToLower(leads[0][:1]) + leads[0][1:]
	}
	a := &answer{log: s.forecast.Sentences()}
	best := ""
	if b := s.solved.Own.Best; b != nil {
		best = b.Policy.String()
	}
	for _, note := range s.found[partLogs].Notes { // of absolute times, those of the policies that matter
		who, _, _ := strings.Cut(note, " ")
		switch {
		case strings.HasPrefix(note, validatecmd.Agreement):
			leads = append(leads, note)
		case strings.Contains(note, "do not rely") && (who == policy.Dynamic{}.Name() || who == best):
			bullets = append(bullets, note)
		}
	}
	for _, note := range s.found[partEASY].Notes {
		if strings.HasPrefix(note, "Best policy") {
			a.logMore = append(a.logMore, note)
		}
	}
	for _, note := range s.found[partBootstrap].Notes {
		if strings.Contains(note, "samples of the measurements") {
			bullets = append(bullets, note)
		}
	}
	var violated []string
	for _, a := range s.log.Statistics.Assumptions {
		if a.Verdict == logstats.Violated {
			violated = append(violated, a.Claim)
		}
	}
	if len(violated) > 0 {
		bullets = append(bullets, "The log violates what the chain assumes: "+strings.Join(violated, "; ")+".")
	}
	a.chain, a.chainMore = leads, bullets
	return a
}

// writePage writes the page: the answers of the log and of the chain, the other assumptions, the results of the model, and what
// the other parts found.
func (s *work) writePage(a *answer) error {
	return s.solved.Write(s.page, s.draft.Title, []reportcmd.Part{
		{Title: "In short", Lead: a.log, Table: s.forecast.Table(), Assumed: s.assumed(), Bullets: a.logMore},
		{Title: "If jobs were independent", Lead: a.chain, Bullets: a.chainMore, Figures: s.solved.Figures()},
		{Title: "If the assumptions are wrong", Result: s.found[partGuesses]},
	}, []reportcmd.Part{
		{Title: "On the log, job by job", Result: s.found[partLogs]},
		{Title: "Beside EASY backfilling", Result: s.found[partEASY]},
		{Title: "How sure", Result: s.found[partBootstrap]},
		{Title: "The log", Figures: s.pictures[partLog], Result: s.found[partLog]},
		{Title: "What was fitted", Figures: s.pictures[partModel]},
		{Title: "Simulation of the model", Result: s.found[partSimulation]},
	})
}

// result is what is printed. Its tables are those of the forecast and of the guesses.
func (s *work) result(a *answer) *output.Result {
	r := &output.Result{Object: output.Object{{Name: "version", Value: output.Version}, {Name: "page", Value: s.page},
		{Name: "model", Value: s.base + ".yaml"}, {Name: "jobs", Value: s.base + ".swf"}}, Notes: a.all(), Assumed: s.assumed()}
	if table := s.forecast.Table(); table != nil {
		r.List(table)
	}
	s.summary(&r.Object)
	r.Add("answer", a.all())
	r.Add("log", s.found[partLog])
	r.Add("what_no_log_tells", s.found[partGuesses].Object)
	r.Add("simulation", s.found[partSimulation])
	r.Add("replay", s.found[partEASY])
	r.Add("assumptions", s.found[partLogs])
	r.Add("certainty", output.When(s.samples > 0, s.found[partBootstrap]))
	return r
}

// curvePoints is the number of points of a curve of a distribution.
const curvePoints = 60

// fits draws the distributions of the model beside those of the log: the share of values beyond each.
func (s *work) fits(file *modelfile.Model) *chart.Figure {
	gaps, _ := workload.Interarrivals(s.log.Jobs)
	works, _, err := workload.Works(s.log.Jobs, file.System.Speedup)
	if err != nil {
		works = nil // the model, which needs them, was fitted
	}
	f := &chart.Figure{Heading: "What was fitted", Series: []string{"log", "model"}}
	for _, q := range []struct {
		title  string
		values []float64
		beyond func(float64) float64
	}{{"Times between submissions", gaps, file.System.Arrivals.Interarrival().Survival},
		{"Work, run time on one node", works, file.System.Demand.Survival}} {
		values := slices.DeleteFunc(slices.Clone(q.values), func(x float64) bool { return !(x > 0) })
		slices.Sort(values)
		p := chart.Panel{Title: q.title, XLabel: "t [s]", YLabel: "share beyond t", MayLog: true, MayLogX: true}
		logged, fitted := chart.Line{Dots: true}, chart.Line{Series: 1}
		if n := len(values); n > 1 {
			low, high := max(1, values[0]), max(2, values[n-1])
			for i := range curvePoints {
				t := low * math.Pow(high/low, float64(i)/(curvePoints-1))
				k, _ := slices.BinarySearch(values, math.Nextafter(t, math.Inf(1)))
				if beyond := float64(n-k) / float64(len(q.values)); beyond > 0 {
					logged.X, logged.Y = append(logged.X, t), append(logged.Y, beyond)
				}
				if beyond := q.beyond(t); beyond > 0.1/float64(n) {
					fitted.X, fitted.Y = append(fitted.X, t), append(fitted.Y, beyond)
				}
			}
		}
		p.Lines = []chart.Line{logged, fitted}
		f.Panels = append(f.Panels, p)
	}
	return f
}

// summary adds what programs ask for most, from the results of the parts: of each policy what the chain predicts, what
// simulation of the model on whole nodes gives, and what the log itself; then the decisions of both and why they differ.
func (s *work) summary(o *output.Object) {
	m := s.file.System.Machine()
	o.Add("machine", output.Object{{Name: "nodes", Value: m.Nodes}, {Name: "min_nodes", Value: m.Unit},
		{Name: "partitions", Value: m.Partitions()}})
	o.Add("load", s.file.System.Load())
	*o = append(*o, s.forecast.Object()...)
	explained := s.found[partLogs].Object
	var policies []output.Object
	for _, p := range s.compared {
		v := model.PolicyObject(p)
		v.Add("predicted", s.solved.Own.Of(p).Measures.MeanResponseTime)
		if simulated, ok := s.simulated(p); ok {
			v.Add("simulated", simulated)
		}
		if row, ok := rowOf(list(explained, "log", "policies"), p); ok {
			v.Add("replayed", output.Object{{Name: "mean", Value: at(row, "replayed")}})
		}
		policies = append(policies, v)
	}
	o.Add("policies", policies)
	for _, run := range s.replayed {
		if run.Baseline == nil {
			o.Add("easy", output.Object{{Name: "replayed", Value: output.Object{{Name: "mean", Value: run.Measures[measure.MeanResponseTime]}}}})
		}
	}
	decision, _ := at(explained, "log", "decision").(output.Object)
	decision = append(s.forecast.Decision(), decision...)
	if p := at(s.found[partBootstrap].Object, "bootstrap", "probability_dynamic_wins"); p != nil {
		decision.Add("probability_dynamic_wins", p)
	}
	decision.Add("because", list(explained, "log", "because"))
	o.Add("decision", decision)
}

// simulated returns the mean response time of a policy on whole nodes, or on average partitions where those are whole, and
// its interval.
func (s *work) simulated(p policy.Policy) (found output.Object, ok bool) {
	for _, row := range list(s.found[partSimulation].Object, "simulations") {
		if _, same := rowOf([]output.Object{row}, p); same {
			found, ok = at(row, "measures", measure.MeanResponseTime).(output.Object)
			if at(row, "fidelity") == "machine" {
				break
			}
		}
	}
	if !ok {
		return nil, false
	}
	return output.Object{{Name: "mean", Value: at(found, "mean")}, {Name: "half_width", Value: at(found, "half_width")}}, true
}

// rowOf returns the row of a policy.
func rowOf(rows []output.Object, p policy.Policy) (output.Object, bool) {
	for _, row := range rows {
		same := true
		for _, f := range model.PolicyObject(p) {
			same = same && at(row, f.Name) == f.Value
		}
		if same {
			return row, true
		}
	}
	return nil, false
}

// list returns what is found along a path of names; nil where it is no list.
func list(o output.Object, path ...string) []output.Object {
	switch rows := at(o, path...).(type) {
	case []output.Object:
		return rows
	case *output.List:
		return rows.Objects()
	}
	return nil
}

// at returns what is found along a path of names, nil if there is nothing.
func at(o output.Object, path ...string) any {
	for _, f := range o {
		if f.Name != path[0] {
			continue
		}
		if len(path) == 1 {
			return f.Value
		}
		if next, ok := f.Value.(output.Object); ok {
			return at(next, path[1:]...)
		}
	}
	return nil
}
