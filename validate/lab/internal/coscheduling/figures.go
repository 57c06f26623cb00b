package coscheduling

import (
	_ "embed"
	"errors"
	"slices"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/lab/internal/cluster"
)

// Figure is a figure or a table of the paper: policies in cases.
type Figure struct {
	Name  string // "3", "table4"
	Title string
	Jobs  int    // of a replication; more where the differences are small
	View  View   // "" is Responses
	Parts []Part // that stand one behind the other
	Runs  []Run  `yaml:"-"` // of all parts
}

// IsOverLoads reports whether outcomes of the figure are shown over loads. This is so if their loads differ and they belong to no
// figure of the paper: the zero Figure. It is also so if a case is named by its load alone. It is false without outcomes.
func (f *Figure) IsOverLoads(outcomes []Outcome) bool {
	return slices.ContainsFunc(outcomes, func(o Outcome) bool {
		return o.Case.Load != outcomes[0].Case.Load && f.Name == "" || o.Case.NameBeforeLoad() == ""
	})
}

// Part is policies, as the table of policies writes them, in cases.
type Part struct {
	Policies []string
	Cases    []Case
}

// View is what a figure shows of its runs.
type View string

// The views.
const (
	Responses View = ""          // response times, and what processors do
	States    View = "states"    // of the processes that are boosted
	Positions View = "positions" // of these in the order of their node
)

// At FigureLoad, the load of most figures, policies differ and gang scheduling is not overloaded. FigureDedicated is the mean
// of the dedicated times in seconds, with which response times scale. It is small beside the times of real jobs, as it must be
// in the paper, too.
const (
	FigureLoad      = .7
	FigureDedicated = 2
)

// Paper returns the case of the paper's default parameters with a workload.
func Paper(mix cluster.Mix) Case {
	return Case{Name: mix.Name, Cluster: cluster.Defaults(policy.Gang{}), Mix: mix, Load: FigureLoad,
		Jobs: Random{MaxNodes: 32, Dedicated: FigureDedicated}}
}

// UnmarshalYAML reads a case of the file of figures: the file says what differs from the paper's default parameters.
func (c *Case) UnmarshalYAML(node *yaml.Node) error {
	if c == nil || node == nil {
		return errors.New("coscheduling: there is no case to read")
	}
	type fields Case
	*c = Paper(cluster.DefaultMix())
	return node.Decode((*fields)(c))
}

//go:embed figures.yaml
var figuresFile []byte

// Figures returns the figures of the paper from figure 3 on, and its tables, which are read once. Two figures are added: the
// loads at which policies saturate, and variations of what the paper leaves open.
var Figures = sync.OnceValue(func() (all []Figure) {
	if err := yaml.Unmarshal(figuresFile, &all); err != nil {
		panic(err)
	}
	table := policy.Standard()
	for i := range all {
		f := &all[i]
		for _, part := range f.Parts {
			for _, c := range part.Cases {
				for _, name := range part.Policies {
					p, err := table.Parse(name)
					if err != nil {
						panic(err)
					}
					f.Runs = append(f.Runs, Run{c, p})
				}
			}
		}
	}
	return all
})
