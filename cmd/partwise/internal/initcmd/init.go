package initcmd

import (
	"embed"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/models/modelfile"
)

//go:embed examples/*.yaml
var examples embed.FS

const defaultExample = "ips96-w1"

// Command returns the command that prints example models.
func Command() cli.Command {
	return cli.Command{
		Name:      "init",
		Summary:   "print a commented example model to start from",
		Arguments: "[NAME]",
		Details: "Prints a commented example to change, by default " + defaultExample + ":\n\n" +
			strings.Join(exampleLines(), "\n"),
		Examples: []string{
			"partwise init > model.yaml",
			"partwise init from-log > model.yaml",
			"partwise init gpu-training > model.yaml && partwise init study > study.yaml",
		},
		Choices: exampleNames(),
		Run: func(inv *cli.Invocation) error {
			name := append(inv.Args, defaultExample)[0]
			text, err := examples.ReadFile("examples/" + name + ".yaml")
			if err != nil {
				return cli.Usagef(modelfile.Suggest(name, exampleNames()), "no example %q", name)
			}
			return inv.Print(string(text))
		},
	}
}

// exampleLines returns the names of the examples, each with the first sentence of the file.
var exampleLines = sync.OnceValue(func() []string {
	var all []string
	for _, name := range exampleNames() {
		text, err := examples.ReadFile("examples/" + name + ".yaml")
		if err != nil {
			panic(err) // it is part of the program
		}
		_, rest, _ := strings.Cut(string(text), "#\n# ")
		paragraph, _, _ := strings.Cut(rest, "\n#\n")
		sentence, _, _ := strings.Cut(strings.ReplaceAll(paragraph, "\n# ", " ")+" ", ". ")
		all = append(all, "- "+name+": "+sentence+".")
	}
	return all
})

// exampleNames returns the names of the examples.
func exampleNames() []string {
	files, err := fs.Glob(examples, "examples/*.yaml")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	return modelfile.Texts(files, func(f string) string { return strings.TrimSuffix(path.Base(f), ".yaml") })
}
