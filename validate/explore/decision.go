package explore

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/words"
)

// Decision is the answer of the command solve.
type Decision struct {
	Sentences []string `json:"sentences"`
	Winner    string   `json:"winner"` // dynamic, static, or "" if neither is faster in practice
	// Rigid is the response time of rigid jobs in their order over the response time of dynamic partitioning; 0 if there are no rigid
	// jobs.
	Rigid       float64 `json:"rigid,omitempty"`
	ArrivalRate float64 `json:"arrival_rate"`
	Results     []row   `json:"results"`
	Best        int     `json:"best,omitempty"` // partitions
	Ratio       float64 `json:"ratio,omitempty"`
	TimeUnit    string  `json:"time_unit"`
	Load        float64 `json:"load"`
	Partitions  int     `json:"partitions"`
	File        string  `json:"file"` // the model, for the command
	// Grade is the grade of the model that was solved. Approximate says what the grade leaves out; "" if it leaves nothing out.
	Grade       int    `json:"grade"`
	Approximate string `json:"approximate,omitempty"`
}

// row is the solution of one policy. Measures has the measures that exist for the policy, by their names.
type row struct {
	Policy     string             `json:"policy"`
	Partitions int                `json:"partitions,omitempty"`
	Stable     bool               `json:"stable"`
	Digits     int                `json:"digits,omitempty"` // correct decimal digits of the mean response time
	Measures   map[string]float64 `json:"measures"`
	Warnings   []string           `json:"warnings,omitempty"`
}

// decision answers the question "decision" soon: exactly, or in the finest grade that is solved within the limit; see
// [Question.solveSoon].
func decision(ctx context.Context, q *Question, file *modelfile.Model) (any, error) {
	d, of, at, err := q.solveSoon(ctx, file)
	if err != nil {
		return nil, err
	}
	return q.newDecision(file, of, &d, at)
}

// exact answers the question "exact": the decision about the model itself. The error says that the solution takes
// longer than the limit, or comes from the solution.
func exact(ctx context.Context, q *Question, file *modelfile.Model) (any, error) {
	d, err := solve(within(ctx, q.Limit), file)
	if errors.Is(err, errSlow) {
		return nil, fmt.Errorf("it takes longer than %v s here", q.Limit/1000)
	}
	if err != nil {
		return nil, err
	}
	return q.newDecision(file, file, &d, 0)
}

// newDecision returns the answer with decision d about the model file. The decision was made about of, which is this
// model in grade at. The error is that the model cannot be written as a file.
func (q *Question) newDecision(file, of *modelfile.Model, d *decide.Decision, at int) (*Decision, error) {
	var text strings.Builder
	if err := modelfile.WriteModel(&text, file); err != nil {
		return nil, err
	}
	omitted := of.System.Rigid() && d.Of(policy.FCFS{}) == nil
	out := &Decision{Sentences: q.words.decision(of, d, omitted), Winner: winners[d.Compare().Winner], Ratio: d.Ratio,
		TimeUnit: file.TimeUnit.Name, Rigid: d.CompareWith(policy.FCFS{}).Ratio,
		ArrivalRate: of.System.Arrivals.Rate(), Load: of.System.Load(), Partitions: file.System.Partitions(),
		File: text.String(), Grade: at, Approximate: grades[at].text}
	if d.Best != nil {
		out.Best = d.Best.Partitions()
	}
	for i := range d.Results {
		out.Results = append(out.Results, newRow(&d.Results[i]))
	}
	return out, nil
}

// solve solves what [policies] returns. The command solve has the same policies. The error comes from [decide.Solve]; it is
// errSlow after a deadline of [within].
func solve(ctx context.Context, file *modelfile.Model) (decide.Decision, error) {
	return decide.Solve(ctx, file.System, policies(ctx, file.System), settings(), 0)
}

// mostRigidSeconds bounds the time in which a processor solves the chain of rigid jobs beside the others.
const mostRigidSeconds = 1

// policies returns the policies of [decide.Candidates], but fcfs only if its chain is small.
func policies(ctx context.Context, s *models.System) []policy.Policy {
	all, _ := decide.Candidates(ctx, s, settings())
	last := len(all) - 1
	if all[last] != (policy.FCFS{}) {
		return all
	}
	if seconds, err := decide.Seconds(ctx, s, all[last:], settings()); err != nil || seconds > mostRigidSeconds {
		return all[:last]
	}
	return all
}

