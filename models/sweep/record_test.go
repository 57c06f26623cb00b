package sweep

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
)

// TestRecordsKeepPoints: what is read from a record is the point that was written, to the last bit, so that results do
// not depend on what was resumed.
func TestRecordsKeepPoints(t *testing.T) {
	study, err := modelfile.LoadStudy("../../testdata/ips96/w1.yaml", modelfile.SetLoads("0.1:1.1:0.2"))
	if err != nil {
		t.Fatal(err)
	}
	sweep := &decide.Sweep{Series: []decide.Series{{Name: "W1", System: study.Series[0].Model.System, StopsAssumed: true}}, Loads: study.Loads, Both: true}
	points, err := sweep.Solve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if points[0].Resized == nil {
		t.Fatal("not solved with only the resized jobs stopping")
	}
	points[1].Resized = &decide.Resized{Err: markov.ErrTooLarge}
	points[2].Resized = &decide.Resized{Err: errors.New("no convergence")}
	points[0].Decision.Results[0].Measures.Diagnostics.Warnings = []error{errors.New("a <doubt> & more")}
	same := cmp.Comparer(func(a, b policy.Policy) bool { return a == b })
	text := cmp.Comparer(func(a, b error) bool { return fmt.Sprint(a) == fmt.Sprint(b) })
	for i := range points {
		got, err := pointOf(policy.Standard(), newRecord(i, &points[i]))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(points[i], got, cmpopts.IgnoreUnexported(models.Measures{}), cmpopts.EquateEmpty(), text, same); diff != "" {
			t.Errorf("point %d (-written +read):\n%s", i, diff)
		}
	}
}

// TestRecordsOfFailures: a point that failed, or has a value that is no number, is kept as a failure.
func TestRecordsOfFailures(t *testing.T) {
	failed := decide.Point{Series: "a", Done: true, Err: errors.New("a at load 1: models: static:2: markov: no convergence")}
	if r := newRecord(3, &failed); r.Point != 3 || r.Value != nil || r.Error != "a at load 1: static:2: no convergence" {
		t.Errorf("record %+v", r)
	}
	zero := 0.0
	wrong := decide.Point{Series: "a", Done: true, Decision: decide.Decision{Results: []decide.Solved{
		{Policy: policy.Dynamic{}, Measures: models.Measures{MeanJobs: zero / zero,
			Diagnostics: markov.Diagnostics{Method: "m"}}}}}}
	if r := newRecord(3, &wrong); r.Value != nil || r.Error == "" {
		t.Errorf("record %+v", r)
	}
}

// TestRecordsWithoutResults: a record whose value holds no results of policies is refused, so that no row of a result is missing.
func TestRecordsWithoutResults(t *testing.T) {
	for _, value := range []string{`{}`, `null`, `{"series":"a","load":0.5}`, `{"results":[]}`} {
		if p, err := pointOf(policy.Standard(), Record{Value: json.RawMessage(value)}); err == nil {
			t.Errorf("%s is read as %+v", value, p)
		}
	}
}
