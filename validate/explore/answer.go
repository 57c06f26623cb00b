package explore

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
)

// Words put answers into sentences. A nil function leaves its sentence out; a nil Problem gives the text of the error.
type Words struct {
	// Decision says what was decided about a model. omitted reports whether the jobs are rigid, but their chain (fcfs: in the order of
	// their arrival) is too large to be solved.
	Decision func(of *modelfile.Model, d *decide.Decision, omitted bool) []string
	// Cooldown says what a mean time between resizes, in a unit of time, brings: a result with the cooldown against a result without it.
	Cooldown func(cooldown float64, unit string, with, without *decide.Solved) string
	// Problem says what is wrong with a question. The error is a [modelfile.Errors] if the model or a setting is wrong.
	Problem func(err error) string
}

// decision returns the sentences about a decision, or nil without words for decisions.
func (w *Words) decision(of *modelfile.Model, d *decide.Decision, omitted bool) []string {
	if w.Decision == nil {
		return nil
	}
	return w.Decision(of, d, omitted)
}

// cooldown returns the sentence about a cooldown, or "" without words for cooldowns.
func (w *Words) cooldown(cooldown float64, unit string, with, without *decide.Solved) string {
	if w.Cooldown == nil {
		return ""
	}
	return w.Cooldown(cooldown, unit, with, without)
}

// problem returns what is wrong with a question.
func (w *Words) problem(err error) string {
	if w.Problem == nil {
		return err.Error()
	}
	return w.Problem(err)
}

// Question is what the page asks.
type Question struct {
	Kind  string          `json:"kind"`  // a key of kinds
	Model string          `json:"model"` // the text of a model file that names no other files
	Sets  []modelfile.Set `json:"sets"`
	// Values are where the sliders are, by their keys; a slider without a value is where the model has it.
	Values map[string]float64 `json:"values"`
	// Cooldown is the mean time between resizes, in the unit of the model, of a further policy that is solved or simulated;
	// 0: no further policy.
	Cooldown float64   `json:"cooldown"`
	Loads    []float64 `json:"loads"`    // of a curve
	Policies []string  `json:"policies"` // of a schedule
	Grade    int       `json:"grade"`    // the first of the grades to try; 0: the model itself
	Limit    float64   `json:"limit"`    // milliseconds for the solution in one grade, before the next is tried; 0: no limit

	words Words
}

// kinds are the questions, by name.
var kinds = map[string]func(context.Context, *Question, *modelfile.Model) (any, error){
	"controls": controls,
	"decision": decision,
	"exact":    exact,
	"cooldown": cooldown,
	"curve":    curve,
	"schedule": schedule,
}

// To answers a question in JSON by an answer in JSON, with sentences from w. If the question is wrong or ctx ends, the answer
// is {"error": text}.
func To(ctx context.Context, question []byte, w Words) []byte {
	text, err := json.Marshal(to(ctx, question, w))
	if err != nil {
		text, _ = json.Marshal(failure{err.Error()}) // a struct of a text
	}
	return text
}

// failure is the answer to a question that cannot be answered: it says why.
type failure struct {
	Error string `json:"error"`
}

// to returns the answer of [To] before it is written as JSON: a [failure], or what the function of the kind of the question returns.
func to(ctx context.Context, question []byte, w Words) (out any) {
	defer func() { // a panic would end the solver of the page, which could then answer nothing
		if recover() != nil {
			out = failure{"these values have no answer, because of a mistake in the program"}
		}
	}()
	var q Question
	if err := json.Unmarshal(question, &q); err != nil {
		return failure{"the question is not understood"}
	}
	q.words = w
	answer, ok := kinds[q.Kind]
	if !ok {
		return failure{fmt.Sprintf("unknown question %q", q.Kind)}
	}
	file, err := q.file()
	if err == nil {
		out, err = answer(ctx, &q, file)
	}
	if err != nil {
		return failure{w.problem(err)}
	}
	return out
}

// file reads the model with its settings and with the settings of the controls.
func (q *Question) file() (*modelfile.Model, error) {
	if q.Values == nil {
		return modelfile.Parse("model.yaml", []byte(q.Model), q.Sets...)
	}
	file, err := q.unmoved()
	if err != nil {
		return nil, err
	}
	return file.With(newMoves(sliders, file, q.Values).settings()...)
}

// reading is a model that was read from a text with settings. Nobody changes the model.
type reading struct {
	text string
	sets []modelfile.Set
	file *modelfile.Model
}

// lastReading is the latest reading of unmoved. A page asks about the same model at each move of a slider: a tenth of the time of an
// answer is saved.
var lastReading atomic.Pointer[reading]

// unmoved reads the model with its settings, but without those of the controls. Others may read the returned model at the same time.
func (q *Question) unmoved() (*modelfile.Model, error) {
	last := lastReading.Load()
	if last != nil && last.text == q.Model && slices.Equal(last.sets, q.Sets) {
		return last.file, nil
	}
	file, err := modelfile.Parse("model.yaml", []byte(q.Model), q.Sets...)
	if err == nil {
		lastReading.Store(&reading{q.Model, q.Sets, file})
	}
	return file, err
}

// mostMemory is the memory that chains may take, of the 4 GiB that a program in WebAssembly can have.
const mostMemory = 1 << 30

// settings returns the settings of commands without flags.
func settings() markov.Settings {
	return markov.Settings{Method: markov.Auto, Memory: markov.NewMemory(mostMemory)}
}
