package cli

import (
	"fmt"
	"strings"

	"github.com/cpuguy83/go-md2man/v2/md2man"
)

// ManCommand prints the manual of a program, or of one of its commands.
func ManCommand(all *Program) Command {
	return Command{
		Name:      "man",
		Summary:   "print the manual of the program, or of one command",
		Arguments: "[COMMAND...]",
		Details:   "Prints a manual page of the whole program or of a command.",
		Examples: []string{
			"partwise man > partwise.1",
			"partwise man solve > partwise-solve.1",
			"partwise man curve --format markdown",
		},
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
	}
}

// Manual returns the manual page of a command, of the program with all its commands for none.
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
			page := c.page("partwise "+name, true, p.Topics)
			fmt.Fprintf(&b, "\n### %s\n\n%s", strings.TrimSpace(name+" "+marks.Replace(c.Arguments)), page.Markdown())
		})
	}
	b.WriteString("\n# EXIT STATUS\n\n")
	for _, e := range exitCodes {
		fmt.Fprintf(&b, "- `%d`: %s\n", e.code, e.meaning)
	}
	b.WriteString("\n# ENVIRONMENT\n\n- `NO_COLOR`: if set, no bold letters\n- `TERM`: if dumb, no bold letters and no progress\n")
	return string(md2man.Render([]byte(b.String()))), nil
}
