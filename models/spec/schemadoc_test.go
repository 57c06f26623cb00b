package spec

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the reference of files in docs")

// schemas are those of all kinds of files.
var schemas = map[string]func() []byte{
	"model": ModelSchema, "study": StudySchema, "allocation": AllocationSchema, "distribution": DistributionSchema,
}

// schemaTree reads a schema; our own nodes keep the order of the text.
func schemaTree(t *testing.T, name string) *node {
	t.Helper()
	data := schemas[name]()
	var errs collector
	root := readTree(newSource(name+".json", data), data, &errs)
	if root == nil {
		t.Fatal(errs.err())
	}
	return root
}

// at returns the value behind keys, nil if there is none.
func (n *node) at(keys ...string) *node {
	for _, k := range keys {
		if n = n.lookup(k); n == nil {
			return nil
		}
	}
	return n
}

func (n *node) say(key string) string {
	if v := n.lookup(key); v != nil {
		return v.value
	}
	return ""
}

// TestEveryPropertyIsDescribed: an editor has something to show wherever the pointer rests.
func TestEveryPropertyIsDescribed(t *testing.T) {
	for name := range schemas {
		root := schemaTree(t, name)
		var walk func(path string, n *node)
		walk = func(path string, n *node) {
			if n.kind == list {
				for i, item := range n.items {
					walk(fmt.Sprintf("%s[%d]", path, i), item)
				}
			}
			if properties := n.at("properties"); n.kind == mapping && properties != nil && n.lookup("required") == nil ||
				n.kind == mapping && properties != nil && n.lookup("additionalProperties") != nil {
				for _, e := range properties.entries {
					described := e.value.say("description")
					if ref := e.value.say("$ref"); described == "" && ref != "" {
						described = root.at("$defs", strings.TrimPrefix(ref, "#/$defs/")).say("description")
					}
					if described == "" && e.value.kind == mapping {
						t.Errorf("%s: %s.%s has no description", name, path, e.key.value)
					}
				}
			}
			for _, e := range n.entries {
				walk(path+"/"+e.key.value, e.value)
			}
		}
		walk("", root)
	}
}

// referenceView writes a schema as tables: the file, then what it refers to.
type referenceView struct {
	strings.Builder
	root *node
}

func (v *referenceView) schema() {
	v.table("", v.root)
	defs := v.root.lookup("$defs")
	if defs == nil {
		return
	}
	for _, e := range defs.entries {
		d := e.value
		fmt.Fprintf(v, "\n#### %s\n\n", e.key.value)
		if text := d.say("description"); text != "" {
			v.WriteString(text + "\n\n")
		}
		if value := v.value(d); value != "mapping" {
			v.WriteString("Written as " + value + ".\n")
		}
		if hasFields(d) {
			v.WriteString("\n")
			v.table("", d)
		}
	}
}

func hasFields(n *node) bool {
	found := n.lookup("properties") != nil || n.lookup("patternProperties") != nil
	if any := n.lookup("anyOf"); any != nil {
		for _, one := range any.items {
			found = found || hasFields(one)
		}
	}
	return found
}

func (v *referenceView) table(path string, n *node) {
	v.WriteString("| field | value | meaning |\n|---|---|---|\n")
	v.rows(path, n)
}

// rows writes the fields of a mapping, each followed by those beneath it.
func (v *referenceView) rows(path string, n *node) {
	needed := ""
	if required := n.lookup("required"); required != nil {
		for _, r := range required.items {
			needed += " " + r.value + " "
		}
	}
	if properties := n.lookup("properties"); properties != nil {
		for _, e := range properties.entries {
			v.row(path+e.key.value, e.value, strings.Contains(needed, " "+e.key.value+" "))
		}
	}
	if pattern := n.lookup("patternProperties"); pattern != nil {
		for _, e := range pattern.entries {
			v.row(path+"*", e.value, false)
		}
	}
	if additional := n.lookup("additionalProperties"); additional != nil && additional.kind == mapping {
		v.row(path+"*", additional, false)
	}
	v.beneath(path, n)
}

