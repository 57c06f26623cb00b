package modelfile

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/partwise/partwise/models/modelfile/internal/tree"
	"github.com/partwise/partwise/testdata/phtest"
)

var update = flag.Bool("update", false, "rewrite the reference of files in docs")

// schemas are those of all kinds of files.
var schemas = map[string]func() []byte{
	"model":        func() []byte { return Schema("model") },
	"study":        func() []byte { return Schema("study") },
	"distribution": func() []byte { return Schema("distribution") },
}

// schemaTree reads a schema; our own nodes keep the order of the text.
func schemaTree(t *testing.T, name string) *tree.Node {
	t.Helper()
	data := schemas[name]()
	var errs tree.Collector
	root := tree.ReadTree(name+".json", data, &errs)
	if root == nil {
		t.Fatal(errs.Err())
	}
	return root
}

// at returns the value behind keys, nil if there is none.
func at(n *tree.Node, keys ...string) *tree.Node {
	for _, k := range keys {
		if n = n.Lookup(k); n == nil {
			return nil
		}
	}
	return n
}

// say returns the text of a key, "" if there is none.
func say(n *tree.Node, key string) string {
	if v := n.Lookup(key); v != nil {
		return v.Value
	}
	return ""
}

// TestEveryPropertyIsDescribed: an editor has something to show wherever the pointer rests.
func TestEveryPropertyIsDescribed(t *testing.T) {
	for name := range schemas {
		root := schemaTree(t, name)
		var walk func(path string, n *tree.Node)
		walk = func(path string, n *tree.Node) {
			if n.Kind == tree.List {
				for i, item := range n.Items {
					walk(fmt.Sprintf("%s[%d]", path, i), item)
				}
			}
			if properties := at(n, "properties"); n.Kind == tree.Mapping && properties != nil && n.Lookup("required") == nil ||
				n.Kind == tree.Mapping && properties != nil && n.Lookup("additionalProperties") != nil {
				for _, e := range properties.Entries {
					described := say(e.Value, "description")
					if ref := say(e.Value, "$ref"); described == "" && ref != "" {
						described = say(at(root, "$defs", strings.TrimPrefix(ref, "#/$defs/")), "description")
					}
					if described == "" && e.Value.Kind == tree.Mapping {
						t.Errorf("%s: %s.%s has no description", name, path, e.Key.Value)
					}
				}
			}
			for _, e := range n.Entries {
				walk(path+"/"+e.Key.Value, e.Value)
			}
		}
		walk("", root)
	}
}

// referenceView writes a schema as nested lists: the file, then what it refers to. Values without fields, such as times,
// share one list.
type referenceView struct {
	strings.Builder
	root *tree.Node
}

func (v *referenceView) schema() {
	v.fields("", v.root)
	defs := v.root.Lookup("$defs")
	if defs == nil {
		return
	}
	var values []string
	for _, e := range defs.Entries {
		d := e.Value
		if !hasFields(d) {
			values = append(values, v.line("- *"+e.Key.Value+"*", v.value(d), say(d, "description")))
			continue
		}
		fmt.Fprintf(v, "\n#### %s\n\n", e.Key.Value)
		if text := say(d, "description"); text != "" {
			v.WriteString(text + "\n\n")
		}
		if value := v.value(d); value != "mapping" {
			v.WriteString("Written as " + value + ".\n\n")
		}
		v.fields("", d)
	}
	v.WriteString("\nValues:\n\n" + strings.Join(values, ""))
}

func hasFields(n *tree.Node) bool {
	found := n.Lookup("properties") != nil || n.Lookup("patternProperties") != nil
	if any := n.Lookup("anyOf"); any != nil {
		for _, one := range any.Items {
			found = found || hasFields(one)
		}
	}
	return found
}

// fields writes the fields of a mapping, each followed by those beneath it.
func (v *referenceView) fields(indent string, n *tree.Node) {
	needed := ""
	if required := n.Lookup("required"); required != nil {
		for _, r := range required.Items {
			needed += " " + r.Value + " "
		}
	}
	if properties := n.Lookup("properties"); properties != nil {
		for _, e := range properties.Entries {
			v.field(indent, e.Key.Value, e.Value, strings.Contains(needed, " "+e.Key.Value+" "))
		}
	}
	for _, key := range []string{"patternProperties", "additionalProperties"} {
		rest := n.Lookup(key)
		if rest == nil || rest.Kind != tree.Mapping {
			continue
		}
		if key == "patternProperties" {
			rest = rest.Entries[0].Value
		}
		v.field(indent, "*", rest, false)
	}
	v.beneath(indent, n)
}

// beneath writes the fields of the forms that a value may have, and of the entries of a list.
func (v *referenceView) beneath(indent string, n *tree.Node) {
	if forms := n.Lookup("anyOf"); forms != nil {
		for _, one := range forms.Items {
			v.fields(indent, one)
		}
	}
	if items := n.Lookup("items"); items != nil {
		v.fields(indent, items)
	}
}

