package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/models/policy"
)

var (
	helpPart  = pattern(`(?s)(<!-- help ([a-z ]+) -->\n).*?(<!-- end of help -->)`)
	indexPart = pattern(`(?s)(<!-- commands -->\n).*?(<!-- end of commands -->)`)
)

// pageName is that of a command's page in docs/commands.
func pageName(name string) string { return strings.ReplaceAll(name, " ", "-") + ".md" }

// TestCommandPages: every command, and every topic of help, has a page with what help --all says; -update makes it so.
func TestCommandPages(t *testing.T) {
	const dir = "../../docs/commands"
	names := slices.Collect(maps.Keys(everyCommand()))
	for _, topic := range partwise(policy.Standard()).Topics {
		names = append(names, topic.Name)
	}
	for _, name := range names {
		p := page(t, name)
		file := filepath.Join(dir, pageName(name))
		before, err := os.ReadFile(file)
		if os.IsNotExist(err) && *update {
			before, err = fmt.Appendf(nil, "# %s\n\n<!-- help %s -->\n<!-- end of help -->\n", p.Name, name), nil
		}
		if err != nil {
			t.Errorf("%v; -update makes a page", err)
			continue
		}
		after := helpPart().ReplaceAllStringFunc(string(before), func(part string) string {
			m := helpPart().FindStringSubmatch(part)
			if m[2] != name {
				t.Errorf("%s has the help of %s", file, m[2])
			}
			return m[1] + p.Markdown() + m[3]
		})
		if !strings.Contains(after, "<!-- help "+name+" -->") {
			t.Errorf("%s has no place for the help", file)
		}
		holdPage(t, file, string(before), after)
	}
	file := filepath.Join(dir, "README.md")
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	holdPage(t, file, string(before), indexPart().ReplaceAllString(string(before), "$1"+commandIndex()+"$2"))
}

// commandIndex lists the commands by group, and the topics of help, with their pages.
func commandIndex() string {
	p := partwise(policy.Standard())
	titles := map[string]string{}
	for _, c := range p.Unlisted {
		titles[c.Name] = "Listed by help --all"
	}
	for _, g := range p.Groups {
		for _, c := range g.Commands {
			titles[c.Name] = g.Title
		}
	}
	var b strings.Builder
	title := ""
	p.Every(func(name string, c cli.Command) {
		family, _, _ := strings.Cut(name, " ")
		if titles[family] != title {
			title = titles[family]
			fmt.Fprintf(&b, "\n**%s**\n\n", title)
		}
		fmt.Fprintf(&b, "- [%s](%s): %s\n", name, pageName(name), c.Summary)
	})
	b.WriteString("\n**Flags of several commands**\n\n")
	for _, topic := range p.Topics {
		fmt.Fprintf(&b, "- [help %s](%s): %s\n", topic.Name, pageName(topic.Name), topic.Summary)
	}
	return strings.TrimPrefix(b.String(), "\n")
}

func holdPage(t *testing.T, file, before, after string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("%s is not what the program says (-page +program); -update rewrites it:\n%s", file, diff)
	}
}

// TestPagesLinkTheGlossary: the last line of every page of the documents is a link to the glossary, which explains its words.
func TestPagesLinkTheGlossary(t *testing.T) {
	for pattern, link := range map[string]string{"../../docs/*.md": "[Glossary](glossary.md)",
		"../../docs/commands/*.md": "[Glossary](../glossary.md)"} {
		pages, err := filepath.Glob(pattern)
		if err != nil || len(pages) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, page := range pages {
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			if filepath.Base(page) != "glossary.md" && !strings.HasSuffix(string(text), "\n\n"+link+"\n") {
				t.Errorf("%s does not end with the line %s", page, link)
			}
		}
	}
}

// TestLinksOfDocuments: what the documents refer to by a relative path is there.
func TestLinksOfDocuments(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:\s]+)(#[^)]*)?\)`)
	var pages []string
	for _, pattern := range []string{"../../*.md", "../../docs/*.md", "../../docs/*/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, found...)
	}
	links := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		fenced := false
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "```") {
				fenced = !fenced
			}
			if fenced {
				continue // what commands print
			}
			for _, m := range link.FindAllStringSubmatch(line, -1) {
				links++
				if _, err := os.Stat(filepath.Join(filepath.Dir(page), m[1])); err != nil {
					t.Errorf("%s refers to %s, which is not there", page, m[1])
				}
			}
		}
	}
	if links < 50 {
		t.Errorf("%d links", links)
	}
}
