package pages

import (
	"cmp"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"
)

// RarelyNeeded is the category of the flags that a page only names unless it is to explain everything. Other categories of flags
// are the names of topics.
const RarelyNeeded = "rarely needed"

// Topic is what a page is about that explains flags which several commands share.
type Topic struct {
	Name, Summary string
	Details       string // paragraphs
	Flags         []urfave.Flag
}

// Page returns the page of the topic.
func (t Topic) Page() Page { return newPage("topic", "partwise help "+t.Name, t.Summary, t) }

// Program is what the page of a program is about: an App whose Setup has run.
type Program struct {
	*urfave.App
	Titles   []string          // of the categories of commands, in the order of the page
	Unlisted []*urfave.Command // commands that only the page of everything lists
	Topics   []Topic
}

// Page returns the page of the program.
func (p Program) Page() Page { return newPage("program", p.Name, p.Usage, p) }

// Categories returns the categories of the commands in the order of Titles. The library sorts categories by name.
func (p Program) Categories() []urfave.CommandCategory {
	place := func(c urfave.CommandCategory) int { return slices.Index(p.Titles, c.Name()) }
	return slices.SortedFunc(slices.Values(p.VisibleCategories()), func(a, b urfave.CommandCategory) int {
		return cmp.Compare(place(a), place(b))
	})
}

// Command is what the page of a command is about.
type Command struct {
	*urfave.Command
	Examples []string // command lines
	Formats  []string // of results
	First    []string // names of the flags that are needed most, in the order of the page
	Topics   []Topic
	All      bool // the page explains also the flags that are rarely needed
}

// Page returns the page of the command.
func (c Command) Page() Page { return newPage("command", c.HelpName, c.Usage, c) }

// Path returns the words that call the command, without the name of the program.
func (c Command) Path() string {
	_, path, _ := strings.Cut(c.HelpName, " ")
	return path
}

// UsageLine returns how the command is called.
func (c Command) UsageLine() string {
	if c.ArgsUsage == "" {
		return c.HelpName + " [flags]"
	}
	return c.HelpName + " " + c.ArgsUsage + " [flags]"
}

// Listed returns the flags of a topic or, for topic "", the flags that the page explains.
func (c Command) Listed(topic string) []urfave.Flag {
	return slices.DeleteFunc(c.VisibleFlags(), func(f urfave.Flag) bool {
		category := f.(urfave.CategorizableFlag).GetCategory()
		if category == RarelyNeeded && c.All {
			category = ""
		}
		return category != topic
	})
}

// Rare returns the flags that the page only names.
func (c Command) Rare() []urfave.Flag { return c.Listed(RarelyNeeded) }

// Referred changes the flags of the topic, and returns them: the page of a command names the flags in one line and refers to the
// topic.
func (t Topic) Referred() []urfave.Flag { return Under(t.Name, t.Flags...) }

// Under changes flags, and returns them: the flags get a category. The page of a command explains the flags of category "".
func Under(category string, flags ...urfave.Flag) []urfave.Flag {
	for _, f := range flags {
		switch f := f.(type) {
		case *urfave.BoolFlag:
			f.Category = category
		case *urfave.GenericFlag:
			f.Category = category
		}
	}
	return flags
}
