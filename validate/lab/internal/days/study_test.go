package days

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/sched"
)

// TestFigures: figures have no unknown fields and names of their own, and their policies run on their machines.
func TestFigures(t *testing.T) {
	dec := yaml.NewDecoder(bytes.NewReader(figuresFile))
	dec.KnownFields(true)
	type strict struct {
		Name, Title, Load, Optimum string
		Nodes, Days                int
		Policies                   []Strategy
		Parameter                  struct{ Name, Values string }
		Draw                       []string
		Speedup, Sizes             struct {
			A     int `yaml:"A"`
			Sigma string
		}
	}
	if err := dec.Decode(&[]strict{}); err != nil {
		t.Error(err)
	}
	names := map[string]bool{}
	for _, s := range Figures() {
		if names[s.Name] || s.Title == "" {
			t.Errorf("figure %q, title %q", s.Name, s.Title)
		}
		names[s.Name] = true
		for _, one := range s.Strategies {
			values := numbers{0}
			if strings.Contains(one.Text, "*") {
				values = s.Parameter.Values
			}
			for _, v := range values {
				p, err := s.Table.Parse(one.With(v))
				if err == nil {
					err = p.Check(policy.Machine{Nodes: s.Nodes, Unit: 1})
				}
				if _, sizes := sched.SizingOf(p); err != nil || s.Sizes != nil && !sizes {
					t.Errorf("figure %s: %s: %v", s.Name, one.Text, err)
				}
			}
		}
	}
	if len(names) != 11 {
		t.Errorf("%d figures", len(names))
	}
}

// A policy whose text has a * has a row for each value of the parameter.
func TestRowsOfAStudy(t *testing.T) {
	s := NewStudy(policy.Standard())
	s.Strategies = []Strategy{{"avg", "avg"}, {"k", "k:*"}}
	s.Parameter = &Parameter{"k", numbers{0.5, 1}}
	rows, policies := s.Policies()
	if len(rows) != 3 || !math.IsNaN(rows[0].Parameter) || rows[2].Parameter != 1 || fmt.Sprint(policies) != "[avg k:0.5 k:1]" {
		t.Errorf("rows %+v of %v", rows, policies)
	}
}
