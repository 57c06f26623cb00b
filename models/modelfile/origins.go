package modelfile

import (
	"fmt"
	"strings"

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
	"go.yaml.in/yaml/v3"
)

// Origins say what the distributions of a model were fitted to, and what else readers of its file should know.
type Origins struct {
	Arrivals *FittedTo   // the times between arrivals; nil: the file has the numbers of the arrival process
	Demands  []*FittedTo // the demands of each class, or of all jobs; nil entries, and none, are numbers
	// Remarks are comments above fields, by their paths such as jobs.speedup; "" stands for the whole file. A remark on a field that
	// the file does not have is left out.
	Remarks map[string]string
}

// FittedTo is the measurements that a distribution was fitted to: a quantity of the jobs of a log.
type FittedTo struct {
	File       string // the log, from where the model file lies
	Quantity   workload.Quantity
	Sizes      joblog.Sizes // of the jobs; the zero value: all
	Resolution float64      // of the clock of the log, in seconds
	Phases     int
}

// fitText is the options of a fit, as files write them.
type fitText struct {
	File       string            `yaml:"file"`
	Quantity   workload.Quantity `yaml:"swf"`
	Sizes      string            `yaml:"sizes,omitempty"`
	Resolution string            `yaml:"resolution,omitempty"`
	Phases     int               `yaml:"phases"`
}

// text returns the distribution as files write it.
func (f *FittedTo) text() distText {
	t := fitText{File: f.File, Quantity: f.Quantity, Phases: f.Phases}
	if f.Sizes != (joblog.Sizes{}) {
		t.Sizes = fmt.Sprintf("%d:%d", f.Sizes.From, f.Sizes.To)
	}
	if f.Resolution > 0 {
		t.Resolution = fmt.Sprintf("%gs", f.Resolution)
	}
	return distText{"fit": t}
}

// putInto writes the measurements in place of the numbers.
func (o *Origins) putInto(f *modelFile) error {
	if o.Arrivals != nil {
		f.Arrivals = map[string]any{"interarrival": o.Arrivals.text()}
	}
	for k, from := range o.Demands {
		switch {
		case from == nil:
		case k < len(f.Jobs.Classes):
			f.Jobs.Classes[k].Demand = from.text()
		case k == 0 && f.Jobs.Demand != nil:
			f.Jobs.Demand = from.text()
		default:
			return unwritable(fmt.Sprintf("Origins.Demands[%d]", k), "is the origin of no demand of the model")
		}
	}
	return nil
}

// remark puts remarks above the fields of a mapping at a path, and of the mappings in it.
func remark(n *yaml.Node, path string, remarks map[string]string) {
	if n.Kind != yaml.MappingNode {
		return
	}
	if text := remarks[path]; path == "" && text != "" && len(n.Content) > 0 {
		n.Content[0].HeadComment = comment(text)
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, field := n.Content[i], n.Content[i].Value
		if path != "" {
			field = path + "." + field
		}
		if text := remarks[field]; text != "" {
			key.HeadComment = comment(text)
		}
		remark(n.Content[i+1], field, remarks)
	}
}

// comment returns the lines of a text as comments.
func comment(text string) string { return "# " + strings.ReplaceAll(text, "\n", "\n# ") }
