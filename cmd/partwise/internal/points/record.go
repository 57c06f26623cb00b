package points

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
	Resized     *resizedRecord `json:"resized,omitempty"`
}

// resizedRecord is what dynamic partitioning does if only the resized jobs stop, or why that is not known.
type resizedRecord struct {
	Dynamic  *solvedRecord `json:"dynamic,omitempty"`
	TooLarge bool          `json:"too_large,omitempty"`
	Error    string        `json:"error,omitempty"`
}

type solvedRecord struct {
	Policy   string // as flags write it
	Measures models.Measures
	Warnings []string `json:",omitempty"` // of the measures, as text
}

// innerPackage matches names of packages within a message.
var innerPackage = regexp.MustCompile(`: ((models|decide|phasetype|markov|multiserver): )+`)

// newRecord returns point i as a record; a value that is no number makes it one of a failure. Of a point of which some policies
// failed it keeps the others beside the error.
func newRecord(i int, p *decide.Point) journal.Record {
	out := journal.Record{Point: i}
	if p.Err != nil {
		out.Error = innerPackage.ReplaceAllString(p.Err.Error(), ": ")
		if len(p.Decision.Results) == 0 {
			return out
		}
	}
	r := pointRecord{Series: p.Series, Load: p.Load, ArrivalRate: p.ArrivalRate}
	for i := range p.Decision.Results {
		r.Results = append(r.Results, solved(&p.Decision.Results[i]))
	}
	if other := p.Resized; other != nil {
		r.Resized = &resizedRecord{}
		if other.Err != nil {
			r.Resized.TooLarge, r.Resized.Error = errors.Is(other.Err, models.ErrTooLarge), other.Err.Error()
		} else {
			one := solved(other.Decision.Of(policy.Dynamic{}))
			r.Resized.Dynamic = &one
		}
	}
	value, err := json.Marshal(r)
	if err != nil {
		return journal.Record{Point: i, Error: p.Series + ": " + err.Error()}
	}
	out.Value = value
	return out
}

func solved(one *decide.Solved) solvedRecord {
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
func pointOf(table policy.Table, r journal.Record) (decide.Point, error) {
	p := decide.Point{Done: true}
	if r.Error != "" {
		p.Err = errors.New(r.Error)
		if r.Value == nil {
			return p, nil
		}
	}
	var from pointRecord
	if err := json.Unmarshal(r.Value, &from); err != nil {
		return decide.Point{}, err
	}
	p.Series, p.Load, p.ArrivalRate = from.Series, from.Load, from.ArrivalRate
	results := make([]decide.Solved, len(from.Results))
	for i := range from.Results {
		var err error
		if results[i], err = from.Results[i].solved(table); err != nil {
			return decide.Point{}, err
		}
	}
	if p.Err != nil { // the best may be among those that failed
		p.Decision = decide.Decision{Results: results}
		return p, nil
	}
	p.Decision = decide.NewDecision(results)
	if from.Resized != nil {
		p.Resized = &decide.Resized{}
		switch other := from.Resized; {
		case other.TooLarge:
			p.Resized.Err = models.ErrTooLarge
		case other.Dynamic == nil:
			p.Resized.Err = errors.New(other.Error)
		default:
			one, err := other.Dynamic.solved(table)
			if err != nil {
				return decide.Point{}, err
			}
			p.Resized.Decision = p.Decision.With(one)
		}
	}
	return p, nil
}

func (s *solvedRecord) solved(table policy.Table) (decide.Solved, error) {
	of, err := table.Parse(s.Policy)
	if err != nil {
		return decide.Solved{}, err
	}
	d := &s.Measures.Diagnostics
	if !s.Measures.Stable {
		d.Warnings = append(d.Warnings, s.Measures.Unstable())
	}
	for _, w := range s.Warnings {
		d.Warnings = append(d.Warnings, errors.New(w))
	}
	return decide.Solved{Policy: of, Measures: s.Measures}, nil
}
