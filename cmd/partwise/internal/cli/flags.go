package cli

import (
	"cmp"
	"errors"
	"fmt"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/words"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/files"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile"
)

// Options are what the flags of a command say. Flags binds each flag to a field of the options; the field holds the value
// that is true without the flag.
type Options interface{ Flags() []Flag }

// Checker are options some of whose flags exclude each other. Check checks what flags say together, once all are read.
type Checker interface{ Check(inv *Invocation) error }

// Flag is a flag that is bound to a field.
type Flag struct {
	About
	Name   string
	Hidden bool // the flag is accepted, but neither listed nor proposed
	Topic  string
	kind
	read func(*Invocation) error // puts what the flag says into the field
}

// kind is what the texts of a flag are.
type kind int

const (
	last  kind = iota // the last of its texts counts
	list              // it may be repeated
	onOff             // it takes no value
)

// About is what help, errors and completion say about a flag.
type About struct {
	Usage   string   // a sentence, with the placeholder of the value in backquotes
	Default string   // what is true without the flag, where its value does not say so
	Hint    string   // what makes sense in place of a value that does not
	Words   []string // the values of the flag, if they are few
	Was     []string // old names of the flag: accepted, but neither listed nor proposed
	Letter  string   // an abbreviation of the flag; "": none
	File    bool     // the value names a file
	Rare    bool     // most users never need the flag: only help --all lists it
}

// IsSwitch reports whether the flag takes no value.
func (f *Flag) IsSwitch() bool { return f.kind == onOff }

// is reports whether the flag has a name, now or formerly, or a letter.
func (f *Flag) is(name string) bool {
	return name == f.Name || name == f.Letter && name != "" || slices.Contains(f.Was, name)
}

// flag returns a flag of a value that is read from its text.
func (a *About) flag(name string, kind kind, read func(*Invocation) error) Flag {
	return Flag{About: *a, Name: name, kind: kind, read: read}
}

// WithOptions returns the command with the flags of its options. Each call of the command has options of its own, made
// by fresh and read from the command line before run gets them. A command whose Formats are nil writes all that results have.
func WithOptions[O Options](fresh func() O, run func(*Invocation, O) error, c Command) Command {
	if c.Formats == nil {
		c.Formats = []string{"json", "csv", "markdown", "table"}
	}
	c.bind = func() ([]Flag, func(*Invocation) error) {
		o := fresh()
		flags := o.Flags()
		return flags, func(inv *Invocation) error {
			if err := inv.read(flags); err != nil {
				return err
			}
			if c, ok := any(o).(Checker); ok {
				if err := c.Check(inv); err != nil {
					return err
				}
			}
			return run(inv, o)
		}
	}
	return c
}

// read stores the values of the given flags.
func (inv *Invocation) read(flags []Flag) error {
	for _, f := range flags {
		if inv.Given(f.Name) {
			if err := f.read(inv); err != nil {
				return err
			}
		}
	}
	return nil
}

// Given reports whether a flag was given.
func (inv *Invocation) Given(flag string) bool { return inv.said.IsSet(flag) }

// FirstGiven returns the first of some flags that was given, "" if none was.
func (inv *Invocation) FirstGiven(flags ...string) string {
	for _, name := range flags {
		if inv.Given(name) {
			return name
		}
	}
	return ""
}

// flag returns a flag of the command, nil if it has none of that name.
func (inv *Invocation) flag(name string) *Flag {
	if i := slices.IndexFunc(inv.flags, func(f Flag) bool { return f.Name == name }); i >= 0 {
		return &inv.flags[i]
	}
	return nil
}

// texts returns what a flag was given.
func (inv *Invocation) texts(flag string) []string {
	texts := inv.said.StringSlice(flag)
	if n := len(texts); n > 0 && inv.flag(flag).kind != list {
		texts = texts[n-1:]
	}
	return texts
}

// text returns what a flag was given, all texts of a list separated by commas.
func (inv *Invocation) text(flag string) string { return strings.Join(inv.texts(flag), ",") }

// Switch binds a flag without a value.
func Switch(to *bool, name, usage string) Flag { return SwitchAbout(to, name, About{Usage: usage}) }

// SwitchAbout binds a flag without a value.
func SwitchAbout(to *bool, name string, about About) Flag {
	return about.flag(name, onOff, func(inv *Invocation) (err error) {
		*to, err = strconv.ParseBool(inv.text(name))
		return err
	})
}

// Unlisted returns the flag as a flag that is accepted, but neither listed nor proposed: an old flag.
func (f Flag) Unlisted() Flag {
	f.Hidden = true
	return f
}

// Text binds a flag to its text as it is.
func Text(to *string, name string, about About) Flag {
	return Value(to, name, AsIs, about)
}

// InputFile binds a flag to the name of a file that the command reads.
func InputFile(to *string, name, usage string) Flag {
	return file(to, name, usage, func(inv *Invocation) error { return inv.Reads(*to) })
}

// OutputFile binds a flag to the name of a file that the command writes.
func OutputFile(to *string, name, usage string) Flag {
	return file(to, name, usage, func(inv *Invocation) error { return inv.writes(name, *to) })
}

