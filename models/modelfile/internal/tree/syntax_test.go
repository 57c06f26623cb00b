package tree

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// refusal returns what is wrong with a text, nil if it can be read.
func refusal(name, text string) error {
	var errs Collector
	if root := ReadTree(name, []byte(text), &errs); (root == nil) != (errs.Noted() > 0) {
		return fmt.Errorf("root %v beside %v", root, errs.Err())
	}
	return errs.Err()
}

func TestSyntax(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "m.yaml:1:1: the file is empty",
		"# nothing\n":               "m.yaml:1:1: the file is empty",
		"---\n":                     "m.yaml:1:1: the file is empty",
		"a: 1\nb: c: d\n":           "m.yaml:2:1: is not YAML: mapping values are not allowed in this context; put several fields in braces: b: {c: d}",
		"a:\n  b: 1\n c: 2\n":       "m.yaml:3:2: is not YAML: did not find expected key; indent this line as the other fields of its section",
		"a: 1\nb: [1,\n  2\nc: 3\n": "m.yaml:2:4: '[' is never closed",
		"a: 1\nb: \"x\\q\"\n": "m.yaml:2:1: is not YAML: found unknown escape character; write \\\\ in double quotes, or put " +
			"the text in single quotes",
		"a: 1\n  \tb: 2\n":            "m.yaml:2:3: a tab in the indentation; indent with spaces",
		"a: @x\n":                     "m.yaml:1:1: is not YAML: found character that cannot start any token; put the value in quotes",
		"a: 1\n---\nb: [\n":           "m.yaml:3:4: '[' is never closed",
		"a: {b: [1, 2}}\n":            "m.yaml:1:13: '}' closes the '[' of line 1",
		"a: 1\nb: Fr\xf6h\n":          "m.yaml:2:6: the file is not in UTF-8; save it in the encoding UTF-8",
		"a: ö\nb: \xc3(\n":            "m.yaml:2:4: the file is not in UTF-8; save it in the encoding UTF-8",
		"a: 1\nb: 2\x00\n":            "m.yaml:2:5: is not YAML: a control character; delete it",
		"a: 1\n# \x1b[0m\nb: 2\n":     "m.yaml:2:3: is not YAML: a control character; delete it",
		"a: [\"]\", 1 # ]\n, {b: '}'": "m.yaml:2:3: '{' is never closed",
	} {
		err := refusal("m.yaml", text)
		if err == nil {
			t.Errorf("accepted %q", text)
		} else if diff := cmp.Diff(want, err.Error()); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

// TestAnchoredKeys: an alias of a key stands for its text, wherever it is used.
func TestAnchoredKeys(t *testing.T) {
	root := readTree(t, "m.yaml", "&k version: 1\n? &n nodes\n: *k\nlist: [*n, {*k : *n}]\n")
	if diff := cmp.Diff("{version: 1, nodes: version, list: [nodes, {version: nodes}]}", root.Flow()); diff != "" {
		t.Error(diff)
	}
}

func TestTreeJSON(t *testing.T) {
	const right = `{"version": 1, "machine": {"nodes": 2},
 "service": [1e0, "2s"]}`
	for _, c := range []struct{ old, new, want string }{
		{`2}`, `2, "nodes": 3}`, "m.json:1:40: machine.nodes: duplicate key; it is already set in line 1"},
		{`{"nodes": 2}`, `{nodes: 2}`, "m.json:1:28: is not JSON: invalid character 'n' looking for beginning of object key string; " +
			"put the key in double quotes"},
		{`1e0`, `NaN`, "m.json:2:14: is not JSON: invalid character 'N' looking for beginning of value"},
		{`"2s"]}`, `"2s"]} {}`, "m.json:2:26: a second document begins here; a file holds one document; put the other in a file of its own"},
		{`"2s"]}`, `"2s"]`, "m.json:2:24: is not JSON: the file ends too early"},
	} {
		err := refusal("m.json", "\ufeff"+strings.Replace(right, c.old, c.new, 1))
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v, want %s", c.new, err, c.want)
		}
	}
	if err := refusal("m.json", " \n"); err == nil || err.Error() != "m.json:1:1: the file is empty" {
		t.Errorf("empty: %v", err)
	}
	if err := refusal("m.json", right); err != nil {
		t.Error(err)
	}
}

