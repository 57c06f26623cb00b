package cli

import (
	"cmp"
	_ "embed"
	"fmt"
	"strings"

	"github.com/cpuguy83/go-md2man/v2/md2man"
)

var (
	//go:embed man.txt
	manText string
	//go:embed manual.txt
	manualEnd string // of each manual: exit codes, environment
)

// ManCommand prints the manual of a program, or of one of its commands.
func ManCommand(all *Program) Command {
	return Described(manText, Command{
		MaxArgs: 3,
		Formats: []string{"roff", "markdown"},
		Run: func(inv *Invocation) error {
			text, err := all.Manual(inv.Args)
			if inv.Format == "markdown" {
				page, wrong := all.Page(inv.Args, true)
				text, err = page.Markdown(), wrong
			}
			if err != nil {
				return err
			}
			return inv.Print(text)
		},
	})
}

// Manual returns the manual page, as roff, of a command, or of the program with all its commands for no path.
func (p *Program) Manual(path []string) (string, error) {
	page, err := p.Page(path, true)
	if err != nil {
		return "", err
	}
	title := strings.ReplaceAll(page.Name, " ", "-")
	var b strings.Builder
	fmt.Fprintf(&b, "%% %q \"1\" \"\" \"partwise %s\" \"partwise\"\n# NAME\n\n%s - %s\n\n# DESCRIPTION\n\n%s", strings.ToUpper(title),
		Version(), title, page.summary, page.Markdown())
	if len(path) == 0 {
		b.WriteString("\n# COMMANDS\n")
		p.Every(func(name string, c Command) {
			of, wrong := p.Page(strings.Fields(name), true)
			err = cmp.Or(err, wrong)
			fmt.Fprintf(&b, "\n### %s\n\n%s", strings.TrimSpace(name+" "+marks.Replace(c.Arguments)), of.Markdown())
		})
	}
	return string(md2man.Render([]byte(b.String() + manualEnd))), err
}
