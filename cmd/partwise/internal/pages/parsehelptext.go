package pages

import "strings"

// Text is the text of the page of a command, which stands in a file beside the code of the command.
type Text struct {
	Name, Arguments, Summary string
	Details                  string   // paragraphs and lists
	Examples                 []string // command lines
}

// ParseText reads the text of a page: a line with the name and the arguments of the command, a line that sums the command up, and
// paragraphs, lists and indented examples. The lines of a paragraph become one line.
func ParseText(text string) Text {
	var t Text
	head, rest, _ := strings.Cut(text, "\n\n")
	head, t.Summary, _ = strings.Cut(head, "\n")
	t.Name, t.Arguments, _ = strings.Cut(head, " ")
	var paragraphs []string
	for part := range strings.SplitSeq(rest, "\n\n") {
		switch {
		case strings.HasPrefix(part, "- "):
			paragraphs = append(paragraphs, part)
		case strings.HasPrefix(part, "    "):
			for line := range strings.Lines(part) {
				t.Examples = append(t.Examples, strings.TrimSpace(line))
			}
		default:
			paragraphs = append(paragraphs, strings.Join(strings.Fields(part), " "))
		}
	}
	t.Details = strings.Join(paragraphs, "\n\n")
	return t
}