// field writes a field. What it refers to is described where it is defined.
func (v *referenceView) field(indent, name string, n *tree.Node, needed bool) {
	if n.Kind != tree.Mapping {
		return // false: what must not stand beside others
	}
	meaning := say(n, "description")
	if d := n.Lookup("default"); d != nil && !strings.Contains(meaning, "default") {
		meaning += " Default: " + d.Value + "."
	}
	head := "`" + name + "`"
	if needed {
		head = "**" + head + "**"
	}
	value := strings.TrimSuffix(v.value(n), "mapping")
	if value == "text" {
		value = "" // what most fields without a list of values are
	}
	v.WriteString(v.line(indent+"- "+head, value, meaning))
	if say(n, "$ref") == "" {
		v.fields(indent+"  ", n)
	}
}

// line joins what a name stands for: its value, and its meaning.
func (v *referenceView) line(name, value, meaning string) string {
	if value = strings.TrimSuffix(strings.TrimSuffix(value, " or "), " of "); value != "" {
		name += " (" + value + ")"
	}
	if meaning = strings.TrimSpace(meaning); meaning != "" && name != "" {
		meaning = ": " + meaning
	}
	return name + meaning + "\n"
}

// mostListed is how many values a list shows. Only the measures are more, which have a page.
const mostListed = 10

// value says what a value is.
func (v *referenceView) value(n *tree.Node) string {
	if ref := say(n, "$ref"); ref != "" {
		name := strings.TrimPrefix(ref, "#/$defs/")
		if !hasFields(at(v.root, "$defs", name)) {
			return "*" + name + "*"
		}
		return "[" + name + "](#" + strings.ToLower(name) + ")"
	}
	if c := n.Lookup("const"); c != nil {
		return "`" + c.Value + "`"
	}
	if enum := n.Lookup("enum"); enum != nil {
		var all []string
		for _, one := range enum.Items {
			all = append(all, "`"+one.Value+"`")
		}
		if len(all) > mostListed {
			return "[list](measures.md)"
		}
		return strings.Join(all, ", ")
	}
	if forms := n.Lookup("anyOf"); forms != nil && n.Lookup("type") == nil {
		var all []string
		for _, one := range forms.Items {
			all = append(all, v.value(one))
		}
		return strings.Join(all, " or ")
	}
	return v.typed(n)
}

func (v *referenceView) typed(n *tree.Node) string {
	types := []string{say(n, "type")}
	if many := n.Lookup("type"); many != nil && many.Kind == tree.List {
		types = nil
		for _, one := range many.Items {
			types = append(types, one.Value)
		}
	}
	var all []string
	for _, one := range types {
		switch one {
		case "string":
			all = append(all, "text")
		case "integer":
			all = append(all, "integer"+bounds(n))
		case "number":
			all = append(all, "number"+bounds(n))
		case "array":
			of := "values"
			if items := n.Lookup("items"); items != nil {
				of = v.value(items)
			}
			all = append(all, "list of "+of)
		case "null":
			all = append(all, "nothing")
		default:
			all = append(all, "mapping")
		}
	}
	return strings.TrimSuffix(strings.Join(all, " or "), "mapping or nothing") // null is as good as left out, the page says
}

func bounds(n *tree.Node) string {
	low, high := say(n, "minimum"), say(n, "maximum")
	if low != "" && high != "" {
		return " " + low + " to " + high
	}
	var all []string
	for _, b := range []struct{ key, sign string }{
		{"minimum", "≥"}, {"exclusiveMinimum", ">"}, {"maximum", "≤"}, {"exclusiveMaximum", "<"},
	} {
		if limit := say(n, b.key); limit != "" {
			all = append(all, " "+b.sign+" "+limit)
		}
	}
	return strings.Join(all, ",")
}

// TestReferenceOfFiles holds docs/model-file.md to the schemas; -update rewrites its lists.
func TestReferenceOfFiles(t *testing.T) {
	for name := range schemas {
		if name == "distribution" {
			continue // the schema is its own document: few write such files by hand
		}
		v := &referenceView{root: schemaTree(t, name)}
		v.schema()
		phtest.HoldPage(t, "../../docs/model-file.md", "schema "+name, v.String(), *update)
	}
}

// TestModelsInDocuments reads the models that the documents show.
func TestModelsInDocuments(t *testing.T) {
	fence := regexp.MustCompile("(?s)```yaml\n(.*?)```")
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	dir, models := t.TempDir(), 0
	const other = `{"kind": "phase_type", "time_unit": "s", "alpha": [1], "T": [[-1]]}`
	for _, name := range []string{"expand.ph.json", "work.ph.json"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(other), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, page := range append(pages, "../../README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range fence.FindAllStringSubmatch(string(text), -1) {
			if !strings.Contains(m[1], "\nmachine:") {
				continue // a study, or a part of a file
			}
			models++
			if _, err := Parse(filepath.Join(dir, "model.yaml"), []byte(m[1])); err != nil {
				t.Errorf("%s: %v", page, err)
			}
		}
	}
	if models < 2 {
		t.Errorf("%d models in the documents", models)
	}
}
