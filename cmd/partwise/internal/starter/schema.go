package starter

import (
	"io"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/modelfile/tree"
)

// fileKinds is the table of the kinds of files that have a schema.
var fileKinds = []struct {
	name   string
	schema func() []byte
}{
	{"model", modelfile.ModelSchema},
	{"study", modelfile.StudySchema},
	{"allocation", modelfile.AllocationSchema},
	{"distribution", modelfile.DistributionSchema},
}

func fileKindNames() []string {
	var all []string
	for _, k := range fileKinds {
		all = append(all, k.name)
	}
	return all
}

// Schema is the command that prints JSON Schemas.
func Schema() cli.Command {
	return cli.Command{
		Name:      "schema",
		Group:     cli.Describing,
		Summary:   "print the JSON Schema of a kind of files, for completion in editors",
		Arguments: "[" + strings.Join(fileKindNames(), "|") + "]",
		Details: "Editors that know YAML complete and check a model whose first line is " +
			"`# yaml-language-server: $schema=partwise.schema.json`.",
		Examples: []string{"partwise schema > partwise.schema.json", "partwise schema study > study.schema.json"},
		Choices:  fileKindNames(),
		MaxArgs:  1,
		Run: func(inv *cli.Invocation) error {
			kind := fileKinds[0].name
			if len(inv.Args) > 0 {
				kind = inv.Args[0]
			}
			for _, k := range fileKinds {
				if k.name == kind {
					return inv.Write(func(w io.Writer) error {
						_, err := w.Write(k.schema())
						return err
					})
				}
			}
			return cli.Usagef(tree.Suggest(kind, fileKindNames()), "no schema of %q", kind)
		},
	}
}
