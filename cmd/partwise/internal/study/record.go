package study

import (
	"encoding/json"
	"errors"
	"regexp"

	"github.com/partwise/partwise/cmd/partwise/internal/journal"
	"github.com/partwise/partwise/models"
)

// pointRecord is a point as a journal keeps it: all of it, so that a result made from records is the same to the byte.
type pointRecord struct {
	Series      string         `json:"series"`
	Load        float64        `json:"load"`
	ArrivalRate float64        `json:"arrival_rate"`
	Results     []solvedRecord `json:"results"`
}

type solvedRecord struct {
	models.Policy
	Measures models.Measures
	Warnings []string `json:",omitempty"` // of the measures, as text
}

// innerPackage matches names of packages within a message.
var innerPackage = regexp.MustCompile(`: ((models|phasetype|markov): )+`)

// newRecord returns point i as a record; a value that is no number makes it one of a failure.
func newRecord(i int, p *models.Point) journal.Record {
	if p.Err != nil {
		return journal.Record{Point: i, Error: innerPackage.ReplaceAllString(p.Err.Error(), ": ")}
	}
	r := pointRecord{Series: p.Series, Load: p.Load, ArrivalRate: p.ArrivalRate}
	for _, one := range p.Decision.Results {
		s := solvedRecord{Policy: one.Policy, Measures: one.Measures}
		for _, w := range one.Measures.Diagnostics.Warnings {
			s.Warnings = append(s.Warnings, w.Error())
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

// point returns the point of a record, done if it was solved.
func point(r journal.Record) (models.Point, error) {
	if r.Error != "" {
		return models.Point{Err: errors.New(r.Error), Done: true}, nil
	}
	var from pointRecord
	if err := json.Unmarshal(r.Value, &from); err != nil {
		return models.Point{}, err
	}
	p := models.Point{Series: from.Series, Load: from.Load, ArrivalRate: from.ArrivalRate, Done: true}
	results := make([]models.Solved, len(from.Results))
	for i, s := range from.Results {
		results[i] = models.Solved{Policy: s.Policy, Measures: s.Measures}
		for _, w := range s.Warnings {
			d := &results[i].Measures.Diagnostics
			d.Warnings = append(d.Warnings, errors.New(w))
		}
	}
	p.Decision = models.NewDecision(results)
	return p, nil
}
