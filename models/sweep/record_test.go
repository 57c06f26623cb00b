package sweep

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/parallel"
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
	sweep := &decide.Sweep{Series: []decide.Series{{Name: "W1", System: study.Series[0].Model.System, StopsAssumed: true}},
		Loads: study.Loads, Both: true}
	points, err := sweep.Solve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if points[0].Resized == nil {
		t.Fatal("not solved with only the resized jobs stopping")
	}
	points[1].Resized = &decide.Resized{Err: markov.ErrTooLarge}
	points[2].Resized = &decide.Resized{Err: errors.New("no convergence")}
	points[3].Decision.Results[0].Measures.Diagnostics.ErrorPerLevel = math.Inf(1) // memory was short for levels far out
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

// TestRecordsOfOthersAreRefused: a record with a right checksum is refused if it belongs to another series, load or set
// of policies. It is also refused if no chain can have its measures. Otherwise a result would be wrong without a
// warning.
func TestRecordsOfOthersAreRefused(t *testing.T) {
	study, err := modelfile.LoadStudy("../../testdata/ips96/w1.yaml", modelfile.SetLoads("0.2,0.4"))
	if err != nil {
		t.Fatal(err)
	}
	study.Series = study.Series[:1]
	plain := New(study, study.Loads)
	solved, err := plain.Sweep.Solve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	records := func() map[int]Record { return map[int]Record{0: newRecord(0, &solved[0]), 1: newRecord(1, &solved[1])} }
	restore := func(records map[int]Record) (resumed, merged error) {
		whole := New(study, study.Loads)
		whole.Sweep = nil // as for points from shards
		for s, err := range map[*Study]*error{New(study, study.Loads): &resumed, whole: &merged} {
			points, wrong := NewPoints([]*Study{s}, Shard{})
			if *err = wrong; wrong == nil {
				*err = points.Restore(policy.Standard(), records, false)
			}
		}
		return resumed, merged
	}
	if resumed, merged := restore(records()); resumed != nil || merged != nil {
		t.Fatalf("records of the study: %v, %v", resumed, merged)
	}
	changed := func(change func(p *pointRecord)) map[int]Record {
		all := records()
		var p pointRecord
		if err := json.Unmarshal(all[1].Value, &p); err != nil {
			t.Fatal(err)
		}
		change(&p)
		value, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		all[1] = Record{Point: 1, Value: value}
		return all
	}
	swapped := records()
	swapped[0], swapped[1] = Record{Point: 0, Value: swapped[1].Value}, Record{Point: 1, Value: swapped[0].Value}
	for what, c := range map[string]struct {
		records map[int]Record
		alone   bool // only a study with systems finds the mistake
	}{
		"points that changed places": {swapped, true},
		"another load":               {changed(func(p *pointRecord) { p.Load = 0.3 }), true},
		"another series":             {changed(func(p *pointRecord) { p.Series = "other" }), false},
		"a missing policy":           {changed(func(p *pointRecord) { p.Results = p.Results[1:] }), false},
		"a policy twice":             {changed(func(p *pointRecord) { p.Results[1] = p.Results[0] }), false},
		"no measures":                {changed(func(p *pointRecord) { p.Results[0].Measures = models.Measures{} }), false},
		"a negative time":            {changed(func(p *pointRecord) { p.Results[0].Measures.MeanResponseTime *= -1 }), false},
		"a huge number of jobs":      {changed(func(p *pointRecord) { p.Results[0].Measures.MeanJobs = 1e300 }), false},
		"no arrival rate":            {changed(func(p *pointRecord) { p.ArrivalRate = 0 }), false},
		"an unknown policy":          {changed(func(p *pointRecord) { p.Results[0].Policy = "other" }), false},
		"a list":                     {map[int]Record{1: {Point: 1, Value: json.RawMessage(`[1]`)}}, false},
		"a word for a number":        {map[int]Record{1: {Point: 1, Value: json.RawMessage(`{"load":"much"}`)}}, false},
		"a number beyond all numbers": {map[int]Record{1: {Point: 1,
			Value: json.RawMessage(`{"series":"W1","load":1e999,"results":[]}`)}}, false},
	} {
		resumed, merged := restore(c.records)
		if resumed == nil || merged == nil && !c.alone {
			t.Errorf("%s: resumed: %v, merged: %v", what, resumed, merged)
		}
	}
}

// TestInaccuratePointsAreNotTooLarge: a point that is not accurate enough failed for another reason than its size, also if its error
// says how much memory other methods need.
func TestInaccuratePointsAreNotTooLarge(t *testing.T) {
	leftOut := &parallel.LimitError{What: "a method with more digits", Resource: parallel.Memory, Takes: 2, Limit: 1}
	for _, lack := range []error{markov.ErrInaccurate, markov.ErrNoConvergence} {
		r := newRecord(0, &decide.Point{Err: fmt.Errorf("%w; %w", lack, leftOut)})
		if r.ShortOf != "" || r.Error == "" {
			t.Errorf("%v: short of %q", r.Error, r.ShortOf)
		}
	}
}

// suffices returns the memory that an error says is enough, "" if it says none.
func suffices(err error) string {
	var short *parallel.LimitError
	if errors.As(err, &short) {
		return short.Suffices()
	}
	return ""
}

// TestFailuresKeepTheirLimit: a point that takes too much memory or time still says so when it is read back, and how much memory is
// enough.
func TestFailuresKeepTheirLimit(t *testing.T) {
	memory := &parallel.LimitError{Resource: parallel.Memory, Takes: 2, Limit: 1, Kind: markov.ErrTooLarge}
	for _, err := range []error{memory, fmt.Errorf("at load 0.5: %w", memory), markov.ErrTooLarge, errors.New("no convergence")} {
		text, wrong := json.Marshal(newRecord(0, &decide.Point{Err: err}))
		var read Record
		if wrong = errors.Join(wrong, json.Unmarshal(text, &read)); wrong != nil {
			t.Fatal(wrong)
		}
		p, wrong := pointOf(policy.Standard(), read)
		if wrong != nil || p.Err.Error() != err.Error() || errors.Is(p.Err, parallel.ErrTooLarge) != errors.Is(err, parallel.ErrTooLarge) ||
			parallel.IsShortOf(p.Err, parallel.Memory) != parallel.IsShortOf(err, parallel.Memory) || suffices(p.Err) != suffices(err) {
			t.Errorf("%v is read back as %v, %v", err, p.Err, wrong)
		}
	}
}