// winners are the ways that may be faster, as the page calls them.
var winners = map[decide.Winner]string{decide.DynamicWins: "dynamic", decide.RivalWins: "static"}

// newRow returns the row of a solved policy. An unstable policy has the measures that exist nevertheless, such as its traffic
// intensity.
func newRow(r *decide.Solved) row {
	m := &r.Measures
	out := row{Policy: r.Policy.String(), Partitions: r.Partitions(), Stable: m.Stable, Measures: map[string]float64{}}
	for _, q := range models.Table() {
		if v, ok := m.Of(q.Name); ok {
			out.Measures[q.Name] = v
		}
	}
	if m.Stable {
		out.Digits = m.Diagnostics.Digits()
		out.Warnings = words.Texts(r.Warnings(), error.Error)
	}
	return out
}

// Cooldown is the answer about resizing less often.
type Cooldown struct {
	Sentence string `json:"sentence"`
	Result   row    `json:"result"`
}

// cooldown solves the policy with a cooldown and compares it with dynamic partitioning.
func cooldown(ctx context.Context, q *Question, file *modelfile.Model) (any, error) {
	if q.Cooldown == 0 {
		return nil, nil
	}
	p, err := policy.Standard().Parse(fmt.Sprintf("smoothing:%v", q.Cooldown))
	if err != nil {
		return nil, err
	}
	d, err := decide.Solve(ctx, file.System, []policy.Policy{p, policy.Dynamic{}}, settings(), 0)
	if err != nil {
		return nil, err
	}
	with, without := &d.Results[0], &d.Results[1]
	return &Cooldown{q.words.cooldown(q.Cooldown, file.TimeUnit.Name, with, without), newRow(with)}, nil
}

// point holds the solutions at one load of a curve. Times are in the time unit of the model. Values that do not exist at the load
// are 0.
type point struct {
	Load          float64 `json:"load"`
	Dynamic       float64 `json:"dynamic,omitempty"` // mean response times
	Static        float64 `json:"static,omitempty"`  // of the best split
	Partitions    int     `json:"partitions,omitempty"`
	Ratio         float64 `json:"ratio,omitempty"`
	Rigid         float64 `json:"rigid,omitempty"`         // mean response time of rigid jobs in their order
	RigidRatio    float64 `json:"rigid_ratio,omitempty"`   // Rigid over Dynamic
	Repartitioned float64 `json:"repartitioned,omitempty"` // probability
}

// curve answers the question "curve": the solutions at the loads of the question, in its grade, as a list of [point]. The error names
// the load at which a solution failed.
func curve(ctx context.Context, q *Question, file *modelfile.Model) (any, error) {
	of, err := coarser(file, min(max(0, q.Grade), len(grades)-1))
	if err != nil {
		return nil, err
	}
	sweep := decide.Sweep{Series: []decide.Series{{Name: file.Title, System: of.System,
		Policies: policies(ctx, of.System)}}, Loads: q.Loads, Settings: settings()}
	points, err := sweep.Solve(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]point, len(points))
	for i := range points {
		if points[i].Err != nil {
			return nil, fmt.Errorf("at load %.4g: %w", points[i].Load, points[i].Err)
		}
		out[i] = newPoint(&points[i])
	}
	return out, nil
}

// newPoint returns the point of a curve for the solutions at one load, which must have no error.
func newPoint(p *decide.Point) point {
	out := point{Load: p.Load, Ratio: p.Decision.Ratio}
	rigid := p.Decision.CompareWith(policy.FCFS{})
	out.RigidRatio = rigid.Ratio
	if rigid.Rival != nil {
		out.Rigid = rigid.Rival.Measures.MeanResponseTime
	}
	if best := p.Decision.Best; best != nil {
		out.Static, out.Partitions = best.Measures.MeanResponseTime, best.Partitions()
	}
	if d := p.Decision.Of(policy.Dynamic{}); d != nil && d.Measures.Stable {
		out.Dynamic = d.Measures.MeanResponseTime
		if r := d.Measures.Repartitions; r != nil {
			out.Repartitioned = r.Probability
		}
	}
	return out
}
