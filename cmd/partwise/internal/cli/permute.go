package cli

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/partwise/partwise/models/modelfile/tree"
)

// permute puts a command line into the one order that the command line library reads: command, flags, "--", arguments.
// It is where unknown commands and flags are found, and help is asked for.
func (all *Program) permute(args []string) (commandLine, error) {
	p := permutation{all: all.Commands, table: all.Commands, known: GlobalFlags()}
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case p.literal || arg == "-" || !strings.HasPrefix(arg, "-") || IsNumber(arg):
			if err := p.word(arg); err != nil {
				return commandLine{}, err
			}
		case arg == "--":
			p.literal = true
		default:
			used, err := p.flag(args[i:])
			if err != nil {
				return commandLine{}, err
			}
			i += used - 1
		}
	}
	if p.version && !p.help {
		p.path, p.flags, p.words = []string{"version"}, nil, nil
	}
	return commandLine{path: p.path, help: p.help, words: p.line()}, nil
}

// commandLine is what a command line says.
type commandLine struct {
	path  []string // the command
	help  bool     // its page is asked for
	words []string // in the order that the library reads
}

type permutation struct {
	all     []Command // of the program
	table   []Command // what the next word may name
	known   []urfave.Flag
	path    []string
	flags   []string
	words   []string
	literal bool // after "--"
	help    bool
	version bool
}

// versionFlags are the names of what asks for the version, in place of a command or behind one.
var versionFlags = []string{"version", "v", "V"}

// IsNumber reports whether a word is a number.
func IsNumber(arg string) bool {
	_, err := strconv.ParseFloat(arg, 64)
	return err == nil
}

// word takes a command, the part of one, or an argument.
func (p *permutation) word(word string) error {
	if len(p.table) == 0 {
		p.words = append(p.words, word)
		return nil
	}
	if len(p.path) == 0 && word == "help" {
		p.help = true
		return nil
	}
	for _, c := range p.table {
		if c.Name == word {
			p.path = append(p.path, word)
			p.known = append(p.known, c.Flags...)
			p.table = c.Parts
			return nil
		}
	}
	names := []string{"help"}
	for _, c := range p.table {
		names = append(names, c.Name)
	}
	hint := "partwise help lists the commands"
	if near, ok := tree.Nearest(word, names); ok {
		hint = "did you mean " + strconv.Quote(near) + "?"
	}
	return Usagef(hint, "unknown command %q", strings.Join(append(p.path, word), " "))
}

// flag takes a flag with its value and returns how many words that were.
func (p *permutation) flag(args []string) (int, error) {
	name, _, hasValue := strings.Cut(strings.TrimLeft(args[0], "-"), "=")
	if name == "help" || name == "h" {
		p.help = true
		return 1, nil
	}
	f := p.find(name)
	if f == nil && slices.Contains(versionFlags, name) {
		p.version = true
		return 1, nil
	}
	if f == nil {
		return 0, p.unknown(name, args)
	}
	p.flags = append(p.flags, args[0])
	if _, isSwitch := f.(*urfave.BoolFlag); isSwitch || hasValue {
		return 1, nil
	}
	if len(args) < 2 {
		return 0, Usagef("write --"+name+" VALUE", "--%s needs a value", name)
	}
	p.flags = append(p.flags, args[1])
	return 2, nil
}

func (p *permutation) find(name string) urfave.Flag {
	for _, f := range p.known {
		if slices.Contains(f.Names(), name) {
			return f
		}
	}
	return nil
}

// unknown reports a flag; one that stands before the command may be a flag of that command.
func (p *permutation) unknown(name string, args []string) error {
	if len(p.path) == 0 {
		for i, word := range args {
			for _, c := range p.all {
				if i > 0 && c.Name == word {
					return Usagef("write it after the command: partwise "+word+" --"+name, "--%s before the command", name)
				}
			}
		}
	}
	var names []string
	for _, f := range p.known {
		names = append(names, namesOf(f)...)
	}
	where := strings.Join(append([]string{"partwise"}, p.path...), " ")
	hint := where + " --help lists the flags"
	if near, ok := tree.Nearest(name, names); ok {
		hint = "did you mean \"--" + near + "\"?"
	}
	return Usagef(hint, "unknown flag %q", "--"+name)
}

func (p *permutation) line() []string {
	line := append(slices.Clone(p.path), p.flags...)
	if len(p.path) == 0 {
		return line
	}
	return append(append(line, "--"), p.words...)
}

var invalidValue = regexp.MustCompile(`(?s)^invalid (?:boolean )?value "(.*)" for (?:flag )?-([^ :]+): `)

var twoNames = regexp.MustCompile(`^Cannot use two forms of the same flag: (\S+) (\S+)$`)

// badFlag says in one line which value of which flag cannot be read.
func badFlag(c Command, err error) error {
	hint := "partwise help " + c.Name
	if m := twoNames.FindStringSubmatch(err.Error()); m != nil {
		return Usagef("leave one of them out", "%s and %s are the same flag", dashed(m[1]), dashed(m[2]))
	}
	m := invalidValue.FindStringSubmatch(err.Error())
	if m == nil {
		return &Error{Code: ExitUsage, Err: errors.New(err.Error()), Hint: hint}
	}
	kind := "a value"
	for _, f := range c.AllFlags() {
		if !slices.Contains(f.Names(), m[2]) {
			continue
		}
		m[2] = f.Names()[0]
		switch f.(type) {
		case *urfave.IntFlag, *urfave.Int64Flag, *urfave.Uint64Flag:
			kind = "a whole number"
		case *urfave.Float64Flag:
			kind = "a number"
		case *urfave.BoolFlag:
			kind = "true or false"
		}
	}
	return Usagef(hint, "--%s: %q is not %s", m[2], m[1], kind)
}