// OutputFolder binds a flag to the name of a folder that the command writes files into.
func OutputFolder(to *string, name, usage string) Flag {
	return file(to, name, usage, func(*Invocation) error { return files.Named(name, *to) })
}

func file(to *string, name, usage string, check func(*Invocation) error) Flag {
	return Text(to, name, About{Usage: usage, File: true}).Then(check)
}

// Then returns the flag with a function that is called when the flag has been read.
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

// Value binds a flag to the value that parse returns for its text. A flag of a list may be repeated: parse gets all texts, separated
// by commas. Of other flags the last text counts. An error of parse says what is wrong with the text, such as "x" is not a number. An
// [Error] of parse is returned as it is.
func Value[T any](to *T, name string, parse func(string) (T, error), about About) Flag {
	about.Default = cmp.Or(about.Default, defaultText(reflect.ValueOf(to).Elem()))
	of := last
	if reflect.TypeFor[T]().Kind() == reflect.Slice {
		of = list
	}
	return about.flag(name, of, func(inv *Invocation) error {
		v, err := parse(inv.text(name))
		*to = v
		return flagError(name, about, parse, err)
	})
}

// defaultText returns how a value is written on the command line; "" for a zero, for nothing, and for what is not made of numbers and
// texts.
func defaultText(value reflect.Value) string {
	of := value.Type()
	if of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	switch of.Kind() {
	case reflect.String, reflect.Int, reflect.Int64, reflect.Uint64, reflect.Float64:
		if !value.IsZero() {
			return strings.ReplaceAll(strings.Trim(fmt.Sprint(value), "[]"), " ", ",")
		}
	}
	return ""
}

// Values binds a flag that may be repeated to the values that parse returns for its texts.
func Values[T any](to *[]T, name string, parse func(string) (T, error), about About) Flag {
	return about.flag(name, list, func(inv *Invocation) error {
		*to = nil
		for _, text := range inv.texts(name) {
			v, err := parse(text)
			if err != nil {
				return flagError(name, about, parse, err)
			}
			*to = append(*to, v)
		}
		return nil
	})
}

// Choice binds a flag to one of the known words. The error of another word begins with the complaint, such as unknown
// criterion. A usage that ends with a colon gets the words behind it, and the word that is true without the flag is the default.
func Choice[T ~string](to *T, name, complaint string, known []T, about About) Flag {
	about.Words, about.Default = words.Strings(known), cmp.Or(about.Default, string(*to))
	if strings.HasSuffix(about.Usage, ":") {
		about.Usage += " " + words.Or(about.Words)
	}
	return Value(to, name, OneOf(complaint, known...), about)
}

// flagError returns an error of the value of a flag. Without a hint, an unknown word gets the words that it may be, and another value
// the default as an example, if that is a value.
func flagError[T any](name string, about About, parse func(string) (T, error), err error) error {
	var own *Error
	if err == nil || errors.As(err, &own) {
		return err
	}
	var unknown *wordError
	hint := about.Hint
	if hint == "" && errors.As(err, &unknown) {
		hint = words.Suggest(unknown.word, unknown.known)
	}
	if _, wrong := parse(about.Default); hint == "" && about.Default != "" && wrong == nil {
		hint = fmt.Sprintf("for example --%s %s", name, about.Default)
	}
	return Usagef(hint, "--%s: %s", name, Plain(err))
}

// wordError is the error of an unknown word.
type wordError struct {
	complaint, word string
	known           []string
}

func (e *wordError) Error() string { return fmt.Sprintf("%s %q", e.complaint, e.word) }

// AsIs parses a text to itself.
func AsIs(text string) (string, error) { return text, nil }

// OneOf parses to one of the known words, see [Choice].
func OneOf[T ~string](complaint string, known ...T) func(string) (T, error) {
	_, parse := ByName(complaint, known, func(w T) string { return string(w) })
	return parse
}

// ByName returns the names of known things, and what parses a name to its thing; see [OneOf].
func ByName[T any](complaint string, known []T, name func(T) string) (names []string, parse func(string) (T, error)) {
	names = words.Texts(known, name)
	return names, func(text string) (one T, err error) {
		i := slices.Index(names, text)
		if i < 0 {
			return one, &wordError{complaint, text, names}
		}
		return known[i], nil
	}
}

// ListOf parses words that are separated by commas, each by parse.
func ListOf[T any](parse func(string) (T, error)) func(string) ([]T, error) {
	return func(text string) ([]T, error) {
		var all []T
		for word := range strings.SplitSeq(text, ",") {
			v, err := parse(strings.TrimSpace(word))
			if err != nil {
				return nil, err
			}
			all = append(all, v)
		}
		return all, nil
	}
}

// IsNumber reports whether a word is a number.
func IsNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

// PositiveNumber parses a number above 0.
func PositiveNumber(text string) (float64, error) {
	return numberFrom(math.SmallestNonzeroFloat64, "positive", text)
}

// NonnegativeNumber parses a number from 0.
func NonnegativeNumber(text string) (float64, error) { return numberFrom(0, "nonnegative", text) }

