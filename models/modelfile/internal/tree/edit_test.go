package tree

import (
	"slices"
	"testing"

	_ "github.com/partwise/partwise/testdata/phtest"
	"pgregory.net/rapid"
)

// readTree reads a text that must be right.
func readTree(t *testing.T, name, text string) *Node {
	t.Helper()
	var errs Collector
	root := ReadTree(name, []byte(text), &errs)
	if root == nil {
		t.Fatal(errs.Err())
	}
	return root
}

func TestApply(t *testing.T) {
	const text = "machine: {nodes: 2}\ndemand: {erlang: {mean: 1, phases: 2}}\nlist: [&c {erlang: {mean: 3}}, *c]\n"
	for set, want := range map[Set]string{
		{Path: "machine.nodes", Value: "4"}: "{machine: {nodes: 4}, demand: {erlang: {mean: 1, phases: 2}}, " +
			"list: [{erlang: {mean: 3}}, {erlang: {mean: 3}}]}",
		{Path: "demand.mean", Value: "7s"}: "{machine: {nodes: 2}, demand: {erlang: {mean: 7s, phases: 2}}, " +
			"list: [{erlang: {mean: 3}}, {erlang: {mean: 3}}]}",
		{Path: "list[1].mean", Value: "9"}: "{machine: {nodes: 2}, demand: {erlang: {mean: 1, phases: 2}}, " +
			"list: [{erlang: {mean: 3}}, {erlang: {mean: 9}}]}",
		{Path: "list[0]", Value: "null"}: "{machine: {nodes: 2}, demand: {erlang: {mean: 1, phases: 2}}, " +
			"list: [null, {erlang: {mean: 3}}]}",
		{Path: "demand", Value: ""}:                             "{machine: {nodes: 2}, list: [{erlang: {mean: 3}}, {erlang: {mean: 3}}]}",
		{Path: `machine["1.5"].new`, Value: "[1, {a: 'b: c'}]"}: `{machine: {nodes: 2, 1.5: {new: [1, {a: "b: c"}]}}, demand: {erlang: {mean: 1, phases: 2}}, list: [{erlang: {mean: 3}}, {erlang: {mean: 3}}]}`,
		{Path: "demand.erlang", Value: "null"}:                  "{machine: {nodes: 2}, demand: {}, list: [{erlang: {mean: 3}}, {erlang: {mean: 3}}]}",
		{Path: "absent", Value: "null"}: "{machine: {nodes: 2}, demand: {erlang: {mean: 1, phases: 2}}, " +
			"list: [{erlang: {mean: 3}}, {erlang: {mean: 3}}]}",
	} {
		root := readTree(t, "m.yaml", text)
		before := root.Flow()
		e := Editor{Errs: new(Collector), Implied: []string{"erlang", "exponential"}}
		if got := e.Apply(root, []Set{set}).Flow(); got != want || e.Errs.Err() != nil {
			t.Errorf("%v: %v\n got %s\nwant %s", set, e.Errs.Err(), got, want)
		}
		if root.Flow() != before {
			t.Errorf("%v changed the tree that it was given", set)
		}
	}
}

func TestApplyMistakes(t *testing.T) {
	for set, want := range map[Set]string{
		{Path: "machine.nodes.x", Value: "3"}:              "--set machine.nodes.x=3: machine.nodes: there is no mapping here, but a number",
		{Path: "machine[0]", Value: "3"}:                   "--set machine[0]=3: machine: there is no list here, but a mapping",
		{Path: "list[2]", Value: "3"}:                      "--set list[2]=3: list[2]: the list has 2 entries, counted from 0",
		{Path: "list.a", Value: "3"}:                       "--set list.a=3: list: there is no mapping here, but a list; name an entry, such as [0]",
		{Path: "absent[0]", Value: "3"}:                    "--set absent[0]=3: absent: there is no list here, but nothing",
		{Path: "a[", Value: "3"}:                           "--set a[=3: a[: [ has no end",
		{Path: "machine", Value: "{"}:                      "--set machine={: '{' is never closed",
		{Path: "a.b[-1]", Value: "", Flag: "--over a.b[]"}: "--over a.b[]: a.b[-1]: [-1] is neither an index, counted from 0, nor a name",
	} {
		root := readTree(t, "m.yaml", "machine: {nodes: 2}\nlist: [1, 2]\n")
		e := Editor{Errs: new(Collector)}
		e.Apply(root, []Set{set})
		if err := e.Errs.Err(); err == nil || err.Error() != want {
			t.Errorf("%v:\n got %v\nwant %s", set, err, want)
		}
	}
}

// TestPathsRoundTrip: a path that is written is read back as it was.
func TestPathsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		step := rapid.Custom(func(t *rapid.T) Step {
			if rapid.Bool().Draw(t, "index") {
				return Step{Index: rapid.IntRange(0, 1000).Draw(t, "i")}
			}
			return KeyStep(rapid.StringOf(rapid.RuneFrom([]rune("ab1.[]=\"' é\n"))).Draw(t, "key"))
		})
		p := Path(rapid.SliceOfN(step, 1, 6).Draw(t, "path"))
		back, err := ParsePath(p.String())
		if err != nil || back.String() != p.String() || len(back) != len(p) {
			t.Fatalf("%q is read as %q: %v", p, back, err)
		}
		for i := range p {
			if back[i] != p[i] {
				t.Fatalf("%q: step %d is %+v, was %+v", p, i, back[i], p[i])
			}
		}
	})
}

// FuzzParsePath: a text that is a path is all of it: what the path is written as is the same path.
func FuzzParsePath(f *testing.F) {
	for _, text := range []string{"a.b[2].c", `["a.b"].c`, "[0]", "a..b", "a[", "a[1", `a["\"]"]`, "", ".a", "a.", "a[01]", "a[-1]"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		path, err := ParsePath(text)
		if err != nil {
			return
		}
		again, err := ParsePath(path.String())
		if err != nil || !slices.Equal(path, again) {
			t.Fatalf("%q is %#v, written %q, read again %#v, %v", text, path, path.String(), again, err)
		}
	})
}
