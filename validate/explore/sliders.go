package explore

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/models/modelfile"
)

// sliders is the table of the page's sliders, in the order of the page. A new slider is one entry here and one file that defines the
// entry: its label, unit, values and setting. The script of the page has no list of its own.
var sliders = []definition{
	partitionsSlider, loadSlider, shareSlider, nodesSlider, workSlider, workSCVSlider, serialSlider, arrivalSCVSlider,
	overheadSlider, overheadSCVSlider, stopsSlider, cooldownSlider,
}

// unit says how the page writes a value.
type unit string

const (
	number     unit = "number"
	share      unit = "share"      // in per cent
	duration   unit = "time"       // in units of time of the model
	partitions unit = "partitions" // with the nodes of each
	nodes      unit = "nodes"
)

// slider is a slider of the page, for one model.
type slider struct {
	Key    string    `json:"key"`   // in addresses and questions
	Group  string    `json:"group"` // the heading above the slider
	Label  string    `json:"label"`
	Unit   unit      `json:"unit"`
	Values []float64 `json:"values"`          // from left to right
	Zero   string    `json:"zero,omitempty"`  // what the page writes for 0
	Least  *float64  `json:"least,omitempty"` // an address with a smaller value is ignored; nil: no lower limit
	Most   *float64  `json:"most,omitempty"`  // an address with a larger value is ignored; nil: no upper limit
	Whole  bool      `json:"whole,omitempty"` // an address with a fraction is ignored
	// Choices are the names of the values, among which the page shows a choice in place of a slider.
	Choices []string `json:"choices,omitempty"`
	ofModel
}

// ofModel is what a model says of a slider.
type ofModel struct {
	Value   *float64 `json:"value"`             // of the model; nil: the model has no value
	Missing string   `json:"missing,omitempty"` // what the page writes in place of a value
	Off     string   `json:"off,omitempty"`     // why the slider cannot be moved
}

// definition defines a slider for all models. [slider] explains the fields without a comment.
type definition struct {
	key, group, label string
	unit              unit
	zero              string
	least, most       *float64
	whole             bool
	choices           []string
	// rescales says that the load of the model is kept when the slider moves, although the work or the capacity changes.
	rescales bool
	// about returns what a model says of the slider, and whether the page of the model has the slider.
	about func(file *modelfile.Model) (ofModel, bool)
	// values returns the values that the slider can have.
	values func(file *modelfile.Model) []float64
	// labelOf returns the label for a model; nil: label holds for all models.
	labelOf func(file *modelfile.Model) string
	// mostOf returns the upper limit for a model; nil: most holds for all models.
	mostOf func(file *modelfile.Model) float64
	// settings returns what a move of the slider, or of sliders that set the same field, changes in the model; nil: nothing.
	settings func(m *moves) []modelfile.Set
}

// slider returns the slider of a model, and whether the model has the slider.
func (d *definition) slider(file *modelfile.Model) (slider, bool) {
	of, shown := d.about(file)
	if !shown {
		return slider{}, false
	}
	s := slider{Key: d.key, Group: d.group, Label: d.label, Unit: d.unit, Values: d.values(file), Zero: d.zero,
		Least: d.least, Most: d.most, Whole: d.whole, Choices: d.choices, ofModel: of}
	if d.whole {
		s.Least = &s.Values[0]
	}
	if d.labelOf != nil {
		s.Label = d.labelOf(file)
	}
	if d.mostOf != nil {
		s.Most = new(d.mostOf(file))
	}
	return s, true
}

// moves are where the sliders of a page are, beside the model from which it starts.
type moves struct {
	table []definition
	file  *modelfile.Model
	model map[string]float64 // the values of the model, by the key of the slider
	at    map[string]float64 // the values on the page
}

// newMoves returns the moves of a table of sliders from a model to the values at, by the keys of the sliders.
func newMoves(table []definition, file *modelfile.Model, at map[string]float64) *moves {
	m := &moves{table, file, map[string]float64{}, at}
	for i := range table {
		if s, ok := table[i].slider(file); ok && s.Value != nil {
			m.model[s.Key] = *s.Value
		}
	}
	return m
}

// value returns where a slider is: on the page or, if the page does not say, in the model.
func (m *moves) value(key string) float64 {
	if v, ok := m.at[key]; ok {
		return v
	}
	return m.model[key]
}

// moved reports whether one of the sliders is not where the model has it.
func (m *moves) moved(keys ...string) bool {
	for _, key := range keys {
		at, said := m.at[key]
		was, known := m.model[key]
		if said && (!known || at != was) {
			return true
		}
	}
	return false
}

// rescaled reports whether a slider was moved that changes the work or the capacity.
func (m *moves) rescaled() bool {
	for i := range m.table {
		if m.table[i].rescales && m.moved(m.table[i].key) {
			return true
		}
	}
	return false
}

// settings returns what the moves change in the model, as --set does.
func (m *moves) settings() (all []modelfile.Set) {
	for i := range m.table {
		if settings := m.table[i].settings; settings != nil {
			all = append(all, settings(m)...)
		}
	}
	return all
}

// set returns the setting of a field to a value that is written as by [fmt.Sprintf].
func set(path, format string, values ...any) []modelfile.Set {
	return []modelfile.Set{{Path: path, Value: fmt.Sprintf(format, values...)}}
}

// at returns what a model with the value v says of a slider.
func at(v float64) ofModel { return ofModel{Value: &v} }

// always returns a function for the values of a slider that has the same values with every model.
func always(values []float64) func(*modelfile.Model) []float64 {
	return func(*modelfile.Model) []float64 { return values }
}

// measured returns why sliders of run times cannot be moved, or "" if they can: the model has to have one distribution of run times.
func measured(file *modelfile.Model) string {
	switch s := file.System; {
	case s.Speedup != nil:
		return ""
	case len(s.Classes) > 1:
		return "Each class of jobs has run times of its own."
	}
	return "The run times of this model were measured for its partitions."
}

// runTime returns a time about which the values of sliders of times lie: the mean run time on one node or, if there are several, an
// hour.
func runTime(file *modelfile.Model) float64 {
	if file.System.Speedup != nil {
		return file.System.Demand.Mean()
	}
	return 3600 / file.TimeUnit.Seconds
}

// variabilities are the values of sliders of squared coefficients of variation.
var variabilities = logarithmic(0.5, 50)

// linear returns the values from lo to hi in steps, to six digits.
func linear(lo, hi, step float64) (all []float64) {
	for i := range int(math.Round((hi-lo)/step)) + 1 {
		all = append(all, lo+float64(i)*step)
	}
	return rounded(all, 6)
}

// logarithmic returns values in equal ratios, to two digits.
func logarithmic(lo, hi float64) []float64 {
	const steps = 120
	return rounded(floats.LogSpan(make([]float64, steps+1), lo, hi), 2)
}

// rounded rounds numbers to so many digits.
func rounded(all []float64, digits int) []float64 {
	for i, v := range all {
		all[i], _ = strconv.ParseFloat(strconv.FormatFloat(v, 'e', digits-1, 64), 64) // of a number
	}
	return all
}
