// Package aboutcmd holds the commands about the program itself: help, manuals and completion in shells.
package aboutcmd

import (
	_ "embed"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
)

var (
	//go:embed help.txt
	helpText string
	//go:embed man.txt
	manText string
)

// Help prints the pages of a program.
func Help(p *cli.Program) cli.Command {
	return cli.WithOptions(func() *helpOptions { return new(helpOptions) }, func(inv *cli.Invocation, o *helpOptions) error {
		page, err := p.Page(inv.Args, o.all)
		if err != nil {
			return err
		}
		return inv.Print(page.Text(output.PageWidth(inv.Stdout)))
	}, cli.Described(helpText, cli.Command{MaxArgs: 3, Formats: []string{}}))
}

// helpOptions are the flags of help.
type helpOptions struct{ all bool }

// Flags binds the flags.
func (o *helpOptions) Flags() []cli.Flag {
	return []cli.Flag{cli.Switch(&o.all, "all", "list also the flags that few users need, and the commands for packagers")}
}

// Man prints the manual of a program, or of one of its commands.
func Man(p *cli.Program) cli.Command {
	return cli.Described(manText, cli.Command{
		MaxArgs: 3,
		Formats: []string{"roff", "markdown"},
		Run: func(inv *cli.Invocation) error {
			page, err := p.Page(inv.Args, true)
			if err != nil {
				return err
			}
			if inv.Format == "markdown" {
				return inv.Print(page.Markdown())
			}
			text, err := p.Manual(inv.Args)
			if err != nil {
				return err
			}
			return inv.Print(text)
		},
	})
}
