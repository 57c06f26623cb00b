package modelcmd

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

// Init returns the command that prints example models.
func Init() cli.Command {
	return cli.WithOptions(newInitOptions, initialize, cli.Command{
		Name:      "init",
		Summary:   "print a commented example model, or the model of a job log, to start from",
		Arguments: "[NAME|from-log LOG]",
		MaxArgs:   2,
		Formats:   []string{},
		Details: "Prints a commented example to change, by default " + defaultExample + ":\n\n" +
			strings.Join(exampleLines(), "\n") + "\n\nWith a job log after from-log the model is fitted to the log: its arrivals, and " +
			"the work of classes of jobs by the nodes that they asked for. There are as few classes as change the mean response " +
			"time by less than 1 %. Jobs can use twice the nodes that they asked for (--max-factor).",
		Examples: []string{
			"partwise init > model.yaml",
			"partwise init from-log > model.yaml",
			"partwise init from-log log.swf.gz --resize-cost 2min > model.yaml",
			"partwise init gpu-training > model.yaml && partwise init study > study.yaml",
		},
		Choices: exampleNames(),
	})
}

func initialize(inv *cli.Invocation, o *initOptions) error {
	name := append(inv.Args, defaultExample)[0]
	text, err := examples.ReadFile("examples/" + name + ".yaml")
	switch {
	case err != nil:
		return cli.Usagef(modelfile.Suggest(name, exampleNames()), "no example %q", name)
	case len(inv.Args) > 1 && name != fromLogExample:
		return cli.Usagef("partwise init from-log LOG", "only from-log takes a log, not %s", name)
	case len(inv.Args) > 1:
		return fromLog(inv, o, inv.Args[1])
	}
	for _, f := range o.Flags() {
		if inv.Given(f.Name) {
			return cli.Usagef("partwise init from-log LOG", "--%s: only the model of a log depends on it", f.Name)
		}
	}
	return inv.Print(string(text))
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
