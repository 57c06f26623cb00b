package studycmd

import (
	"math"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/reportcmd"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
)

// answer is what the study found out, in sentences.
type answer struct {
	log, logMore     []string // of the log: whether resizing pays, and which policies are best
	chain, chainMore []string // of the chain: its decision, and what there is to say for and against it
}

// all returns all sentences: the sentences about the log, then the sentences about the chain.
func (a *answer) all() []string { return slices.Concat(a.log, a.logMore, a.chain, a.chainMore) }

// newAnswer returns the answer of the log and that of the chain.
func (s *work) newAnswer() *answer {
	leads, bullets := s.solved.Sentences()
	if len(leads) > 0 {
		leads[0] = "The chain says of the same machine, if jobs were independent: " + strings.ToLower(leads[0][:1]) + leads[0][1:]
	}
	a := &answer{log: s.forecast.Sentences()}
	if text := s.explained.Agreement(); text != "" {
		leads = append(leads, text)
	}
	matter := []policy.Policy{policy.Dynamic{}}
	if b := s.solved.Own.Best; b != nil {
		matter = append(matter, b.Policy)
	}
	for _, p := range matter {
		if text := s.explained.Away(p); text != "" {
			bullets = append(bullets, text)
		}
	}
	for _, note := range s.beside.Notes {
		if strings.HasPrefix(note, "Best policy") {
			a.logMore = append(a.logMore, note)
		}
	}
	if s.resampled != nil {
		bullets = append(bullets, s.certainty.Notes...)
	}
	var violated []string
	for _, a := range s.log.Statistics.Assumptions {
		if a.Verdict == workload.Violated {
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
func (s *work) writePage() error {
	s.answer = s.newAnswer()
	a := s.answer
	return s.solved.Write(s.page, s.draft.Title, []reportcmd.Part{
		{Title: "In short", Lead: a.log, Table: s.forecast.Table(), Assumed: s.assumed(), Bullets: a.logMore},
		{Title: "If jobs were independent", Lead: a.chain, Bullets: a.chainMore, Figures: s.solved.Figures()},
		{Title: "If the assumptions are wrong", Result: s.guessed},
	}, []reportcmd.Part{
		{Title: "On the log, job by job", Result: s.explained.Result()},
		{Title: "Beside EASY backfilling", Result: s.beside},
		{Title: "How sure", Result: s.certainty},
		{Title: "The log", Figures: []*chart.Figure{s.log.Figure()}, Result: s.log.Result()},
		{Title: "What was fitted", Figures: []*chart.Figure{s.fits()}},
		{Title: "Simulation of the model", Result: s.simulation},
	})
}

// result is what is printed. Its tables are those of the forecast and of the guesses.
func (s *work) result() *output.Result {
	r := &output.Result{Object: output.Object{{Name: "version", Value: output.Version}, {Name: "page", Value: s.page},
		{Name: "model", Value: s.base + ".yaml"}, {Name: "jobs", Value: s.base + ".swf"}}, Notes: s.answer.all(), Assumed: s.assumed()}
	if table := s.forecast.Table(); table != nil {
		r.List(table)
	}
	s.summary(&r.Object)
	r.Add("answer", s.answer.all())
	r.Add("log", s.log.Result())
	r.Add("what_no_log_tells", s.guessed.Object)
	r.Add("simulation", s.simulation)
	r.Add("replay", s.beside)
	r.Add("assumptions", s.explained.Result())
	r.Add("certainty", output.When(s.samples > 0, s.certainty))
	return r
}

// curvePoints is the number of points of a curve of a distribution.
const curvePoints = 60

// fits draws the distributions of the model beside those of the log: the share of values beyond each.
func (s *work) fits() *chart.Figure {
	system := s.file.System
	gaps, _ := workload.Interarrivals(s.log.Jobs)
	works, _, err := workload.Works(s.log.Jobs, system.Speedup)
	if err != nil {
		works = nil // the model, which needs them, was fitted
	}
	f := &chart.Figure{Heading: "What was fitted", Series: []string{"log", "model"}}
	for _, q := range []struct {
		title  string
		values []float64
		beyond func(float64) float64
	}{{"Times between submissions", gaps, system.Arrivals.Interarrival().Survival},
		{"Work, run time on one node", works, system.Demand.Survival}} {
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
	var policies []output.Object
	for _, p := range s.compared {
		v := input.PolicyObject(p)
		v.Add("predicted", s.solved.Own.Of(p).Measures.MeanResponseTime)
		v.Add("simulated", s.simulated(p))
		if i := slices.Index(s.explained.Policies, p); i >= 0 {
			v.Add("replayed", output.Object{{Name: "mean", Value: s.explained.Replayed.Means[i]}})
		}
		policies = append(policies, v)
	}
	o.Add("policies", policies)
	for _, run := range s.replayed {
		if run.Baseline == nil {
			o.Add("easy", output.Object{{Name: "replayed", Value: output.Object{{Name: "mean", Value: run.Measures[measure.MeanResponseTime]}}}})
		}
	}
	decision := append(s.forecast.Decision(), s.explained.Decision()...)
	if s.resampled != nil {
		decision.Add("probability_dynamic_wins", s.resampled.ProbabilityDynamic)
	}
	decision.Add("because", s.explained.Effects().Objects())
	o.Add("decision", decision)
}

// simulated returns the mean response time of a policy on whole nodes, or on average partitions where those are whole, and
// half of its interval; nil if the policy was not simulated.
func (s *work) simulated(p policy.Policy) any {
	for _, run := range slices.Backward(s.simulations) {
		if e, ok := run.Measure(measure.MeanResponseTime); ok && run.Policy == p {
			return output.Object{{Name: "mean", Value: e.Mean}, {Name: "half_width", Value: e.HalfWidth}}
		}
	}
	return nil
}
