package modelcmd

import (
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/words"
)

// kinds are the kinds of files that have a schema. The schema of the first is printed if none is named.
var kinds = []string{"model", "study", "distribution"}

// Schema returns the command that prints JSON Schemas.
func Schema() cli.Command {
	return cli.Command{
		Name:      "schema",
		Summary:   "print the JSON Schema of a kind of files, for completion in editors",
		Arguments: "[" + strings.Join(kinds, "|") + "]",
		Details: "Editors that know YAML complete and check a model whose first line is " +
			"`# yaml-language-server: $schema=partwise.schema.json`.",
		Examples: []string{"partwise schema > partwise.schema.json", "partwise schema study > study.schema.json"},
		Choices:  kinds,
		Run: func(inv *cli.Invocation) error {
			kind := append(inv.Args, kinds[0])[0]
			text := modelfile.Schema(kind)
			if text == nil {
				return fault.Usagef(words.Suggest(kind, kinds), "no schema of %q", kind)
			}
			return inv.Print(string(text))
		},
	}
}
