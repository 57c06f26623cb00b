package studycmd

import (
	"github.com/partwise/partwise/cmd/partwise/internal/model"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
)

// summary adds what programs ask for most, from the results of the parts: of each policy what the chain predicts, what
// simulation of the model on whole nodes gives, and what the log itself; then the decisions of both and why they differ.
func (s *work) summary(o *output.Object) {
	m := s.file.System.Machine()
	o.Add("machine", output.Object{{Name: "nodes", Value: m.Nodes}, {Name: "min_nodes", Value: m.Unit},
		{Name: "partitions", Value: m.Partitions()}})
	o.Add("load", s.file.System.Load())
	explained := s.found[partLogs].Object
	var policies []output.Object
	for _, p := range s.compared {
		v := model.PolicyObject(p)
		v.Add("predicted", s.solved.Decision().Of(p).Measures.MeanResponseTime)
		if simulated, ok := s.simulated(p); ok {
			v.Add("simulated", simulated)
		}
		if row, ok := rowOf(list(explained, "log", "policies"), p); ok {
			v.Add("replayed", output.Object{{Name: "mean", Value: at(row, "replayed")}})
		}
		policies = append(policies, v)
	}
	o.Add("policies", policies)
	for _, run := range s.replayed {
		if run.Baseline == nil {
			o.Add("easy", output.Object{{Name: "replayed", Value: output.Object{{Name: "mean", Value: run.Measures[measure.MeanResponseTime]}}}})
		}
	}
	decision, _ := at(explained, "log", "decision").(output.Object)
	decision = append(output.Object(nil), decision...)
	if p := at(s.found[partBootstrap].Object, "bootstrap", "probability_dynamic_wins"); p != nil {
		decision.Add("probability_dynamic_wins", p)
	}
	decision.Add("because", list(explained, "log", "because"))
	o.Add("decision", decision)
}

// simulated returns the mean response time of a policy on whole nodes, or on average partitions where those are whole, and
// its interval.
func (s *work) simulated(p policy.Policy) (found output.Object, ok bool) {
	for _, row := range list(s.found[partSimulation].Object, "simulations") {
		if _, same := rowOf([]output.Object{row}, p); same {
			found, ok = at(row, "measures", measure.MeanResponseTime).(output.Object)
			if at(row, "fidelity") == "machine" {
				break
			}
		}
	}
	if !ok {
		return nil, false
	}
	return output.Object{{Name: "mean", Value: at(found, "mean")}, {Name: "half_width", Value: at(found, "half_width")}}, true
}

// rowOf returns the row of a policy.
func rowOf(rows []output.Object, p policy.Policy) (output.Object, bool) {
	for _, row := range rows {
		same := true
		for _, f := range model.PolicyObject(p) {
			same = same && at(row, f.Name) == f.Value
		}
		if same {
			return row, true
		}
	}
	return nil, false
}

// list returns what is found along a path of names; nil where it is no list.
func list(o output.Object, path ...string) []output.Object {
	switch rows := at(o, path...).(type) {
	case []output.Object:
		return rows
	case *output.List:
		return rows.Objects()
	}
	return nil
}

// at returns what is found along a path of names, nil if there is nothing.
func at(o output.Object, path ...string) any {
	for _, f := range o {
		if f.Name != path[0] {
			continue
		}
		if len(path) == 1 {
			return f.Value
		}
		if next, ok := f.Value.(output.Object); ok {
			return at(next, path[1:]...)
		}
	}
	return nil
}
