package pages

import (
	"fmt"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
)

// columns returns rows whose words and whose meanings stand one below the other. Meanings are wrapped to a width, of which words
// take at most a third: the meaning of a longer word begins on the next line.
func columns(text string, width int) string {
	rows, wide := strings.Split(text, "\n"), 0
	for _, row := range rows {
		word, _, listed := strings.Cut(row, "\t")
		if listed && len(word) <= width/3 {
			wide = max(wide, len(word))
		}
	}
	indent := strings.Repeat(" ", wide+2)
	for i, row := range rows {
		word, meaning, listed := strings.Cut(row, "\t")
		if !listed {
			continue
		}
		begin := fmt.Sprintf("%-*s  ", wide, word)
		if len(word) > wide {
			begin = word + "\n" + indent
		}
		rows[i] = begin + strings.Join(output.Wrap(meaning, width-wide-2), "\n"+indent)
	}
	return strings.Join(rows, "\n")
}

// wrapped returns words in lines of a width. Lines that are there stay.
func wrapped(words string, width int) string {
	var lines []string
	for line := range strings.SplitSeq(words, "\n") {
		lines = append(lines, output.Wrap(line, width)...)
	}
	return strings.Join(lines, "\n")
}
