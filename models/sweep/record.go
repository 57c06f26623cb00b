package sweep

import (
	"encoding/json"
	"errors"
	"regexp"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/policy"
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
}

// innerPackage matches names of packages within a message.
var innerPackage = regexp.MustCompile(`: ((models|decide|phasetype|markov|multiserver): )+`)

// newRecord returns point i as a record; a value that is no number makes it one of a failure. Of a point of which some
// policies failed it keeps the others beside the error.
func newRecord(i int, p *decide.Point) Record {
	out := Record{Point: i}
	if p.Err != nil {
		out.Error = innerPackage.ReplaceAllString(p.Err.Error(), ": ")
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

// newSolvedRecord returns a solved policy as a record, its warnings as text. That a policy is unstable is left out, because
// its measures say so.
func newSolvedRecord(one *decide.Solved) solvedRecord {
	s := solvedRecord{Policy: one.Policy.String(), Measures: one.Measures}
	for _, w := range one.Measures.Diagnostics.Warnings {
		if !errors.Is(w, markov.ErrUnstable) { // the measures say that themselves
			s.Warnings = append(s.Warnings, w.Error())
		}
	}
	s.Measures.Diagnostics.Warnings = nil
	return s
}

// pointOf returns the point of a record, done if it was solved, its policies from a table.
func pointOf(table policy.Table, r Record) (decide.Point, error) {
	p := decide.Point{Done: true}
	if r.Error != "" {
		p.Err = errors.New(r.Error)
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
		err = errors.Join(err, wrong)
		d := &s.Measures.Diagnostics
		if !s.Measures.Stable {
			d.Warnings = append(d.Warnings, s.Measures.Unstable())
		}
		for _, w := range s.Warnings {
			d.Warnings = append(d.Warnings, errors.New(w))
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
