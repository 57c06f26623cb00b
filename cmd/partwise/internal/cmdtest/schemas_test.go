// This file holds the files of tests to the schemas of Kubernetes' objects.

package cmdtest_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/advise"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

// published is the folder of the schemas that the systems publish.
const published = "../../../../testdata/schemas"

// schemas are schemas by the version and the kind of their objects.
type schemas map[string]*jsonschema.Schema

// compileSchemas reads the schemas of a folder. Objects with fields that a schema does not name are refused, as a strict client of
// Kubernetes does.
func compileSchemas(dir string) (schemas, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.schema.json"))
	if err != nil {
		return nil, err
	}
	all := schemas{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return nil, err
		}
		constant := func(field string) any {
			properties, _ := doc.(map[string]any)["properties"].(map[string]any)
			of, _ := properties[field].(map[string]any)
			return of["const"]
		}
		version, kind := constant("apiVersion"), constant("kind")
		if kind == nil {
			continue // the definition of a part
		}
		closeObjects(doc)
		c := jsonschema.NewCompiler()
		if err := c.AddResource(name, doc); err != nil {
			return nil, err
		}
		if all[fmt.Sprint(version, " ", kind)], err = c.Compile(name); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// closeObjects makes objects refuse fields without a name.
func closeObjects(schema any) {
	switch s := schema.(type) {
	case map[string]any:
		_, properties := s["properties"].(map[string]any)
		_, additional := s["additionalProperties"]
		if properties && !additional && s["x-kubernetes-preserve-unknown-fields"] != true {
			s["additionalProperties"] = false
		}
		for _, inner := range s {
			closeObjects(inner)
		}
	case []any:
		for _, inner := range s {
			closeObjects(inner)
		}
	}
}

// check returns the documents of a text of YAML, and what is wrong with the first that does not fit its schema.
func (s schemas) check(text string) (all []map[string]any, err error) {
	for d := yaml.NewDecoder(strings.NewReader(text)); ; {
		var raw map[string]any
		if err := d.Decode(&raw); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return all, err
		}
		asJSON, err := json.Marshal(raw)
		if err != nil {
			return all, err
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(asJSON))
		if err != nil {
			return all, err
		}
		kind := fmt.Sprint(raw["apiVersion"], " ", raw["kind"])
		schema, known := s[kind]
		if !known {
			return all, fmt.Errorf("there is no schema of %s", kind)
		}
		if err := schema.Validate(doc); err != nil {
			return all, err
		}
		all = append(all, raw)
	}
}

// TestRecordsFitTheSchemas: the made-up records of Kubernetes fit the schemas that the systems publish. The schema of jobs has no
// status.
func TestRecordsFitTheSchemas(t *testing.T) {
	known, err := compileSchemas(published)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"kueue.json", "kube-jobs.json"} {
		text, err := os.ReadFile("../../../../testdata/joblogs/" + name)
		if err != nil {
			t.Fatal(err)
		}
		var list struct{ Items []map[string]any }
		if err := json.Unmarshal(text, &list); err != nil || len(list.Items) != 60 {
			t.Fatalf("%s: %d objects, %v", name, len(list.Items), err)
		}
		for _, item := range list.Items {
			if item["kind"] == "Job" {
				delete(item, "status")
			}
			one, err := json.Marshal(item)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := known.check(string(one)); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}

// resizingRules have every parameter, in several combinations.
var resizingRules = []policy.Resize{
	{Cooldown: 2777, Cap: 7, Floor: 2, Hysteresis: 1.7, Batch: 3, Wait: 5},
	{Cooldown: 7200, Hysteresis: 2.5},
	{Floor: 4, Cap: 4},
	{Batch: 2, Departures: true},
	{},
}

// filesOf returns the files for systems of a rule on 88 nodes in units of 4.
func filesOf(t *testing.T, r policy.Resize, gpus int) []advise.SystemFile {
	t.Helper()
	files, err := advise.NewSystemSettings(r, policy.Machine{Nodes: 88, Unit: 4}, gpus, 1, 2).Files()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestFilesFitTheSchemas: the files fit the schemas that the systems publish. They also fit the schemas of the package, which
// allow only the fields that are written.
func TestFilesFitTheSchemas(t *testing.T) {
	for name, dir := range map[string]string{"published": published, "own": "../../../../validate/advise/testdata"} {
		t.Run(name, func(t *testing.T) {
			known, err := compileSchemas(dir)
			if err != nil || len(known) != map[string]int{"published": 11, "own": 10}[name] {
				t.Fatalf("%d schemas, %v", len(known), err)
			}
			for i, r := range resizingRules {
				for _, f := range filesOf(t, r, 8*(i%2)) {
					if filepath.Ext(f.Name) != ".yaml" {
						continue
					}
					if _, err := known.check(f.Text); err != nil {
						t.Errorf("%v: %s: %v", r, f.Name, err)
					}
				}
			}
		})
	}
}

// TestSchemasRefuseOtherFields: a field that is misspelt does not pass.
func TestSchemasRefuseOtherFields(t *testing.T) {
	known, err := compileSchemas("../../../../validate/advise/testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range filesOf(t, resizingRules[0], 8) {
		if wrong := strings.Replace(f.Text, "\nspec:", "\nspecs:", 1); wrong != f.Text {
			if _, err := known.check(wrong); err == nil {
				t.Errorf("%s may have specs", f.Name)
			}
		}
	}
}
