package study

import (
	"encoding/json"
	"errors"
	"regexp"

	"github.com/partwise/partwise/cmd/partwise/internal/journal"
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
}

type solvedRecord struct {
	Policy   string // as flags write it
	Measures models.Measures
	Warnings []string `json:",omitempty"` // of the measures, as text
}

// innerPackage matches names of packages within a message.
var innerPackage = regexp.MustCompile(`: ((models|decide|phasetype|markov|multiserver): )+`)

// newRecord returns point i as a record; a value that is no number makes it one of a failure.
func newRecord(i int, p *decide.Point) journal.Record {
	if p.Err != nil {
		return journal.Record{Point: i, Error: innerPackage.ReplaceAllString(p.Err.Error(), ": ")}
	}
	r := pointRecord{Series: p.Series, Load: p.Load, ArrivalRate: p.ArrivalRate}
	for _, one := range p.Decision.Results {
		s := solvedRecord{Policy: one.Policy.String(), Measures: one.Measures}
		for _, w := range one.Measures.Diagnostics.Warnings {
			if !errors.Is(w, markov.ErrUnstable) { // the measures say that themselves
				s.Warnings = append(s.Warnings, w.Error())
			}
		}
		s.Measures.Diagnostics.Warnings = nil
		r.Results = append(r.Results, s)
	}
	value, err := json.Marshal(r)
	if err != nil {
		return journal.Record{Point: i, Error: p.Series + ": " + err.Error()}
	}
	return journal.Record{Point: i, Value: value}
}

// point returns the point of a record, done if it was solved, its policies from a table.
func point(table policy.Table, r journal.Record) (decide.Point, error) {
	if r.Error != "" {
		return decide.Point{Err: errors.New(r.Error), Done: true}, nil
	}
	var from pointRecord
	if err := json.Unmarshal(r.Value, &from); err != nil {
		return decide.Point{}, err
	}
	p := decide.Point{Series: from.Series, Load: from.Load, ArrivalRate: from.ArrivalRate, Done: true}
	results := make([]decide.Solved, len(from.Results))
	for i, s := range from.Results {
		of, err := table.Parse(s.Policy)
		if err != nil {
			return decide.Point{}, err
		}
		d := &s.Measures.Diagnostics
		if !s.Measures.Stable {
			d.Warnings = append(d.Warnings, s.Measures.Unstable())
		}
		for _, w := range s.Warnings {
			d.Warnings = append(d.Warnings, errors.New(w))
		}
		results[i] = decide.Solved{Policy: of, Measures: s.Measures}
	}
	p.Decision = decide.NewDecision(results)
	return p, nil
}
