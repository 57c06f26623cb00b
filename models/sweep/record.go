package sweep

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/words"
)

// pointRecord is a point as a journal keeps it: all of it, so that a result made from records is the same to the byte.
type pointRecord struct {
	Series      string         `json:"series"`
	Load        float64        `json:"load"`
	ArrivalRate float64        `json:"arrival_rate"`
	Results     []solvedRecord `json:"results"`
	// Resized is dynamic partitioning if only the resized jobs stop.
	Resized *solvedRecord `json:"resized,omitempty"`
}

// solvedRecord is a solved policy, or why it is not solved.
type solvedRecord struct {
	Policy   string // as flags write it
	Measures models.Measures
	Warnings []string `json:",omitempty"` // of the measures, as text
	TooLarge bool     `json:",omitempty"`
	Error    string   `json:",omitempty"`
	// UnknownPerLevel says that the error per level is +Inf, which JSON lacks: memory was short for levels far out.
	UnknownPerLevel bool `json:",omitempty"`
}

// innerPackage matches names of packages within a message.
var innerPackage = regexp.MustCompile(`: ((models|decide|phasetype|markov|multiserver): )+`)

// newRecord returns point i as a record; a value that is no number makes it one of a failure. Of a point of which some
// policies failed it keeps the others beside the error.
func newRecord(i int, p *decide.Point) Record {
	out := Record{Point: i}
	if p.Err != nil {
		out.Error, out.ShortOf = innerPackage.ReplaceAllString(p.Err.Error(), ": "), shortOf(p.Err)
		if short := (*parallel.LimitError)(nil); out.ShortOf == shortOfMemory && errors.As(p.Err, &short) {
			out.Enough = short.Enough()
		}
		if len(p.Decision.Results) == 0 {
			return out
		}
	}
	r := pointRecord{Series: p.Series, Load: p.Load, ArrivalRate: p.ArrivalRate}
	for i := range p.Decision.Results {
		r.Results = append(r.Results, newSolvedRecord(&p.Decision.Results[i]))
	}
	if other := p.Resized; other != nil {
		r.Resized = &solvedRecord{}
		if other.Err != nil {
			r.Resized.TooLarge, r.Resized.Error = errors.Is(other.Err, markov.ErrTooLarge), other.Err.Error()
		} else {
			*r.Resized = newSolvedRecord(other.Decision.Of(policy.Dynamic{}))
		}
	}
	var err error
	if out.Value, err = json.Marshal(r); err != nil {
		return Record{Point: i, Error: p.Series + ": " + err.Error()}
	}
	return out
}

// The resources that a point can be short of, as records name them.
const (
	shortOfMemory = "memory"
	shortOfTime   = "time"
)

// shortOf names what a point takes too much of, as its error says; "" if the point failed for another reason.
func shortOf(err error) string {
	switch {
	case errors.Is(err, markov.ErrInaccurate), errors.Is(err, markov.ErrNoConvergence):
		return "" // the error may wrap ErrTooLarge, too: it names the memory of methods that were left out
	case parallel.IsShortOf(err, parallel.Memory):
		return shortOfMemory
	case errors.Is(err, parallel.ErrTooLarge):
		return shortOfTime
	}
	return ""
}

// failure returns the error of a point that failed. It wraps [parallel.ErrTooLarge] if the point takes too much of a resource. Its
// text is that of the record; how much memory is enough, it knows besides.
func (r *Record) failure() error {
	switch r.ShortOf {
	case shortOfMemory:
		return &parallel.LimitError{What: r.Error, Resource: parallel.Memory, All: r.Enough}
	case shortOfTime:
		return &parallel.LimitError{What: r.Error, Resource: parallel.Time}
	}
	return errors.New(r.Error)
}

// newSolvedRecord returns a solved policy as a record, its warnings as text. That a policy is unstable is left out, because
// its measures say so.
func newSolvedRecord(one *decide.Solved) solvedRecord {
	s := solvedRecord{Policy: one.Policy.String(), Measures: one.Measures}
	for _, w := range one.Measures.Diagnostics.Warnings {
		if !errors.Is(w, markov.ErrUnstable) { // the measures say that themselves
			s.Warnings = append(s.Warnings, w.Error())
		}
	}
	d := &s.Measures.Diagnostics
	d.Warnings = nil
	if s.UnknownPerLevel = math.IsInf(d.ErrorPerLevel, 1); s.UnknownPerLevel {
		d.ErrorPerLevel = 0
	}
	return s
}

