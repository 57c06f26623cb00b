package modelfile

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/partwise/partwise/models/modelfile/internal/tree"
)

func TestSet(t *testing.T) {
	text := small + "dynamic: {shrink: [&c {exponential: {mean: 3}}, *c]}\n"
	m := parse(t, text,
		tree.Set{Path: "machine.nodes", Value: "4"}, tree.Set{Path: "machine.min_nodes", Value: "2"},
		tree.Set{Path: "arrivals.rate", Value: "null"}, tree.Set{Path: "arrivals.interarrival.hyperexponential", Value: "{mean: 2, scv: 9}"},
		tree.Set{Path: "arrivals.interarrival.mean", Value: "5s"},
		tree.Set{Path: "dynamic.shrink[1].exponential.mean", Value: "7"}, tree.Set{Path: "title", Value: "other"},
		tree.Set{Path: "jobs.speedup", Value: ""}, tree.Set{Path: "jobs.speedup.table", Value: "{1: 1, 2: 2}"},
		tree.Set{Path: `jobs.speedup.table["4.0"]`, Value: "3"},
	)
	near(t, "rate", m.System.Arrivals.Rate(), 0.2)
	near(t, "the shared value that was set", m.System.ShrinkTo(2).Mean(), 7)
	near(t, "the shared value that was not", m.System.ShrinkTo(1).Mean(), 3)
	near(t, "service", m.System.Service[0].Mean(), 1./3)
	if m.System.Partitions() != 2 || m.Title != "other" {
		t.Errorf("N = %d, title %q", m.System.Partitions(), m.Title)
	}
	m = parse(t, text, tree.Set{Path: "dynamic.shrink[0]", Value: "null"})
	if !m.System.ShrinkTo(1).IsZero() {
		t.Error("the cost was not removed")
	}
}

func TestWrongSettings(t *testing.T) {
	for set, want := range map[string]string{
		"machine.nodes=x":   `--set machine.nodes=x: machine.nodes: expected a whole number, got "x"`,
		"machine.nods=3":    `--set machine.nods=3: machine.nods: unknown field; did you mean "nodes"?`,
		"machine.nodes.x=3": "--set machine.nodes.x=3: machine.nodes: there is no mapping here, but a number",
		"machine[0]=3":      "--set machine[0]=3: machine: there is no list here, but a mapping",
		"arrivals.interarrival.exponential.mean=3": "--set arrivals.interarrival.exponential.mean=3: arrivals.interarrival: " +
			`cannot stand beside "rate"; exactly one of interarrival, map, mmpp or rate is needed`,
		"jobs.demand.mean=-3s":  `--set jobs.demand.mean=-3s: jobs.demand.exponential.mean: "-3s" is not positive`,
		"jobs.demand.scv=3":     `--set jobs.demand.scv=3: jobs.demand.exponential.scv: unknown field; use mean or rate`,
		"dynamic.shrink[2]=1":   "--set dynamic.shrink[2]=1: dynamic.shrink[2]: the list has 2 entries, counted from 0",
		"dynamic.shrink.mean=1": "--set dynamic.shrink.mean=1: dynamic.shrink: there is no mapping here, but a list; name an entry, such as [0]",
		"jobs={":                "--set jobs={: '{' is never closed",
		"machine=null":          "m.yaml:1:1: machine: is missing; say how many nodes it has, machine: {nodes: 8}",
	} {
		s, err := ParseSet(set)
		if err != nil {
			t.Error(err)
			continue
		}
		_, err = Parse("m.yaml", []byte(small+"dynamic: {shrink: [null, null]}\n"), s)
		if err == nil || err.Error() != want {
			t.Errorf("%s:\n got %v\nwant %s", set, err, want)
		}
	}
}

