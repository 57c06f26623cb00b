package modelfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/partwise/partwise/fit"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile/internal/tree"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

func compiled(t *testing.T, schema []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.UseRegexpEngine(func(s string) (jsonschema.Regexp, error) { return regexp.Compile(s) })
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// plainValue returns the node as package json would decode it.
func plainValue(n *tree.Node) any {
	switch n.Kind {
	case tree.Null:
		return nil
	case tree.Boolean:
		return strings.EqualFold(n.Value, "true")
	case tree.Number:
		return json.Number(n.Value)
	case tree.List:
		all := make([]any, len(n.Items))
		for i, item := range n.Items {
			all[i] = plainValue(item)
		}
		return all
	case tree.Mapping:
		all := make(map[string]any, len(n.Entries))
		for _, e := range n.Entries {
			all[e.Key.Value] = plainValue(e.Value)
		}
		return all
	}
	return n.Value
}

// value reads a text into a value for the validator.
func value(t *testing.T, name string, data []byte) any {
	t.Helper()
	var errs tree.Collector
	root := tree.ReadTree(name, data, &errs)
	if root == nil {
		t.Fatal(errs.Err())
	}
	return plainValue(root)
}

// TestSchemaOnTestdata validates every file of the repository that an editor would hold against a schema.
func TestSchemaOnTestdata(t *testing.T) {
	model, study := compiled(t, Schema("model")), compiled(t, Schema("study"))
	files, err := filepath.Glob("../../testdata/*/*.yaml")
	shown, err2 := filepath.Glob("../../cmd/partwise/internal/starter/examples/*.yaml")
	files = append(files, shown...)
	if err != nil || err2 != nil || len(files) < 20 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		schema, name := model, "model.schema.json"
		if bytes.Contains(data, []byte("\nseries:")) {
			schema, name = study, "study.schema.json"
		}
		if err := schema.Validate(value(t, f, data)); err != nil {
			t.Errorf("%s: %v", f, err)
		}
		if slices.Contains(shown, f) {
			continue // partwise schema prints what they name
		}
		first, _, _ := strings.Cut(string(data), "\n")
		named, ok := strings.CutPrefix(first, "# yaml-language-server: $schema=")
		_, err = os.Stat(filepath.Join(filepath.Dir(f), named))
		if !ok || err != nil || !strings.HasSuffix(named, name) {
			t.Errorf("%s: first line %q does not name its schema", f, first)
		}
	}
	fitted, err := filepath.Glob("../../testdata/*/*.[pm]*.json")
	if err != nil || len(fitted) < 4 {
		t.Fatalf("%d distributions, %v", len(fitted), err)
	}
	distribution := compiled(t, Schema("distribution"))
	for _, f := range fitted {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if err := distribution.Validate(value(t, f, data)); err != nil {
			t.Errorf("%s: %v", f, err)
		}
	}
	for _, r := range references(t) {
		if err := model.Validate(value(t, r.Name+".json", r.Model)); err != nil {
			t.Errorf("%s: %v", r.Name, err)
		}
	}
}

// beyondSchema are mistakes that a schema cannot see: relations between numbers, names of files, limits of memory.
var beyondSchema = regexp.MustCompile(`too large|partitions|does not divide|is more than the [0-9]+ nodes of|there is no file|add up|do not reach|` +
	`has \d+ entr|the first row|rates: has|outside|no phase after|has 0 entries|is below|row sums|the diagonal|` +
	`negative rate|alpha has|more than 1$|never reaches|with probability|the weights|weights: sum|` +
	`1000 are supported|covers|` +
	`by definition|more than the number of nodes|given twice|service\[0\] has|more than N|changes by one|jobs have|sums to|departure never|` +
	`no policy|more than one policy|static policy has|is negative$|is not YAML|document|duplicate|anchor|alias|tag|` +
	`two classes|have no share|have shares|is more than 2,|all zero|closed|closes|too small|no distribution has|tab in|merge|a key must|at_most: expected|` +
	`D1\[1\]\[0\]: -1|does not belong|jobs.speedup: serial|is too low|is too high`)

// TestSchemaAgrees checks that the schema and the decoder accept and refuse the same files, but for what no
// schema sees.
func TestSchemaAgrees(t *testing.T) {
	model := compiled(t, Schema("model"))
	for _, c := range wrong {
		if beyondSchema.MatchString(c.want) {
			continue
		}
		text := small + c.new + "\n"
		if c.old != "" {
			text = strings.Replace(small, c.old, c.new, 1)
		}
		if model.Validate(value(t, "m.yaml", []byte(text))) == nil {
			t.Errorf("the schema accepts what is refused with %s", c.want)
		}
	}
	for _, c := range dists {
		text := strings.Replace(small, "{exponential: {mean: 1}}", c.text, 1)
		if err := model.Validate(value(t, "m.yaml", []byte(text))); err != nil {
			t.Errorf("%s: %v", c.text, err)
		}
	}
}

// filled are the parts of schemas that come from tables: behind what they stand, and what they are.
var filled = []struct{ file, behind, text string }{
	{"model", `"policy": \{\s+"description": `, quoted(fmt.Sprintf("A policy: %s.", strings.Join(goalPolicies(), ", ")))},
	{"model", `"policy": \{\s+"description": "[^"]*",\s+"type": "string",\s+"pattern": `, quoted(goalPattern())},
	{"model", `"measure": \{\s+"description": "[^"]*",\s+"enum": `, quotedList(solvedMeasures())},
}