// belongs returns an error if p does not belong to point i of the study, under which a record holds it. The series, the
// load or the list of policies then differs. expected holds the points of the study. It is nil if the systems of the
// study are not known; loads are then not checked. Points with an error are not checked further.
func (s *Study) belongs(i int, p *decide.Point, expected []decide.Point) error {
	one := &s.Series[i/s.Loads]
	if len(p.Decision.Results) == 0 {
		return nil // a failure has neither series nor load
	}
	if p.Series != one.Name {
		return fmt.Errorf("the record is of series %q, not %q", p.Series, one.Name)
	}
	if expected != nil && (p.Load != expected[i].Load || p.ArrivalRate != expected[i].ArrivalRate) {
		return fmt.Errorf("the record is of load %v and arrival rate %v, not %v and %v", p.Load, p.ArrivalRate, expected[i].Load,
			expected[i].ArrivalRate)
	}
	if p.Err != nil {
		return nil // some policies may be missing
	}
	got, want := resultPolicies(p), s.policiesOf(i/s.Loads)
	if want != nil && !slices.Equal(got, want) {
		return fmt.Errorf("the record holds the policies %s, not %s", strings.Join(got, ", "), strings.Join(want, ", "))
	}
	return nil
}

// policiesOf returns the policies of each point of a series, as flags write them. They are the policies to solve. If
// the systems are not known, because the points come from shards, they are the policies of a solved point. It is nil if
// no point of the series is solved.
func (s *Study) policiesOf(series int) []string {
	if s.Sweep != nil {
		one := &s.Sweep.Series[series]
		if one.Policies == nil {
			return words.Texts(policy.Candidates(one.System.Machine()), policy.Policy.String)
		}
		return words.Texts(one.Policies, policy.Policy.String)
	}
	points := s.Of(series)
	solved := slices.IndexFunc(points, func(p decide.Point) bool { return p.Done && p.Err == nil })
	if solved < 0 {
		return nil
	}
	return resultPolicies(&points[solved])
}

// resultPolicies returns the policies of the results of a point, as flags write them.
func resultPolicies(p *decide.Point) []string {
	return words.Texts(p.Decision.Results, func(r decide.Solved) string { return r.Policy.String() })
}

// wrongMeasures returns an error if no solution of a policy at an arrival rate can have the measures m. The arrival rates and the
// traffic intensity must be positive, and the measures of a stable policy must obey Little's law.
func wrongMeasures(m *models.Measures, rate float64) error {
	const within = 1e-6 // far more than the error of any solution
	switch {
	case !(rate > 0) || !(m.MaxArrivalRate > 0) || !(m.TrafficIntensity > 0):
		return errors.New("the record holds no positive arrival rate, largest stable arrival rate or traffic intensity")
	case m.Stable && !(m.MeanResponseTime > 0 && math.Abs(m.MeanJobs/(rate*m.MeanResponseTime)-1) <= within):
		return fmt.Errorf("the record contradicts Little's law: %v jobs, arrival rate %v, mean response time %v", m.MeanJobs, rate,
			m.MeanResponseTime)
	}
	return nil
}

// pointOf returns the point of a record, done if it was solved, its policies from a table.
func pointOf(table policy.Table, r Record) (decide.Point, error) {
	p := decide.Point{Done: true}
	if r.Error != "" {
		p.Err = r.failure()
		if r.Value == nil {
			return p, nil
		}
	}
	var from pointRecord
	err := json.Unmarshal(r.Value, &from)
	if err == nil && len(from.Results) == 0 {
		err = errors.New("the record holds no results")
	}
	p.Series, p.Load, p.ArrivalRate = from.Series, from.Load, from.ArrivalRate
	solved := func(s *solvedRecord) decide.Solved {
		of, wrong := table.Parse(s.Policy)
		err = cmp.Or(err, wrong, wrongMeasures(&s.Measures, from.ArrivalRate))
		d := &s.Measures.Diagnostics
		if !s.Measures.Stable {
			d.Warnings = append(d.Warnings, s.Measures.Unstable())
		}
		for _, w := range s.Warnings {
			d.Warnings = append(d.Warnings, errors.New(w))
		}
		if s.UnknownPerLevel {
			d.ErrorPerLevel = math.Inf(1)
		}
		return decide.Solved{Policy: of, Measures: s.Measures}
	}
	results := make([]decide.Solved, len(from.Results))
	for i := range from.Results {
		results[i] = solved(&from.Results[i])
	}
	if p.Err != nil { // the best may be among those that failed
		p.Decision = decide.Decision{Results: results}
		return p, err
	}
	p.Decision = decide.NewDecision(results)
	if other := from.Resized; other != nil {
		p.Resized = &decide.Resized{}
		switch {
		case other.TooLarge:
			p.Resized.Err = markov.ErrTooLarge
		case other.Error != "":
			p.Resized.Err = errors.New(other.Error)
		default:
			p.Resized.Decision = p.Decision.With(solved(other))
		}
	}
	return p, err
}
