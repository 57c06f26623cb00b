package main

import (
	"io"

	"github.com/partwise/partwise/models/spec"
)

func schemaCommand() command {
	schemas := map[string]func() []byte{"model": spec.ModelSchema, "study": spec.StudySchema,
		"allocation": spec.AllocationSchema}
	return command{
		name:      "schema",
		group:     describing,
		summary:   "print the JSON Schema of model or study files, for completion in editors",
		arguments: "[model|study|allocation]",
		details: "Editors that know YAML complete and check a model whose first line is\n" +
			"# yaml-language-server: $schema=partwise.schema.json",
		examples: []string{"partwise schema > partwise.schema.json", "partwise schema study > study.schema.json"},
		maxArgs:  1,
		run: func(inv *invocation) error {
			kind := "model"
			if len(inv.args) > 0 {
				kind = inv.args[0]
			}
			schema, ok := schemas[kind]
			if !ok {
				return usage("use model, study or allocation", "no schema of %q", kind)
			}
			return inv.write(func(w io.Writer) error {
				_, err := w.Write(schema())
				return err
			})
		},
	}
}
