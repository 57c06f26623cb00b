package cli

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/modelfile/ranges"
	"github.com/partwise/partwise/models/modelfile/tree"
)

// Options are what the flags of a command say. Flags binds each flag to a field of the options, which holds what is
// true without the flag; Check checks what flags say together, once all of them are read.
type Options interface {
	Flags() []Flag
	Check(inv *Invocation) error
}

// Flag is a flag that is bound to a field.
type Flag struct {
	Name    string
	Letter  string // that is short for the flag; "": none
	Usage   string // a sentence, with the placeholder of the value in backquotes
	Default string
	Hidden  bool // the flag is accepted, but neither listed nor proposed
	IsFile  bool // the value names a file
	Rare    bool // only help --all lists it
	Topic   string
	was     []string                // old names
	words   []string                // that the value may be, for completion
	given   *given                  // what the command line says
	read    func(*Invocation) error // puts what the flag says into the field
}

// Changed reports whether the flag was given.
func (f *Flag) Changed() bool { return len(f.given.texts) > 0 }

// IsSwitch reports whether the flag takes no value.
func (f *Flag) IsSwitch() bool { return f.given.isSwitch }

// is reports whether the flag has a name, now or formerly, or a letter.
func (f *Flag) is(name string) bool {
	return name == f.Name || name == f.Letter && name != "" || slices.Contains(f.was, name)
}

// forLibrary returns the flag as the command line library takes it. The library knows a flag by its present name only.
func (f *Flag) forLibrary() urfave.Flag {
	return &urfave.GenericFlag{Name: f.Name, Usage: f.Usage, Value: f.given, TakesFile: f.IsFile, Hidden: f.Hidden}
}

// About is what help, errors and completion say about a flag.
type About struct {
	Usage   string   // a sentence, with the placeholder of the value in backquotes
	Default string   // what is true without the flag, where its value does not say so
	Hint    string   // what makes sense in place of a value that does not
	Words   []string // that the value may be, where it is one of a few
	Was     []string // old names of the flag: accepted, but neither listed nor proposed
	Letter  string   // that is short for the flag
	File    bool     // the value names a file
	Rare    bool     // most users never need the flag: only help --all lists it
}

// given is what the command line says of a flag: one text, the last, or all texts of a flag that may be repeated.
type given struct {
	texts             []string
	isSwitch, repeats bool
}

// String returns the text.
func (g *given) String() string { return strings.Join(g.texts, ",") }

// Set takes a text.
func (g *given) Set(text string) error {
	if g.isSwitch {
		on, err := strconv.ParseBool(text)
		if err != nil {
			return err
		}
		text = strconv.FormatBool(on)
	}
	if !g.repeats {
		g.texts = nil
	}
	g.texts = append(g.texts, text)
	return nil
}

// flag returns a flag of a value that is read from its text.
func (a *About) flag(name string, kind given, read func(*Invocation) error) Flag {
	return Flag{Name: name, Letter: a.Letter, Usage: a.Usage, Default: a.Default, IsFile: a.File, Rare: a.Rare, was: a.Was,
		words: a.Words, given: &kind, read: read}
}

// WithOptions returns the command with the flags of its options. Each call of the command has options of its own, made
// by fresh and read from the command line before run gets them.
func WithOptions[O Options](fresh func() O, run func(*Invocation, O) error, c Command) Command {
	c.bind = func() ([]Flag, func(*Invocation) error) {
		o := fresh()
		flags := o.Flags()
		return flags, func(inv *Invocation) error {
			if err := inv.read(flags); err != nil {
				return err
			}
			if err := o.Check(inv); err != nil {
				return err
			}
			return run(inv, o)
		}
	}
	return c
}

// read puts what the command line says of flags into what they are bound to.
func (inv *Invocation) read(flags []Flag) error {
	for _, f := range flags {
		if f.Changed() {
			if err := f.read(inv); err != nil {
				return err
			}
		}
	}
	return nil
}

