package input

import (
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/models/modelfile"
)

// Sets binds --set PATH=VALUE to the settings that replace fields of model files.
func Sets(to *[]modelfile.Set) cli.Flag {
	return cli.Values(to, "set", modelfile.ParseSet, cli.About{
		Usage: "replace a value of the file: `PATH=VALUE`; may be repeated",
		Hint:  "for example --set machine.nodes=16",
	})
}
