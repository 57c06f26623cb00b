package main

import (
	"embed"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
)

//go:embed examples/*.yaml
var examples embed.FS

const defaultExample = "ips96-w1"

func initCommand() command {
	return command{
		name:      "init",
		group:     describing,
		summary:   "print a commented example model to start from",
		arguments: "[NAME]",
		details:   "Prints an example model, by default " + defaultExample + ": " + strings.Join(exampleNames(), ", ") + ".",
		examples:  []string{"partwise init > model.yaml", "partwise init from-log > model.yaml"},
		maxArgs:   1,
		run: func(inv *invocation) error {
			name := defaultExample
			if len(inv.args) > 0 {
				name = inv.args[0]
			}
			text, err := examples.ReadFile("examples/" + name + ".yaml")
			if err != nil {
				hint := "use " + strings.Join(exampleNames(), ", ")
				if near := nearest(name, exampleNames()); near != "" {
					hint = fmt.Sprintf("did you mean %q?", near)
				}
				return usage(hint, "no example %q", name)
			}
			return inv.write(func(w io.Writer) error {
				_, err := w.Write(text)
				return err
			})
		},
	}
}

// exampleNames lists the examples by name.
func exampleNames() []string {
	files, err := fs.Glob(examples, "examples/*.yaml")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	var all []string
	for _, f := range files {
		all = append(all, strings.TrimSuffix(path.Base(f), ".yaml"))
	}
	return all
}
