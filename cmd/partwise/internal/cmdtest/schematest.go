// This file holds the files of tests to the schemas of Kubernetes' objects.

package cmdtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

// Published is where the schemas that the systems publish are, if they are there, from the root of the repository.
const Published = "../shared/refs/systems"

// Schemas are schemas by the version and the kind of their objects.
type Schemas map[string]*jsonschema.Schema

// Compile reads the schemas of a folder. Objects with fields that a schema does not name are refused, as a strict client of
// Kubernetes does.
func Compile(dir string) (Schemas, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.schema.json"))
	if err != nil {
		return nil, err
	}
	all := Schemas{}
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

// Check returns the documents of a text of YAML, and what is wrong with the first that does not fit its schema.
func (s Schemas) Check(text string) (all []map[string]any, err error) {
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
