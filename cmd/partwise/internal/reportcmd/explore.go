package reportcmd

import (
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/explorer"
	"github.com/partwise/partwise/cmd/partwise/internal/model"
	"github.com/partwise/partwise/models/modelfile"
)

// explore writes the page of the explorer, which starts from the model if one is named.
func explore(inv *cli.Invocation, o *options) error {
	if err := explorer.Available(); err != nil {
		return &cli.Error{Code: cli.ExitUsage, Err: err, Hint: "released programs have it; with Go and the source: " +
			"go generate ./cmd/partwise/internal/explorer && go build -tags explorer ./cmd/partwise"}
	}
	file, err := startOf(inv, o)
	if err != nil {
		return err
	}
	var text strings.Builder
	if err := modelfile.WriteModel(&text, file); err != nil {
		return err
	}
	page := &explorer.Page{Title: file.Title, Model: text.String()}
	return inv.Write(page.Write)
}

func startOf(inv *cli.Invocation, o *options) (*modelfile.Model, error) {
	if len(inv.Args) == 0 {
		return modelfile.Parse("start.yaml", []byte(explorer.Start), o.sets...)
	}
	return model.Load(inv, o.sets, 0)
}