// Given reports whether a flag was given.
func (inv *Invocation) Given(flag string) bool {
	f := inv.flag(flag)
	return f != nil && f.Changed()
}

// flag returns a flag of the command, nil if it has none of that name.
func (inv *Invocation) flag(name string) *Flag {
	if i := slices.IndexFunc(inv.flags, func(f Flag) bool { return f.Name == name }); i >= 0 {
		return &inv.flags[i]
	}
	return nil
}

// texts returns what a flag was given.
func (inv *Invocation) texts(flag string) []string { return inv.flag(flag).given.texts }

// text returns what a flag that is not repeated was given.
func (inv *Invocation) text(flag string) string { return inv.texts(flag)[0] }

// Switch binds a flag that is given or not.
func Switch(to *bool, name, usage string) Flag { return SwitchAbout(to, name, About{Usage: usage}) }

// SwitchAbout binds a flag that is given or not, of which more is to be said than its usage.
func SwitchAbout(to *bool, name string, about About) Flag {
	return about.flag(name, given{isSwitch: true}, func(inv *Invocation) error {
		*to = inv.text(name) == "true"
		return nil
	})
}

// Unlisted returns the flag as one that nobody needs any more: accepted, but neither listed nor proposed.
func (f Flag) Unlisted() Flag {
	f.Hidden = true
	return f
}

// Text binds a flag to its text as it is.
func Text(to *string, name string, about About) Flag {
	about.Default = cmp.Or(about.Default, *to)
	return Value(to, name, AsIs, about)
}

// InputFile binds a flag to the name of a file that the command reads.
func InputFile(to *string, name, usage string) Flag {
	f := Text(to, name, About{Usage: usage, File: true})
	return f.Then(func(inv *Invocation) error { return inv.Reads(*to) })
}

// OutputFile binds a flag to the name of a file that the command writes.
func OutputFile(to *string, name, usage string) Flag {
	f := Text(to, name, About{Usage: usage, File: true})
	return f.Then(func(inv *Invocation) error { return inv.writes(name, *to) })
}

// Then returns the flag with something to be done when it has been read.
func (f Flag) Then(do func(*Invocation) error) Flag {
	read := f.read
	f.read = func(inv *Invocation) error {
		if err := read(inv); err != nil {
			return err
		}
		return do(inv)
	}
	return f
}

// Int binds a flag to a whole number that check accepts.
func Int(to *int, name string, check func(int) error, about About) Flag {
	if *to != 0 {
		about.Default = cmp.Or(about.Default, strconv.Itoa(*to))
	}
	return Value(to, name, func(text string) (int, error) {
		n, err := strconv.Atoi(text)
		if err != nil {
			return 0, fmt.Errorf("%q is not a whole number", text)
		}
		return n, check(n)
	}, about)
}

// Seed binds --seed.
func Seed(to *uint64, usage string) Flag {
	return Value(to, "seed", func(text string) (uint64, error) {
		n, err := strconv.ParseUint(text, 0, 64)
		if err != nil {
			err = fmt.Errorf("%q is not a whole number", text)
		}
		return n, err
	}, About{Usage: usage, Default: strconv.FormatUint(*to, 10), Hint: "for example --seed 1"})
}

// Value binds a flag to what parse makes of its text. An error of parse says what is wrong with the text, such as "x"
// is not a number; one that is an [Error] says all that is to be said.
func Value[T any](to *T, name string, parse func(string) (T, error), about About) Flag {
	return about.flag(name, given{}, func(inv *Invocation) error {
		v, err := parse(inv.text(name))
		*to = v
		return flagError(name, about.Hint, err)
	})
}

// Values binds a flag that may be repeated to what parse makes of its texts.
func Values[T any](to *[]T, name string, parse func(string) (T, error), about About) Flag {
	return about.flag(name, given{repeats: true}, func(inv *Invocation) error {
		*to = nil
		for _, text := range inv.texts(name) {
			v, err := parse(text)
			if err != nil {
				return flagError(name, about.Hint, err)
			}
			*to = append(*to, v)
		}
		return nil
	})
}