func TestParseSet(t *testing.T) {
	for _, bad := range []string{
		"", "machine", "=3", "a..b=3", "a.=3", ".a=3", "a[=3", "a[]=3", "a[-1]=3", `a["b=3`, "a]b[0=1", "a[0]b=3",
	} {
		if s, err := ParseSet(bad); err == nil {
			t.Errorf("%q was read as %v", bad, s)
		} else if !strings.HasPrefix(err.Error(), "modelfile: ") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	s, err := ParseSet("title=a=b, c")
	if err != nil || s.Path != "title" || s.Value != "a=b, c" || s.String() != "title=a=b, c" {
		t.Errorf("%v, %v", s, err)
	}
}

// twoClasses are jobs of two classes, whose weights are 3 and 1.
const twoClasses = `version: 1
machine: {nodes: 2}
arrivals: {rate: 1, load: 0.5}
jobs:
  classes:
    - {name: small, share: 3, max_nodes: 1, demand: {exponential: {mean: 1}}, speedup: linear}
    - {name: large, share: 1, demand: {exponential: {mean: 4}}, speedup: linear}
`

// TestShareOfAllIsHandedOn: systems and files that are written know which shares are of all arrivals, and values of an axis keep them.
func TestShareOfAllIsHandedOn(t *testing.T) {
	m := parse(t, twoClasses, tree.Set{Path: "jobs.classes[large].share", Value: "{of_all: 0.4}"})
	var text strings.Builder
	if err := WriteModel(&text, m); err != nil {
		t.Fatal(err)
	}
	for _, m := range []*Model{m, parse(t, text.String())} {
		if c := m.System.Classes; !c[1].OfAll || c[0].OfAll || c[1].Share != 0.4 {
			t.Errorf("the classes are %+v; want a share of all arrivals of 0.4\n%s", c, text.String())
		}
	}
}

// TestClassesBySetting: a setting gives a class another weight. A value of an axis is the share of the class in all arrivals, and
// the other classes divide the rest.
func TestClassesBySetting(t *testing.T) {
	for path, want := range map[string]float64{"jobs.classes[large].share": 3, "jobs.classes[1].share": 3, `jobs.classes["large"].share`: 3} {
		m := parse(t, twoClasses, tree.Set{Path: path, Value: "3"})
		near(t, path, m.System.Classes[1].Share, want)
	}
	m := parse(t, twoClasses, tree.Set{Path: "jobs.classes[large].share", Value: "{of_all: 0.4}"})
	near(t, "share of all arrivals", m.System.Classes[1].Share, 0.4)
	near(t, "share of the others", m.System.Classes[0].Share, 0.6)
	axis, err := ParseOver("jobs.classes[large].share=0,0.4,1")
	if err != nil {
		t.Fatal(err)
	}
	study, err := ParseStudy("m.yaml", []byte(twoClasses), axis)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{0, 0.4, 1} {
		s := study.Series[i].Model.System
		near(t, "share", s.Classes[1].Share, want*(s.Classes[0].Share+s.Classes[1].Share))
		near(t, "load", s.Load(), 0.5)
	}
	for set, want := range map[string]string{
		"jobs.classes[big].share=1": `--set jobs.classes[big].share=1: jobs.classes: no entry has the name "big"; use small or large`,
		"jobs.classes[2].share=1":   "--set jobs.classes[2].share=1: jobs.classes[2]: the list has 2 entries, counted from 0",
		"jobs.classes[large].max_nodes=3": "--set jobs.classes[large].max_nodes=3: jobs.classes[1].max_nodes: 3 is more than 2, the most " +
			"that is supported",
	} {
		s, err := ParseSet(set)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = Parse("m.yaml", []byte(twoClasses), s); err == nil || err.Error() != want {
			t.Errorf("%s:\n got %v\nwant %s", set, err, want)
		}
	}
}

// TestWithMoreSettings: further settings make the same model, or find the same mistake, as if the text were read with all of them, and
// leave the model as it is.
func TestWithMoreSettings(t *testing.T) {
	text := []byte(small + "dynamic: {shrink: [&c {exponential: {mean: 3}}, *c]}\n")
	first := Set{Path: "arrivals.rate", Value: "0.2"}
	m := parse(t, string(text), first)
	before := written(t, m)
	for _, more := range [][]Set{
		nil,
		{{Path: "arrivals.rate", Value: "0.3"}},
		{{Path: "arrivals.load", Value: "0.5"}, {Path: "title", Value: "other"}},
		{{Path: "dynamic.shrink[1].exponential.mean", Value: "7"}},
		{{Path: "dynamic.overhead.exponential.mean", Value: "5s"}},
		{{Path: "dynamic", Value: "null"}},
		{{Path: "dynamic.shrink[9]", Value: "1"}, {Path: "machine.nods", Value: "3"}},
		{{Path: "jobs.demand.mean", Value: "-3s"}, {Path: "arrivals.rate", Value: "-1"}},
	} {
		got, err := m.With(more...)
		want, wrong := Parse("m.yaml", text, append([]Set{first}, more...)...)
		if fmt.Sprint(err) != fmt.Sprint(wrong) {
			t.Errorf("%v:\n got %v\nwant %v", more, err, wrong)
			continue
		}
		if err == nil && (written(t, got) != written(t, want) || !reflect.DeepEqual(got.Assumed, want.Assumed)) {
			t.Errorf("%v:\n got %s\nwant %s", more, written(t, got), written(t, want))
		}
	}
	if after := written(t, m); after != before {
		t.Errorf("the model became\n%s", after)
	}
	if _, err := new(Model).With(first); err == nil {
		t.Error("a model of no text has a setting")
	}
}

// written returns a model as a file.
func written(t *testing.T, m *Model) string {
	t.Helper()
	var text strings.Builder
	if err := WriteModel(&text, m); err != nil {
		t.Fatal(err)
	}
	return text.String()
}
