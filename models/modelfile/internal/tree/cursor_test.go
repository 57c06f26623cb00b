package tree

import (
	encoding "encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"go.yaml.in/yaml/v3"

	"github.com/partwise/partwise/models/measure"
)

// TestReading reads one value in many ways: what comes of it, or what is said of it.
func TestReading(t *testing.T) {
	for _, c := range []struct {
		text, want string
		read       func(c *Cursor) any
	}{
		{"3", "3", func(c *Cursor) any { return c.Number() }},
		{"-0.5", "-0.5 is negative", func(c *Cursor) any { return c.Nonnegative() }},
		{"0", "0 is not positive", func(c *Cursor) any { return c.Positive() }},
		{"1.5", "1.5 is not a probability; did you mean 1.5%?", func(c *Cursor) any { return c.Probability() }},
		{"2.5", "2.5 is not a whole number", func(c *Cursor) any { return c.Whole(1, 9) }},
		{"10", "10 is more than 9, the most that is supported", func(c *Cursor) any { return c.Whole(1, 9) }},
		{"1e999", "1e999 is too large", func(c *Cursor) any { return c.Number() }},
		{`"3"`, `expected a number, got "3"; remove the quotes`, func(c *Cursor) any { return c.Number() }},
		{"70%", "0.7", func(c *Cursor) any { return c.Number() }},
		{`"0.1 %"`, "0.001", func(c *Cursor) any { return c.Number() }},
		{"70%", `expected a whole number, got "70%"; write it without the per cent sign`, func(c *Cursor) any { return c.Whole(1, 9) }},
		{"10", "10 is a load that no machine keeps up with; did you mean 10%?", func(c *Cursor) any { return c.Load() }},
		{"500", "500 is a load that no machine keeps up with; did you mean 500%?", func(c *Cursor) any { return c.Load() }},
		{"501", "501 is a load that no machine keeps up with", func(c *Cursor) any { return c.Load() }},
		{"600%", `"600%" is a load that no machine keeps up with`, func(c *Cursor) any { return c.Load() }},
		{"{from: 10%, to: 120, step: 1}", "to: 120 is a load that no machine keeps up with; did you mean 120%?",
			func(c *Cursor) any { return c.OneOrMany("load", (*Cursor).Load) }},
		{"1:120", "120 is a load that no machine keeps up with; did you mean 120%?", func(c *Cursor) any { return c.OneOrMany("load", (*Cursor).Load) }},
		{"10%:30%:10%", "[0.1 0.2 0.3]", func(c *Cursor) any { return c.OneOrMany("load", (*Cursor).Load) }},
		{"[5, 50]", "[1]: 50 is a load that no machine keeps up with; did you mean 50%?",
			func(c *Cursor) any { return c.OneOrMany("load", (*Cursor).Load) }},
		{"1m", "1", func(c *Cursor) any { return c.Time() }},
		{"1h30m", "90", func(c *Cursor) any { return c.Time() }},
		{"30m1h", `expected a time, got "30m1h"; write a number of min, or with a unit such as "30s"; units are us, ms, s, min, h or d`,
			func(c *Cursor) any { return c.Time() }},
		{"m", "{min 60 60000000}", func(c *Cursor) any { return c.TimeUnit() }},
		{"1,000", `expected a number, a list of numbers or {from: 0.1, to: 1, step: 0.1}, got "1,000"; write it without separators`,
			func(c *Cursor) any { return c.OneOrMany("number", (*Cursor).Number) }},
		{"90s", "1.5", func(c *Cursor) any { return c.Time() }},
		{"90", "90", func(c *Cursor) any { return c.Time() }},
		{"90", "1.5", func(c *Cursor) any {
			u, _ := measure.TimeUnitNamed("s")
			return c.In(u).Time() / 60
		}},
		{"1 week", `expected a time, got "1 week"; write a number of min, or with a unit such as "30s"; units are us, ms, s, min, h or d`,
			func(c *Cursor) any { return c.Time() }},
		{"120/h", "2", func(c *Cursor) any { return c.Rate() }},
		{"30s", `expected a rate, got "30s"; that is a time; write a number per min, or with a unit such as "2/h"`,
			func(c *Cursor) any { return c.PositiveRate() }},
		{"sec", `expected a time unit, got "sec"; use us, ms, s, min, h or d`, func(c *Cursor) any { return c.TimeUnit() }},
		{"gren", `expected a colour, got "gren"; did you mean "green"?`, func(c *Cursor) any { return Word(c, "a colour", "red", "green") }},
		{"7", "expected a title, got 7; put it in quotes", func(c *Cursor) any { return c.Text("a title") }},
		{"[1, 2]", "[1 2]", func(c *Cursor) any { return c.Numbers("numbers", (*Cursor).Number) }},
		{"[]", "is empty", func(c *Cursor) any { return c.Numbers("numbers", (*Cursor).Number) }},
		{"[1, x]", `[1]: expected a number, got "x"`, func(c *Cursor) any { return c.Numbers("numbers", (*Cursor).Number) }},
		{"{a: 1}", "expected a list of probabilities, got a mapping", func(c *Cursor) any { return c.Numbers("probabilities", (*Cursor).Number) }},
		{"[[1, 2], [3]]", "[1]: has 1 entry, the first row has 2", func(c *Cursor) any { return c.Matrix() }},
		{"[[1, 2], [3, 4]]", "4", func(c *Cursor) any { return c.Matrix().At(1, 1) }},
		{"[]", "is empty", func(c *Cursor) any { return c.Matrix() }},
		{"0.1:0.3:0.1", "[0.1 0.2 0.3]", func(c *Cursor) any { return c.OneOrMany("load", (*Cursor).Positive) }},
		{"0.1:0.3:0.1,0.7", "[0.1 0.2 0.3 0.7]", func(c *Cursor) any { return c.OneOrMany("load", (*Cursor).Positive) }},
		{"[1:3, {from: 7, to: 8, step: 0.5}, [9]]", "[1 2 3 7 7.5 8 9]", func(c *Cursor) any { return c.OneOrMany("load", (*Cursor).Positive) }},
		{"[0:3]", "[0]: 0 is not positive", func(c *Cursor) any { return c.OneOrMany("load", (*Cursor).Positive) }},
		{"[3:1]", "[0]: the end 1 is less than the beginning 3; write the smaller one first",
			func(c *Cursor) any { return c.OneOrMany("load", (*Cursor).Positive) }},
		{"x", `expected a load, a list of loads or {from: 0.1, to: 1, step: 0.1}, got "x"`,
			func(c *Cursor) any { return c.OneOrMany("load", (*Cursor).Positive) }},
		{"[x]", `[0]: expected a load, a list of loads or {from: 0.1, to: 1, step: 0.1}, got "x"`,
			func(c *Cursor) any { return c.OneOrMany("load", (*Cursor).Positive) }},
		{"{from: 1, to: 2, step: 1e-9}", "step: makes more than 100000 values; take larger steps",
			func(c *Cursor) any { return c.OneOrMany("load", (*Cursor).Positive) }},
		{"'1:3'", "[1 2 3]",
			func(c *Cursor) any { return c.OneOrMany("load", (*Cursor).Positive) }},
		{"a.b[2]", "a.b[2]", func(c *Cursor) any { return c.Steps() }},
		{"a..b", `a part of the path "a..b" is empty`, func(c *Cursor) any { return c.Steps() }},
	} {
		min, _ := measure.TimeUnitNamed("min")
		errs := new(Collector)
		root := Root(readTree(t, "m.yaml", c.text), errs).In(min)
		got := fmt.Sprint(c.read(root))
		if err := errs.Err(); (err == nil) != root.Valid() {
			t.Errorf("%s: %v beside %v", c.text, root.Valid(), err)
		} else if err != nil {
			_, got, _ = strings.Cut(err.Error(), ": ")
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.text, diff)
		}
	}
}