// Choice binds a flag to one of the known words. The complaint about another word stands in front of it, such as
// unknown criterion.
func Choice[T ~string](to *T, name, complaint string, known []T, about About) Flag {
	about.Words = Words(known)
	return Value(to, name, OneOf(complaint, known...), about)
}

// flagError puts an error down to a flag. Where there is no hint, that about an unknown word is what it may be.
func flagError(name, hint string, err error) error {
	var own *Error
	if err == nil || errors.As(err, &own) {
		return err
	}
	var unknown *wordError
	if hint == "" && errors.As(err, &unknown) {
		hint = tree.Suggest(unknown.word, unknown.known)
	}
	return Usagef(hint, "--%s: %s", name, Plain(err))
}

// wordError is the error of a word that is none of those known.
type wordError struct {
	complaint, word string
	known           []string
}

func (e *wordError) Error() string { return fmt.Sprintf("%s %q", e.complaint, e.word) }

// AsIs parses a text to itself.
func AsIs(text string) (string, error) { return text, nil }

// Optional parses to a pointer, which is nil where the flag is not given.
func Optional[T any](parse func(string) (T, error)) func(string) (*T, error) {
	return func(text string) (*T, error) {
		v, err := parse(text)
		return &v, err
	}
}

// Words are the known values of a flag as words.
func Words[T ~string](known []T) []string {
	words := make([]string, len(known))
	for i, w := range known {
		words[i] = string(w)
	}
	return words
}

// OneOf parses to one of the known words, see [Choice].
func OneOf[T ~string](complaint string, known ...T) func(string) (T, error) {
	return func(text string) (T, error) {
		if !slices.Contains(known, T(text)) {
			return "", &wordError{complaint, text, Words(known)}
		}
		return T(text), nil
	}
}

// IsNumber reports whether a word is a number.
func IsNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

// PositiveNumber parses a number above 0.
func PositiveNumber(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v > 0) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("%q is not a positive number", text)
	}
	return v, nil
}

// NonnegativeNumber parses a number from 0.
func NonnegativeNumber(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= 0) || math.IsInf(v, 1) {
		return 0, fmt.Errorf("%q is not a nonnegative number", text)
	}
	return v, nil
}

// mostNumbers bounds the whole numbers of one flag.
const mostNumbers = 10_000

// WholeNumbers returns a parser of lists of whole numbers from least to most and of ranges A:B:STEP.
func WholeNumbers(least, most int) func(string) ([]int, error) {
	return func(text string) ([]int, error) {
		values, err := ranges.Parse(text, ranges.Limits{Most: mostNumbers})
		numbers := make([]int, len(values))
		for i, v := range values {
			if v != math.Trunc(v) || v < float64(least) || v > float64(most) {
				return nil, fmt.Errorf("%v is not a whole number from %d to %d", v, least, most)
			}
			numbers[i] = int(v)
		}
		return numbers, err
	}
}

// PositiveInt accepts whole numbers above 0.
func PositiveInt(n int) error {
	if n < 1 {
		return fmt.Errorf("%d is not a positive number", n)
	}
	return nil
}

// Between accepts whole numbers from least to most.
func Between(least, most int) func(int) error {
	return func(n int) error {
		if n < least || n > most {
			return fmt.Errorf("%d is not between %d and %d", n, least, most)
		}
		return nil
	}
}

// Share parses a number between 0 and 1, also written as a percentage.
func Share(text string) (float64, error) {
	number, isPercent := strings.CutSuffix(strings.TrimSpace(text), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if isPercent {
		v /= 100
	}
	if err != nil || !(v > 0 && v < 1) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("%q is not a share between 0 and 1", text)
	}
	return v, nil
}

// Number binds a flag to a positive number.
func Number(to *float64, name string, about About) Flag {
	return Value(to, name, PositiveNumber, about)
}

// mostLoads bounds the loads of one command line.
const mostLoads = 100_000

