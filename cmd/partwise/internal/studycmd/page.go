package studycmd

import (
	"fmt"
	"github.com/partwise/partwise/models/words"
	"path/filepath"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/breakevencmd"
	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/replaycmd"
	"github.com/partwise/partwise/cmd/partwise/internal/reportcmd"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/workload/logstats"
)

// title is the name of the log.
func (s *work) title() string {
	if s.inv.Args[0] == "-" {
		return "standard input"
	}
	return strings.TrimSuffix(filepath.Base(s.inv.Args[0]), ".gz")
}

// terms explains the words of the verdict.
const terms = "The time of a job runs from its submission to its end: it is the response time. EASY backfilling is today's rule of batch " +
	"systems: jobs keep the nodes that they ask for, and a job may overtake if that does not delay the first of the queue. Malleable " +
	"jobs are resized while they run. The 90 % interval says how well the jobs of this log determine the number. The 90 % forecast is " +
	"for another stretch of the same length, with the load that it then has: nine of ten such stretches are expected within it."

// assumptions says in words what no log tells.
func (s *work) assumptions() string {
	stopped := "only the resized job stands"
	if s.Stops == models.AllStop {
		stopped = "all jobs stand"
	}
	cost := fmt.Sprintf("A resize takes %s, for which %s still.", replaycmd.TimeWords(s.Cost.Name), stopped)
	if s.Cost.Seconds == 0 {
		cost = "A resize takes no time."
	}
	speedup := replaycmd.SpeedupWords(s.Speedup)
	return fmt.Sprintf("No log tells the following, so it is assumed. %s %s%s. A malleable job runs on %s to %s times the nodes that it asks for.",
		cost, strings.ToUpper(speedup[:1]), speedup[1:], output.Shortest(s.Least), output.Shortest(s.Most))
}

// policies explains the names of the other policies.
const policies = "Names: fcfs starts jobs in the order of their submission; easy is EASY backfilling; dynamic divides all nodes evenly among " +
	"the jobs, and resizes them whenever a job comes or ends; static:K splits the machine into K equal partitions, in each of which " +
	"one job runs at a time."

// tooFew stands where a log has too few jobs to say more.
const tooFew = "The log has too few jobs to tell."

// trend says what break-evens are.
const trend = "Replays go up and down by chance from one time of a resize to the next, and these limits are their trend: a single replay may " +
	"say otherwise."

// breakevens say up to which time of a resize resizing pays.
func (s *work) breakevens() (all []string) {
	if s.forecast.TooFew() {
		return []string{tooFew}
	}
	for _, b := range s.forecast.Breakevens() {
		all = append(all, breakevencmd.Answer(b))
	}
	if all != nil {
		all = append(all, trend)
	}
	return all
}

// rules say by which rules to resize.
func (s *work) rules() []string {
	if s.forecast.TooFew() {
		return []string{tooFew}
	}
	all := []string{"If some jobs are malleable: keep EASY. Shrink malleable jobs to make room for jobs that wait. Let malleable jobs grow onto idle nodes."}
	if s.noAdvice != "" {
		return append(all, "No rule was found for the case that all jobs can be resized to any number of nodes: "+s.noAdvice+".")
	}
	for i, note := range s.advice.Notes {
		if i == 0 {
			note = "If all jobs can be resized to any number of nodes: " + strings.TrimPrefix(note, "The rule: ")
		}
		all = append(all, note)
	}
	return all
}

// others say which policies are best under other assumptions.
func (s *work) others() (all []string) {
	if s.forecast.TooFew() {
		return []string{tooFew}
	}
	if s.noBeside != "" {
		return []string{"Other policies could not be replayed: " + s.noBeside + "."}
	}
	for _, note := range s.beside.Notes {
		if strings.HasPrefix(note, "Best policy") {
			all = append(all, note)
		}
	}
	return all
}