func TestKeys(t *testing.T) {
	for text, want := range map[string]string{
		"3":                              "m.yaml:1:1: expected a mapping with name, one, other or title, got 3",
		"nme: a\none: 1":                 "m.yaml:1:1: nme: unknown field; did you mean \"name\"?",
		"{name: 1,5h, one: 1}":           "m.yaml:1:10: 5h: unknown field; write a decimal point: a comma ends the value, as in mean: 1.5h",
		"name:\none: 1":                  "m.yaml:1:1: name: has no value; give it one or remove the line",
		"one: 1":                         "m.yaml:1:1: name: is missing; give one",
		"name: a":                        "m.yaml:1:1: exactly one of one or other is needed",
		"{name: a, one: 1, other: 2}":    `m.yaml:1:19: other: cannot stand beside "one"; exactly one of one or other is needed`,
		"{name: a, one: 1, title: null}": "",
	} {
		errs := new(Collector)
		c := Root(readTree(t, "m.yaml", text), errs)
		c.Keys("name", "one", "other", "title?")
		c.Need("name", "give one")
		c.OneOf("one", "other")
		got := ""
		if err := errs.Err(); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
	}
}

func TestFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.csv"), []byte("1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"a.csv":  "1\n",
		"no.csv": "there is no file DIR" + string(filepath.Separator) + "no.csv",
		".":      "DIR is not a regular file",
	} {
		errs := new(Collector)
		root := Root(readTree(t, filepath.Join(dir, "m.yaml"), text), errs)
		got := string(root.ReadFile(root.FilePath("the name of a file")))
		var one *Error
		if errors.As(errs.Err(), &one) {
			got = strings.ReplaceAll(one.Problem, dir, "DIR")
		}
		if got != want || root.Valid() != (one == nil) {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

func TestWarn(t *testing.T) {
	errs := new(Collector)
	root := Root(readTree(t, "m.yaml", "a: [1, 2]"), errs)
	root.Child("a", readTree(t, "m.yaml", "[1, 2]")).Item(1).Warn("%d is much", 2)
	if w := root.Warnings(); len(w) != 1 || w[0].Error() != "m.yaml:1:5: a[1]: 2 is much" || errs.Err() != nil {
		t.Errorf("warnings %v", w)
	}
}

// whole reports whether a tree holds all that another reader finds in the text: no key, no element and no value is lost,
// whatever aliases and anchors it has.
func whole(n *Node, v any) bool {
	switch v := v.(type) {
	case map[string]any:
		if n.Kind != Mapping || len(n.Entries) != len(v) {
			return false
		}
		for _, e := range n.Entries {
			if value, there := v[e.Key.Value]; there && !whole(e.Value, value) { // keys such as 1.0 may be written otherwise
				return false
			}
		}
		return true
	case map[any]any:
		return n.Kind == Mapping && len(n.Entries) == len(v)
	case []any:
		return n.Kind == List && len(n.Items) == len(v) && wholeItems(n.Items, v)
	case nil:
		return n.Kind == Null
	case string:
		return n.Kind != Mapping && n.Kind != List && n.Value == v
	}
	return n.Kind != Mapping && n.Kind != List && n.Kind != Null
}

func wholeItems(items []*Node, v []any) bool {
	for i := range v {
		if !whole(items[i], v[i]) {
			return false
		}
	}
	return true
}

// FuzzRead: reading any text ends in a tree that holds all of it, or in mistakes that say where they are.
func FuzzRead(f *testing.F) {
	for _, text := range []string{"a: [1, {b: 'c'}]", `{"a": [1, null, true]}`, "a: &x [1]\nb: *x", "&k a: 1\nb: *k\n*k : 2",
		"&k version: 1\nnote: *k\nload: {x: *k, y: &z [1, *k]}\nw: *z", "- 1\n- {", "a: |\n  x\n", "'a': \"b\""} {
		f.Add(false, text)
		f.Add(true, text)
	}
	f.Fuzz(func(t *testing.T, json bool, text string) {
		name := "m.yaml"
		if json {
			name = "m.json"
		}
		var errs Collector
		root := ReadTree(name, []byte(text), &errs)
		if (root == nil) != (errs.Noted() > 0) {
			t.Fatalf("%q: %v, %v", text, root, errs.Err())
		}
		var value any
		unmarshal := yaml.Unmarshal
		if json {
			unmarshal = encoding.Unmarshal
		}
		if root != nil && unmarshal([]byte(text), &value) == nil && !whole(root, value) {
			t.Fatalf("%q is not all of %q", root.Flow(), text)
		}
		var all Errors
		errors.As(errs.Err(), &all)
		for _, e := range all {
			if e.Line < 1 || e.Column < 1 || e.File != name {
				t.Fatalf("no place: %v", e)
			}
			e.Excerpt()
		}
	})
}