// goalPolicies returns how the policies are written of which there is one row of results.
func goalPolicies() []string {
	all := policy.Standard().On(policy.Chain).Syntax()
	return slices.Insert(all, slices.Index(all, "static:K")+1, policy.BestStatic)
}

// goalPattern matches their texts.
func goalPattern() string {
	alternatives := []string{policy.BestStatic}
	for _, e := range policy.Standard().On(policy.Chain) {
		one := regexp.QuoteMeta(e.Name)
		switch {
		case e.Optional:
			one += "(:.+)?"
		case e.Parameter != "":
			one += ":.+"
		}
		alternatives = append(alternatives, one)
	}
	return "^(" + strings.Join(alternatives, "|") + ")$"
}

// solvedMeasures returns the names of the measures of chains.
func solvedMeasures() []string {
	var names []string
	for _, m := range models.Table() {
		names = append(names, m.Name)
	}
	return names
}

// quoted returns a text, of ASCII, as JSON.
func quoted(text string) string { return strconv.Quote(text) }

// quotedList returns a list of words as JSON, five to a line.
func quotedList(words []string) string {
	var b strings.Builder
	for i, w := range words {
		if i%5 == 0 {
			b.WriteString("\n        ")
		}
		b.WriteString(quoted(w))
		switch {
		case i == len(words)-1:
		case i%5 == 4:
			b.WriteString(",")
		default:
			b.WriteString(", ")
		}
	}
	return "[" + b.String() + "\n      ]"
}

// TestSchemasFollowTheTables: what schemas say of policies and measures is in the tables of these; -update makes it so,
// and the pages of docs follow in the next run.
func TestSchemasFollowTheTables(t *testing.T) {
	for _, part := range filled {
		file := filepath.Join("schema", part.file+".schema.json")
		before, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		at := regexp.MustCompile(`(?s)` + part.behind + `("(?:[^"\\]|\\.)*"|\[[^\]]*\])`).FindSubmatchIndex(before)
		if at == nil {
			t.Errorf("%s has nothing behind %s", file, part.behind)
			continue
		}
		if string(before[at[2]:at[3]]) == part.text {
			continue
		}
		if !*update {
			t.Errorf("%s: %s, want %s; -update rewrites it", file, before[at[2]:at[3]], part.text)
			continue
		}
		after := slices.Concat(before[:at[2]], []byte(part.text), before[at[3]:])
		if err := os.WriteFile(file, after, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSchemaNames checks that the schema knows the same names as the decoder.
func TestSchemaNames(t *testing.T) {
	var s struct {
		Properties map[string]json.RawMessage
		Defs       map[string]struct {
			Enum       []string
			Properties map[string]struct{ Properties map[string]json.RawMessage }
		} `json:"$defs"`
	}
	if err := json.Unmarshal(Schema("model"), &s); err != nil {
		t.Fatal(err)
	}
	for _, key := range modelKeys {
		if _, ok := s.Properties[strings.TrimSuffix(key, "?")]; !ok || len(s.Properties) != len(modelKeys) {
			t.Errorf("key %s, %d keys in the schema", key, len(s.Properties))
		}
	}
	for _, f := range Families() {
		if _, ok := s.Defs["dist"].Properties[f]; !ok || len(s.Defs["dist"].Properties) != len(Families()) {
			t.Errorf("family %s", f)
		}
	}
	if got := strings.Join(s.Defs["unit"].Enum, " "); got != strings.Join(measure.TimeUnitNames(), " ") {
		t.Errorf("units %s", got)
	}
	if !bytes.Contains(Schema("model"), []byte(`"maximum": 50}`)) || fit.MaxPhases != 50 {
		t.Errorf("phases of a fit: at most %d", fit.MaxPhases)
	}
}

// TestSchemaKnowsAllSpeedups: what is in the table of speedups, files can name, as a text and, if it has parameters, as
// a mapping; and the schema accepts both.
func TestSchemaKnowsAllSpeedups(t *testing.T) {
	model := compiled(t, Schema("model"))
	for _, e := range workload.Speedups() {
		_, parameters, _ := strings.Cut(e.Example, ":")
		written := []string{strconv.Quote(e.Example)}
		switch {
		case e.Points:
			written = append(written, "{"+e.Name+": {"+strings.NewReplacer("=", ": ", ",", ", ").Replace(parameters)+"}}")
		case len(e.Parameters) > 0:
			var fields []string
			for i, v := range strings.Split(parameters, ",") {
				fields = append(fields, e.Parameters[i]+": "+v)
			}
			written = append(written, "{"+e.Name+": {"+strings.Join(fields, ", ")+"}}")
		}
		for _, text := range written {
			file := []byte(strings.Replace(small, "linear", text, 1))
			m := parse(t, string(file))
			if got := fmt.Sprint(m.System.Speedup); got != e.Example {
				t.Errorf("%s is read as %s", text, got)
			}
			if err := model.Validate(value(t, "m.yaml", file)); err != nil {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
}
