package pages

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/cpuguy83/go-md2man/v2/md2man"
)

// manualEnd is the end of each manual: exit codes and environment.
//
//go:embed manual.txt
var manualEnd string

// Section is the part of a manual that a page has under a title.
type Section struct {
	Title string
	Page  Page
}

// Manual returns a manual page as roff: what a page says, and sections about commands. version is the version of the program.
func Manual(page Page, version string, commands []Section) string {
	title := strings.ReplaceAll(page.Name, " ", "-")
	var b strings.Builder
	fmt.Fprintf(&b, "%% %q \"1\" \"\" \"partwise %s\" \"partwise\"\n# NAME\n\n%s - %s\n\n# DESCRIPTION\n\n%s", strings.ToUpper(title),
		version, title, page.summary, page.Markdown())
	if len(commands) > 0 {
		b.WriteString("\n# COMMANDS\n")
	}
	for _, s := range commands {
		fmt.Fprintf(&b, "\n### %s\n\n%s", marks.Replace(s.Title), s.Page.Markdown())
	}
	return string(md2man.Render([]byte(b.String() + manualEnd)))
}