// numberFrom parses a finite number that is not below the least; kind names such numbers.
func numberFrom(least float64, kind, text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= least) || math.IsInf(v, 1) {
		return 0, fmt.Errorf("%q is not a %s number", text, kind)
	}
	return v, nil
}

// mostNumbers bounds the whole numbers of one flag.
const mostNumbers = 10_000

// WholeNumbers returns a parser of lists of whole numbers from least to most and of ranges A:B:STEP.
func WholeNumbers(least, most int) func(string) ([]int, error) {
	return func(text string) ([]int, error) {
		values, err := measure.ParseNumbers(text, measure.Limits{Most: mostNumbers})
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
	v, ok := measure.ParseNumber(strings.TrimSpace(text))
	switch meant := measure.Percentage(v); {
	case ok && v > 0 && v < 1:
		return v, nil
	case meant != "" && !measure.IsPercent(strings.TrimSpace(text)):
		return 0, fmt.Errorf("%q is not a share between 0 and 1; %s", text, meant)
	}
	return 0, fmt.Errorf("%q is not a share between 0 and 1", text)
}

// Number binds a flag to a positive number.
func Number(to *float64, name string, about About) Flag {
	return Value(to, name, PositiveNumber, about)
}

// mostLoads bounds the loads of one command line.
const mostLoads = 100_000

// ParseLoads reads loads: positive numbers or percentages and ranges A:B:STEP, separated by commas.
func ParseLoads(text string) ([]float64, error) {
	return measure.ParseNumbers(text, measure.Limits{Positive: true, Loads: true, Most: mostLoads})
}

// Loads binds --load of a command that takes several, none where it is not given.
func Loads(to *[]float64, about About) Flag {
	about.Hint = cmp.Or(about.Hint, "for example --load 0.5:0.9:0.1")
	return Value(to, "load", ParseLoads, about)
}

// Load binds --load of a command that takes one load, 0 if it is not given. forSeveral is the command that takes several
// loads. The hint of an error names forSeveral, unless it is empty.
func Load(to *float64, forSeveral string, about About) Flag {
	about.Hint = "for example --load 0.7"
	var loads []float64
	return Loads(&loads, about).Then(func(inv *Invocation) error {
		*to = loads[0]
		switch {
		case len(loads) == 1:
			return nil
		case forSeveral == "":
			return Usagef(about.Hint, "--load: %s takes one load", inv.Command)
		}
		return Usagef(about.Hint, "--load: %s takes one load; %s takes several", inv.Command, forSeveral)
	})
}

// Sets binds --set to what it replaces in files.
func Sets(to *[]modelfile.Set) Flag {
	return Values(to, "set", modelfile.ParseSet, About{
		Usage: "replace a value of the file: `PATH=VALUE`; may be repeated",
		Hint:  "for example --set machine.nodes=16",
	})
}

// globals are what the flags of every command say.
type globals struct {
	formatFlag, outputFlag string
	guard                  bool // cells of CSV also on standard output, from where programs read
	quiet                  bool
	wide                   bool // tables
	Workers                int  // 0: one per processor
	memory                 *markov.Memory
}

// Flags binds the flags.
func (g *globals) Flags() []Flag {
	return []Flag{
		Text(&g.formatFlag, "format", About{Usage: "write the result as `FORMAT`: table, json, csv or markdown",
			Words: []string{"table", "json", "csv", "markdown"}, Default: "table on a terminal, otherwise json, of curves csv"}),
		Switch(&g.guard, "guard-cells", "guard the cells of CSV also on standard output").Unlisted(),
		Text(&g.outputFlag, "output", About{Letter: "o", File: true,
			Usage: "write to `FILE`, whole or not at all, instead of standard output"}),
		SwitchAbout(&g.quiet, "quiet", About{Letter: "q", Usage: "print no progress, notes or warnings"}),
		Switch(&g.wide, "wide", "show all columns of tables, without line breaks, however wide that is"),
		Int(&g.Workers, "workers", PositiveInt, About{Default: "one per processor", Hint: "for example --workers 2",
			Usage: "run `N` calculations at a time; the results do not depend on it"}),
		Value(&g.memory, "memory", parseMemory, About{
			Default: fmt.Sprintf("%dGiB", parallel.DefaultMemory>>30), Hint: "for example --memory 8GiB",
			Usage: "refuse chains, fits and logs that need more memory than `SIZE`, all calculations together"}),
	}
}

// parseMemory reads the limit of the memory that all calculations take together.
func parseMemory(text string) (*markov.Memory, error) {
	bytes, ok := measure.ParseBytes(text)
	if !ok {
		return nil, fmt.Errorf("%q is not a size of at least 1MiB", text)
	}
	return markov.NewMemory(bytes), nil
}

// GlobalFlags returns the flags of every command.
func GlobalFlags() []Flag { return new(globals).Flags() }

// MostReplications bounds --replications: the results of all replications are kept in memory.
const MostReplications = 10_000

// MostStudies bounds the studies of one command line.
const MostStudies = 100
