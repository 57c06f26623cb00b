package modelfile

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/partwise/partwise/models/modelfile/internal/tree"
)

// four is a model of four partitions without overheads.
const four = `machine: {nodes: 4, min_nodes: 1}
arrivals: {rate: 1}
jobs: {demand: {exponential: {mean: 1}}, speedup: linear}
`

// One overhead is the same as the lists of it, and settings change either into the other.
func TestOverheadStandsForAllRepartitions(t *testing.T) {
	lists := "dynamic: {shrink: {means: [null, 6, 6, 6]}, expand: {means: [6, 6, 6]}}\n"
	want := parse(t, four+lists).System
	erlang := "dynamic: {shrink: [null, &c {erlang: {mean: 6, phases: 2}}, *c, *c], expand: [*c, *c, *c]}\n"
	for _, c := range []struct {
		dynamic string
		sets    []tree.Set
		same    string
	}{
		{dynamic: "{overhead: 6}"},
		{dynamic: "{overhead: 0.1min}"},
		{dynamic: "{overhead: {exponential: {mean: 6s}}}"},
		{dynamic: "{shrink: 6s, expand: {means: 6, scv: 1}}"},
		{dynamic: "{overhead: {erlang: {mean: 6, phases: 2}}}", same: erlang},
		{dynamic: "null", sets: []tree.Set{{Path: "dynamic.overhead", Value: "6s"}}},
		{dynamic: "{shrink: {means: 3}, expand: {means: 4}}", sets: []tree.Set{{Path: "dynamic.overhead", Value: "6s"}}},
		{dynamic: "{overhead: 2}", sets: []tree.Set{{Path: "dynamic.shrink.means", Value: "6"}, {Path: "dynamic.expand", Value: "6s"}}},
		{dynamic: "{overhead: 6}", sets: []tree.Set{{Path: "dynamic.expand.means", Value: "[6, 6, 6]"}}},
		{dynamic: "{overhead: {erlang: {mean: 3, phases: 2}}}", sets: []tree.Set{{Path: "dynamic.overhead.mean", Value: "6"}}, same: erlang},
	} {
		other := want
		if c.same != "" {
			other = parse(t, four+c.same).System
		}
		got := parse(t, four+"dynamic: "+c.dynamic, c.sets...).System
		if !reflect.DeepEqual(got.Shrink, other.Shrink) || !reflect.DeepEqual(got.Expand, other.Expand) {
			t.Errorf("%s, %v: shrink %v, expand %v", c.dynamic, c.sets, got.Shrink, got.Expand)
		}
	}
}

// What all repartitions cost is written once.
func TestEqualOverheadsAreWrittenOnce(t *testing.T) {
	var b bytes.Buffer
	if err := WriteModel(&b, parse(t, four+"dynamic: {shrink: {means: 6}, expand: {means: 6}}")); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); !strings.Contains(text, "overhead: {exponential: {mean: 6}}") || strings.Contains(text, "shrink") {
		t.Error(text)
	}
}

// What a file leaves open, and would change the answers, is listed with a setting that says otherwise.
func TestAssumed(t *testing.T) {
	const exponential = "overhead_distribution exponential dynamic.overhead.scv=0.5"
	const setup = "setup 0s static.setup.exponential.mean=60s"
	for text, want := range map[string]string{
		four: "overhead 0s dynamic.overhead=60s",
		strings.Replace(four, ", min_nodes: 1", "", 1):           "min_nodes 1 machine.min_nodes=2; overhead 0s dynamic.overhead=60s",
		strings.Replace(four, "min_nodes: 1", "min_nodes: 4", 1): "",
		four + "dynamic: {overhead: 5s}": exponential +
			"; stops all dynamic.stops=resized; " + setup,
		four + "dynamic: {overhead: {exponential: {mean: 5s}}, stops: all}":                                       setup,
		four + "dynamic: {overhead: {means: 5s, scv: 2}, stops: all}\nstatic: {setup: {exponential: {mean: 5s}}}": "",
		four + "dynamic: {shrink: {means: [0, 1, 2, 3]}, stops: all}":                                             strings.Replace(exponential, "overhead.scv", "shrink.scv", 1) + "; " + setup,
		four + "dynamic: {overhead: 0, stops: all}":                                                               "",
		four + "dynamic: {stops: resized}":                                                                        "overhead 0s dynamic.overhead=60s",
		four + "dynamic: {shrink: null}":                                                                          "overhead 0s dynamic.overhead=60s",
		// two partitions: all jobs are resized
		strings.Replace(four, "min_nodes: 1", "min_nodes: 2", 1) + "dynamic: {overhead: 5s}": exponential + "; " + setup,
	} {
		var got []string
		for _, a := range parse(t, text).Assumed {
			got = append(got, a.Name+" "+a.Value+" "+a.Other.String())
			if parse(t, text, a.Other).Assumes(a.Name) {
				t.Errorf("%s: %v leaves it assumed", text, a.Other)
			}
		}
		if got := strings.Join(got, "; "); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
