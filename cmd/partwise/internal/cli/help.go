package cli

import (
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/partwise/partwise/cmd/partwise/internal/pages"
	"github.com/partwise/partwise/cmd/partwise/internal/release"
	"github.com/partwise/partwise/models/words"
)

// Topic is a page of help about flags that several commands share.
type Topic = pages.Topic

// Page is a page of help.
type Page = pages.Page

// Page returns the page of the command or topic that words name, and the page of the program for no words. all says that the
// page explains also what few users need.
func (p *Program) Page(path []string, all bool) (Page, error) {
	for _, t := range p.Topics {
		if len(path) == 1 && path[0] == t.Name {
			return t.Page(), nil
		}
	}
	c := &call{Program: p, words: path}
	app := c.app()
	app.Setup()
	if len(path) == 0 {
		page := pages.Program{App: app, Titles: words.Texts(p.Groups, func(g Group) string { return g.Title }), Topics: p.Topics}
		for _, command := range app.Commands {
			if all && command.Category == unlisted {
				page.Unlisted = append(page.Unlisted, command)
			}
		}
		return page.Page(), nil
	}
	command := &urfave.Command{HelpName: app.Name, Subcommands: app.Commands}
	for _, word := range path {
		part := command.Command(word)
		if part == nil {
			return Page{}, p.unknownCommand(command, word)
		}
		command = part
	}
	of := c.table[command]
	return pages.Command{Command: command, Examples: of.Examples, Formats: of.Formats, First: of.First,
		Topics: p.Topics, All: all}.Page(), nil
}

// Manual returns the manual page, as roff, of a command, or of the program with all its commands for no path.
func (p *Program) Manual(path []string) (string, error) {
	page, err := p.Page(path, true)
	if err != nil {
		return "", err
	}
	var commands []pages.Section
	if len(path) == 0 {
		p.Every(func(name string, c Command) {
			of, _ := p.Page(strings.Fields(name), true) // of a command that the program has
			commands = append(commands, pages.Section{Title: strings.TrimSpace(name + " " + c.Arguments), Page: of})
		})
	}
	return pages.Manual(page, release.Version(), commands), nil
}
