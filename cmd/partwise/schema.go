package main

import (
	"io"
	"strings"

	"github.com/partwise/partwise/models/spec"
)

// fileKinds is the table of the kinds of files that have a schema.
var fileKinds = []struct {
	name   string
	schema func() []byte
}{
	{"model", spec.ModelSchema},
	{"study", spec.StudySchema},
	{"allocation", spec.AllocationSchema},
	{"distribution", spec.DistributionSchema},
}

func fileKindNames() []string {
	var all []string
	for _, k := range fileKinds {
		all = append(all, k.name)
	}
	return all
}

func schemaCommand() command {
	return command{
		name:      "schema",
		group:     describing,
		summary:   "print the JSON Schema of a kind of files, for completion in editors",
		arguments: "[" + strings.Join(fileKindNames(), "|") + "]",
		details: "Editors that know YAML complete and check a model whose first line is\n" +
			"# yaml-language-server: $schema=partwise.schema.json",
		examples: []string{"partwise schema > partwise.schema.json", "partwise schema study > study.schema.json"},
		choices:  fileKindNames(),
		maxArgs:  1,
		run: func(inv *invocation) error {
			kind := fileKinds[0].name
			if len(inv.args) > 0 {
				kind = inv.args[0]
			}
			for _, k := range fileKinds {
				if k.name == kind {
					return inv.write(func(w io.Writer) error {
						_, err := w.Write(k.schema())
						return err
					})
				}
			}
			return usage(suggestion(kind, fileKindNames()), "no schema of %q", kind)
		},
	}
}