// TestJSONIsYAML: what JSON allows and YAML does not is read, too.
func TestJSONIsYAML(t *testing.T) {
	for text, want := range map[string]string{
		"\t{\"a\"\t:\t1}\n\t\n":                                    `{a: 1}`,
		`{"a": "\/ \\/ \ud83d\ude00"}`:                             `{a: / \/ 😀}`,
		`{"a": "\\ud800 \ud800x\uDC00"}`:                           "{a: \\ud800 \ufffdx\ufffd}",
		"{\"a\": \"\x7f\u0085\u009f \u2028 \u2029 \ufffe\uffff\"}": "{a: \x7f\u0085\u009f \u2028 \u2029 \ufffe\uffff}",
	} {
		if diff := cmp.Diff(want, readTree(t, "m.json", text).Flow()); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

// TestBounds checks that a small file cannot stand for a large one.
func TestBounds(t *testing.T) {
	var bomb strings.Builder
	bomb.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := range 12 {
		one := fmt.Sprintf("*a%d", i)
		fmt.Fprintf(&bomb, "a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(one+", ", 10), ", "))
	}
	var chain strings.Builder
	chain.WriteString("a0: &a0 {exponential: {mean: 1}}\n")
	for i := range 100 {
		fmt.Fprintf(&chain, "a%d: &a%d {sum: [*a%d]}\n", i+1, i+1, i)
	}
	for name, text := range map[string]string{
		"m.yaml stands for more than 4194304 values": bomb.String(),
		"m.yaml nested more than 64 levels deep":     "a: " + strings.Repeat("[", 5000) + strings.Repeat("]", 5000),
		"m.yaml (aliases) nested more than 64":       chain.String(),
		"m.json nested more than 64 levels deep":     `{"a": ` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + "}",
		"m.yaml exceeded max depth":                  "a: " + strings.Repeat("[", 50000) + strings.Repeat("]", 50000),
	} {
		file, want, _ := strings.Cut(name, " ")
		want = strings.TrimPrefix(want, "(aliases) ")
		err := refusal(file, text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %.200v", name, err)
		}
	}
}

// TestManyMistakes: a file of the wrong kind does not fill the screen.
func TestManyMistakes(t *testing.T) {
	var text strings.Builder
	for i := range 300 {
		fmt.Fprintf(&text, "y%d: {a: 1, a: 2}\n", i)
	}
	var errs Errors
	if err := refusal("m.yaml", text.String()); !errors.As(err, &errs) || len(errs) != maxErrors {
		t.Errorf("%d mistakes", len(errs))
	}
	if all := errs.Unwrap(); len(all) != maxErrors || all[0] != error(errs[0]) {
		t.Errorf("%d mistakes", len(all))
	}
}

func TestExcerpt(t *testing.T) {
	var one *Error
	if err := refusal("m.yaml", "a: 1\njobs: {demand: 1, demand: 2}\n"); !errors.As(err, &one) {
		t.Fatal(err)
	}
	want := "   2 | jobs: {demand: 1, demand: 2}\n" +
		"     |                   ^\n"
	if diff := cmp.Diff(want, one.Excerpt()); diff != "" {
		t.Error(diff)
	}
	long := &Error{Line: 1, Column: 251, text: strings.Repeat("a", 250) + "b" + strings.Repeat("c", 250)}
	lines := strings.Split(long.Excerpt(), "\n")
	if at := strings.IndexByte(lines[1], '^'); []rune(lines[0])[at] != 'b' || len([]rune(lines[0])) > 110 {
		t.Errorf("excerpt of a long line:\n%s", long.Excerpt())
	}
	tab := &Error{Line: 1, Column: 3, text: "\té!"}
	if got := tab.Excerpt(); got != "   1 | \té!\n     | \t ^\n" {
		t.Errorf("excerpt with a tab: %q", got)
	}
	if (&Error{File: "--set a=1"}).Excerpt() != "" {
		t.Error("a setting has no excerpt")
	}
}