// percentage is a number with its sign.
var percentage = regexp.MustCompile(`([0-9.]+(?:[eE][-+]?[0-9]+)?) ?%`)

// Fractions writes the percentages of a text as fractions: 70% as 0.7.
func Fractions(text string) string {
	return percentage.ReplaceAllStringFunc(text, func(p string) string {
		if v, err := strconv.ParseFloat(strings.TrimRight(p, " %"), 64); err == nil {
			return strconv.FormatFloat(v/100, 'g', -1, 64)
		}
		return p
	})
}

// ParseLoads reads loads: positive numbers or percentages and ranges A:B:STEP, separated by commas.
func ParseLoads(text string) ([]float64, error) {
	return ranges.Parse(Fractions(text), ranges.Limits{Positive: true, Most: mostLoads})
}

// Loads binds --load of a command that takes several, none where it is not given.
func Loads(to *[]float64, about About) Flag {
	about.Hint = cmp.Or(about.Hint, "for example --load 0.5:0.9:0.1")
	return Value(to, "load", ParseLoads, about)
}

// Load binds --load of a command that takes one load, 0 where it is not given. Errors name the command forSeveral loads,
// if there is one.
func Load(to *float64, forSeveral string, about About) Flag {
	about.Hint = "for example --load 0.7"
	var loads []float64
	f := Loads(&loads, about)
	readAll := f.read
	f.read = func(inv *Invocation) error {
		if err := readAll(inv); err != nil {
			return err
		}
		*to = loads[0]
		switch {
		case len(loads) == 1:
			return nil
		case forSeveral == "":
			return Usagef(about.Hint, "--load: %s takes one load", inv.Command)
		}
		return Usagef(about.Hint, "--load: %s takes one load; %s takes several", inv.Command, forSeveral)
	}
	return f
}

// Sets binds --set to what it replaces in files.
func Sets(to *[]modelfile.Set) Flag {
	return Values(to, "set", modelfile.ParseSet, About{
		Usage: "replace the value at a path of the file, as in `PATH=VALUE`; may be repeated",
		Hint:  "for example --set machine.nodes=16",
	})
}

// globals are what the flags of every command say.
type globals struct {
	format, output     string
	columns            []string
	guard, quiet, wide bool
	workers            int
	memory             *markov.Memory
}

// Flags binds the flags.
func (g *globals) Flags() []Flag {
	return []Flag{
		Text(&g.format, "format", About{Usage: "write the result as `FORMAT`: table, json, csv or markdown",
			Words: []string{"table", "json", "csv", "markdown"}, Default: "table on a terminal, otherwise json, of curves csv"}),
		Value(&g.columns, "columns", func(text string) ([]string, error) {
			return strings.Split(strings.ReplaceAll(text, " ", ""), ","), nil
		}, About{Usage: "show only the columns `NAMES` of tables, separated by commas, such as policy,response: heads " +
			"without units, spaces as _"}),
		Switch(&g.guard, "guard-cells", "guard the cells of CSV also on standard output").Unlisted(),
		Text(&g.output, "output", About{Letter: "o", File: true,
			Usage: "write to `FILE`, whole or not at all, instead of standard output"}),
		SwitchAbout(&g.quiet, "quiet", About{Letter: "q", Usage: "print no progress, notes or warnings"}),
		Switch(&g.wide, "wide", "show all columns of tables, without line breaks, however wide that is"),
		Int(&g.workers, "workers", PositiveInt, About{Default: "one per processor", Hint: "for example --workers 2",
			Usage: "run `N` calculations at a time; the results do not depend on it"}),
		Value(&g.memory, "memory", parseMemory, About{Default: "4GiB",
			Usage: "refuse chains, fits and logs that need more memory than `SIZE`, all calculations together"}),
	}
}

// GlobalFlags returns those of every command.
func GlobalFlags() []Flag { return new(globals).Flags() }

// MostStudies bounds the studies of one command line.
const MostStudies = 100