// violated says what the chain assumes and the log violates.
func (s *work) violated() []string {
	var claims []string
	if s.log.Statistics != nil {
		for _, a := range s.log.Statistics.Assumptions {
			if a.Verdict == logstats.Violated {
				claims = append(claims, a.Claim)
			}
		}
	}
	if claims == nil {
		return nil
	}
	return []string{"The log violates what the chain assumes: " + strings.Join(claims, "; ") + "."}
}

// writePage writes the page: the verdict first, then what it depends on, what to do, other policies, the chain, and the log.
func (s *work) writePage() error {
	leads := s.forecast.Sentences()
	short := reportcmd.Part{Title: "Would resizing pay?", Verdict: s.forecast.Verdict(), Terms: []string{terms, s.assumptions()}, Lead: leads[1:],
		Figures: []*chart.Figure{s.forecast.Figure()}, Assumed: s.assumed(), Tables: []*output.List{s.forecast.Table()}}
	for _, t := range s.forecast.Tiles() {
		short.Tiles = append(short.Tiles, reportcmd.Tile{Name: t[0], Value: t[1]})
	}
	flips := reportcmd.Part{Title: "What would change the answer", Tables: []*output.List{s.forecast.Variations()}}
	if text := s.forecast.Flips(); text != "" {
		flips.Lead = []string{text}
	}
	parts := []reportcmd.Part{short,
		{Title: "How long a resize may take", Bullets: s.breakevens()}, flips,
		reportcmd.Part{Title: "What to do", Lead: s.rules()[:1], Bullets: s.rules()[1:]}.Show(tablesOf(s.advice), "The rule in numbers"),
		reportcmd.Part{Title: "Other policies on this log", Terms: []string{policies}, Lead: s.others()}.Show(tablesOf(s.beside),
			"All policies in numbers"),
		s.chainPart(),
		reportcmd.Part{Title: "The log", Figures: []*chart.Figure{s.log.Figure()}}.Show(s.log.Result(), "The log in numbers")}
	jobs := words.Count(s.log.Jobs.Len(), "job")
	if n := s.log.Jobs.Len(); n >= 1000 {
		jobs = output.Thousands(float64(n)) + " jobs"
	}
	title := fmt.Sprintf("%s: %s on %s", s.title(), jobs, words.Count(s.selected.Nodes, "node"))
	return reportcmd.WritePage(s.page, title, parts, s.sources(), s.command())
}

// tablesOf returns a result without its sentences, which stand elsewhere.
func tablesOf(r *output.Result) *output.Result {
	if r == nil {
		return nil
	}
	return &output.Result{Object: r.Object}
}

// answer is what the study found out, in sentences.
func (s *work) answer() []string {
	all := s.forecast.Sentences()
	if !s.forecast.TooFew() {
		all = append(all, s.breakevens()...)
		if text := s.forecast.Flips(); text != "" {
			all = append(all, text)
		}
		all = append(append(all, s.rules()[:min(2, len(s.rules()))]...), s.others()...)
	}
	part := s.chainPart()
	return append(append(all, part.Lead...), part.Bullets...)
}

// result is what is printed. Its tables are those of the forecast and of the other assumptions.
func (s *work) result() *output.Result {
	r := &output.Result{Object: output.Pairs("version", output.Version, "page", s.page), Notes: s.answer(), Assumed: s.assumed()}
	for _, name := range s.sources() {
		r.Add(map[string]string{".yaml": "model", ".swf": "jobs"}[filepath.Ext(name)], filepath.Join(filepath.Dir(s.base), name))
	}
	r.List(s.forecast.Table())
	r.Add("machine", output.Pairs("nodes", s.selected.Nodes, "min_nodes", max(1, s.Unit)))
	r.Add("load", s.selected.Load())
	r.Object = append(r.Object, s.forecast.Object()...)
	r.List(s.forecast.Variations())
	r.Add("decision", s.forecast.Decision())
	r.Result("advice", s.advice)
	r.Object = append(r.Object, s.chain.object()...)
	r.Add("answer", s.answer())
	r.Result("log", s.log.Result())
	r.Result("replay", s.beside)
	return r
}
