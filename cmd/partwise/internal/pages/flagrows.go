package pages

import (
	"cmp"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/partwise/partwise/models/words"
)

// flagRows returns what flags do, a row each, in the order of their names. The flags with the names of first stand before the
// others, in the order of first.
func flagRows(flags []urfave.Flag, first []string) string {
	place := func(f urfave.Flag) int {
		if at := slices.Index(first, name(f)); at >= 0 {
			return at
		}
		return len(first)
	}
	var rows []string
	for _, f := range slices.SortedFunc(slices.Values(flags), func(a, b urfave.Flag) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(name(a), name(b)))
	}) {
		if f.(urfave.VisibleFlag).IsVisible() {
			rows = append(rows, flagRow(f.(urfave.DocGenerationFlag)))
		}
	}
	return strings.Join(rows, "\n")
}

// flagRow returns the row of a flag: its letter, its name and the placeholder of its value; what it does, and what is true
// without it. The library's row of a flag has old names, too.
func flagRow(f urfave.DocGenerationFlag) string {
	word, meaning := "--"+name(f), f.GetUsage()
	for _, other := range f.Names()[1:] {
		if len(other) == 1 {
			word = "-" + other + ", " + word
		}
	}
	if parts := strings.SplitN(meaning, "`", 3); len(parts) == 3 {
		word, meaning = word+" "+parts[1], parts[0]+parts[1]+parts[2]
	} else if f.TakesValue() {
		word += " VALUE"
	}
	if f.TakesValue() && f.GetDefaultText() != "" {
		meaning += " (default: " + f.GetDefaultText() + ")"
	}
	return row(word, meaning)
}

// name returns the name of a flag.
func name(f urfave.Flag) string { return f.Names()[0] }

// row returns the row of a word and its meaning.
func row(word, meaning string) string { return word + "\t" + meaning }

// commandRows returns what commands do, a row each. family is the words before the names of the commands.
func commandRows(family string, all []*urfave.Command) string {
	rows := words.Texts(all, func(c *urfave.Command) string { return row(strings.TrimPrefix(family+" "+c.Name, " "), c.Usage) })
	return strings.Join(rows, "\n")
}

// topicRows returns what topics are about, a row each.
func topicRows(all []Topic) string {
	return strings.Join(words.Texts(all, func(t Topic) string { return row("partwise help "+t.Name, t.Summary) }), "\n")
}

// dashedNames returns the names of flags as users write them.
func dashedNames(flags []urfave.Flag) string {
	return strings.Join(words.Texts(flags, func(f urfave.Flag) string { return "--" + name(f) }), ", ")
}