// beneath writes the fields of the forms that a value may have.
func (v *referenceView) beneath(path string, n *node) {
	if forms := n.lookup("anyOf"); forms != nil {
		for _, one := range forms.items {
			v.rows(path, one)
			if items := one.lookup("items"); items != nil {
				v.rows(strings.TrimSuffix(path, ".")+"[].", items)
			}
		}
	}
	if items := n.lookup("items"); items != nil {
		v.rows(strings.TrimSuffix(path, ".")+"[].", items)
	}
}

func (v *referenceView) row(path string, n *node, needed bool) {
	if n.kind != mapping {
		return // false: what must not stand beside others
	}
	meaning := n.say("description")
	if ref := n.say("$ref"); meaning == "" && ref != "" {
		meaning = v.root.at("$defs", strings.TrimPrefix(ref, "#/$defs/")).say("description")
	}
	if needed {
		meaning += " Needed."
	}
	if d := n.lookup("default"); d != nil && !strings.Contains(meaning, "default") {
		meaning += " Default: " + d.value + "."
	}
	fmt.Fprintf(v, "| `%s` | %s | %s |\n", path, v.value(n), strings.ReplaceAll(meaning, "|", "\\|"))
	if n.say("$ref") == "" {
		v.rows(path+".", n)
	}
}

// value says what a value is.
func (v *referenceView) value(n *node) string {
	if ref := n.say("$ref"); ref != "" {
		name := strings.TrimPrefix(ref, "#/$defs/")
		return "[" + name + "](#" + strings.ToLower(name) + ")"
	}
	if c := n.lookup("const"); c != nil {
		return "`" + c.value + "`"
	}
	if enum := n.lookup("enum"); enum != nil {
		var all []string
		for _, one := range enum.items {
			all = append(all, "`"+one.value+"`")
		}
		return strings.Join(all, ", ")
	}
	if forms := n.lookup("anyOf"); forms != nil && n.lookup("type") == nil {
		var all []string
		for _, one := range forms.items {
			all = append(all, v.value(one))
		}
		return strings.Join(all, " or ")
	}
	return v.typed(n)
}

func (v *referenceView) typed(n *node) string {
	types := []string{n.say("type")}
	if many := n.lookup("type"); many != nil && many.kind == list {
		types = nil
		for _, one := range many.items {
			types = append(types, one.value)
		}
	}
	var all []string
	for _, one := range types {
		switch one {
		case "string":
			all = append(all, "text")
		case "integer":
			all = append(all, "whole number"+bounds(n))
		case "number":
			all = append(all, "number"+bounds(n))
		case "array":
			of := "values"
			if items := n.lookup("items"); items != nil {
				of = v.value(items)
			}
			all = append(all, "list of "+of)
		case "null":
			all = append(all, "nothing")
		default:
			all = append(all, "mapping")
		}
	}
	return strings.Join(all, " or ")
}

func bounds(n *node) string {
	var all []string
	for _, b := range []struct{ key, sign string }{
		{"minimum", "≥"}, {"exclusiveMinimum", ">"}, {"maximum", "≤"}, {"exclusiveMaximum", "<"},
	} {
		if limit := n.say(b.key); limit != "" {
			all = append(all, " "+b.sign+" "+limit)
		}
	}
	return strings.Join(all, ",")
}

var generated = regexp.MustCompile(`(?s)(<!-- schema (\w+) -->\n).*?(<!-- end of schema -->)`)

// TestReferenceOfFiles holds docs/model-file.md to the schemas; -update rewrites its tables.
func TestReferenceOfFiles(t *testing.T) {
	const page = "../../docs/model-file.md"
	before, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	after := generated.ReplaceAllStringFunc(string(before), func(part string) string {
		m := generated.FindStringSubmatch(part)
		seen[m[2]] = true
		v := &referenceView{root: schemaTree(t, m[2])}
		v.schema()
		return m[1] + v.String() + m[3]
	})
	for name := range schemas {
		if !seen[name] {
			t.Errorf("%s has no tables of %s files", page, name)
		}
	}
	if *update {
		if err := os.WriteFile(page, []byte(after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(before), after); diff != "" {
		t.Errorf("%s is not what the schemas say (-page +schemas); -update rewrites it:\n%s", page, diff)
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
