package modelcmd

import (
	"embed"
	"io/fs"
	"os"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/words"
)

var (
	//go:embed examples/*.yaml
	examples embed.FS
	//go:embed init.txt
	initText string // with the first sentence of each example
)

const defaultExample = "ips96-w1"

// Init returns the command that prints example models.
func Init() cli.Command {
	return cli.WithOptions(newInitOptions, initialize, cli.Described(initText, cli.Command{MaxArgs: 2, Formats: []string{},
		Choices: exampleNames()}))
}

func initialize(inv *cli.Invocation, o *initOptions) error {
	name := append(inv.Args, defaultExample)[0]
	if modelfile.IsQueue(name) {
		text, err := modelfile.QueueModel(name)
		if err != nil {
			return fault.Usagef("for example partwise init M/M/4", "%s", fault.Plain(err))
		}
		return printModel(inv, string(text))
	}
	text, err := examples.ReadFile("examples/" + name + ".yaml")
	switch {
	case err != nil && strings.Contains(name, "/"):
		return fault.Usagef("a queue has arrivals, service and servers, such as M/M/4", "no example and no queue %q", name)
	case err != nil:
		return fault.Usagef(words.Suggest(name, exampleNames()), "no example %q", name)
	case len(inv.Args) > 1 && name != fromLogExample:
		return fault.Usagef("partwise init from-log LOG", "only from-log takes a log, not %s", name)
	case len(inv.Args) > 1:
		return fromLog(inv, o, inv.Args[1])
	}
	for _, f := range o.Flags() {
		if inv.Given(cli.Name(f)) {
			return fault.Usagef("partwise init from-log LOG", "--%s: only the model of a log depends on it", cli.Name(f))
		}
	}
	return printModel(inv, string(text))
}

// printModel prints a model, or writes it to the file of --output. It does not overwrite a file with another text, which may be
// an edited model.
func printModel(inv *cli.Invocation, text string) error {
	info, err := os.Stat(inv.Output)
	if inv.Output == "" || err != nil || !info.Mode().IsRegular() {
		return inv.Print(text)
	}
	old, err := os.ReadFile(inv.Output)
	if err != nil {
		return err
	}
	if len(old) > 0 && string(old) != text {
		return fault.Usagef("name another file, or remove this one",
			"--output: %s exists, and is not what this command writes: it may have been edited", inv.Output)
	}
	return inv.Print(text)
}

// exampleNames returns the names of the examples.
func exampleNames() []string {
	files, err := examples.ReadDir("examples")
	if err != nil {
		panic(err) // the folder is part of the program
	}
	return words.Texts(files, func(f fs.DirEntry) string { return strings.TrimSuffix(f.Name(), ".yaml") })
}
