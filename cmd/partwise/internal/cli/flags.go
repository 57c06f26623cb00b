package cli

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/modelfile/tree"
	"github.com/partwise/partwise/models/quantity"
)

// Options are what the flags of a command say. Flags binds each flag to a field of the options, which holds what is
// true without the flag; Check checks what flags say together, once all of them are read.
type Options interface {
	Flags() []Flag
	Check(inv *Invocation) error
}

// Flag is a flag that is bound to a field.
type Flag struct {
	urfave.Flag
	read  func(*Invocation) error // puts what the flag says into the field
	words []string                // that its value may be, for completion
}

// About is what help, errors and completion say about a flag.
type About struct {
	Usage   string   // a sentence, with the placeholder of the value in backquotes
	Default string   // what is true without the flag, where its value does not say so
	Hint    string   // what makes sense in place of a value that does not
	Words   []string // that the value may be, where it is one of a few
	Was     []string // old names of the flag: accepted, but neither listed nor proposed
	File    bool     // the value names a file
}

// text returns the flag of a value that is read from its text.
func (a *About) text(name string) *urfave.StringFlag {
	return &urfave.StringFlag{Name: name, Aliases: a.Was, Usage: a.Usage, DefaultText: a.Default, TakesFile: a.File}
}

// namesOf returns the names of a flag that are listed: the first, and those of one letter. The others are old, see
// [About]; a flag that is old has none.
func namesOf(f urfave.Flag) []string {
	if v, ok := f.(urfave.VisibleFlag); ok && !v.IsVisible() {
		return nil
	}
	all := f.Names()
	return append(all[:1:1], slices.DeleteFunc(all[1:], func(name string) bool { return len(name) > 1 })...)
}

// WithOptions returns the command with the flags of its options. Each call of the command has options of its own, made
// by fresh and read from the command line before run gets them.
func WithOptions[O Options](fresh func() O, run func(*Invocation, O) error, c Command) Command {
	c.words = map[string][]string{}
	for _, f := range fresh().Flags() {
		c.Flags = append(c.Flags, f.Flag)
		if f.words != nil {
			c.words[f.Names()[0]] = f.words
		}
	}
	c.Run = func(inv *Invocation) error {
		o := fresh()
		if err := inv.read(o); err != nil {
			return err
		}
		return run(inv, o)
	}
	return c
}

// read puts what the command line says into options, and checks it.
func (inv *Invocation) read(o Options) error {
	for _, f := range o.Flags() {
		if !inv.Given(f.Names()[0]) {
			continue
		}
		if err := f.read(inv); err != nil {
			return err
		}
	}
	return o.Check(inv)
}

// Given reports whether a flag was given.
func (inv *Invocation) Given(flag string) bool { return inv.flags.IsSet(flag) }

// Switch binds a flag that is given or not.
func Switch(to *bool, name, usage string) Flag {
	f := &urfave.BoolFlag{Name: name, Usage: usage, DisableDefaultText: true}
	return Flag{Flag: f, read: func(inv *Invocation) error {
		*to = inv.flags.Bool(name)
		return nil
	}}
}

// Text binds a flag to its text as it is.
func Text(to *string, name string, about About) Flag {
	f := about.text(name)
	f.Value = *to
	return Flag{Flag: f, words: about.Words, read: func(inv *Invocation) error {
		*to = inv.flags.String(name)
		return nil
	}}
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

// Unlisted returns the flag as one of an old spelling: it is accepted, but neither listed nor proposed.
func (f Flag) Unlisted() Flag {
	switch of := f.Flag.(type) {
	case *urfave.StringFlag:
		of.Hidden = true
	case *urfave.StringSliceFlag:
		of.Hidden = true
	case *urfave.BoolFlag:
		of.Hidden = true
	case *urfave.IntFlag:
		of.Hidden = true
	}
	return f
}

// Int binds a flag to a whole number that check accepts.
func Int(to *int, name string, check func(int) error, about About) Flag {
	f := &urfave.IntFlag{Name: name, Aliases: about.Was, Usage: about.Usage, DefaultText: about.Default, Value: *to}
	return Flag{Flag: f, read: func(inv *Invocation) error {
		*to = inv.flags.Int(name)
		return flagError(name, about.Hint, check(*to))
	}}
}

// Seed binds --seed.
func Seed(to *uint64, usage string) Flag {
	f := &urfave.Uint64Flag{Name: "seed", Usage: usage, Value: *to}
	return Flag{Flag: f, read: func(inv *Invocation) error {
		*to = inv.flags.Uint64("seed")
		return nil
	}}
}

// Value binds a flag to what parse makes of its text. An error of parse says what is wrong with the text, such as "x"
// is not a number; one that is an [Error] says all that is to be said.
func Value[T any](to *T, name string, parse func(string) (T, error), about About) Flag {
	return Flag{Flag: about.text(name), words: about.Words, read: func(inv *Invocation) error {
		v, err := parse(inv.flags.String(name))
		*to = v
		return flagError(name, about.Hint, err)
	}}
}

// Values binds a flag that may be repeated to what parse makes of its texts.
func Values[T any](to *[]T, name string, parse func(string) (T, error), about About) Flag {
	f := &urfave.StringSliceFlag{Name: name, Aliases: about.Was, Usage: about.Usage, DefaultText: about.Default}
	return Flag{Flag: f, words: about.Words, read: func(inv *Invocation) error {
		*to = nil
		for _, text := range inv.flags.StringSlice(name) {
			v, err := parse(text)
			if err != nil {
				return flagError(name, about.Hint, err)
			}
			*to = append(*to, v)
		}
		return nil
	}}
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
	v, ok := quantity.Number(strings.TrimSpace(text))
	switch meant := quantity.Percentage(v); {
	case ok && v > 0 && v < 1:
		return v, nil
	case meant != "":
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
	return quantity.Parse(text, quantity.Limits{Positive: true, Loads: true, Most: mostLoads})
}

// mostNumbers bounds the whole numbers of one flag.
const mostNumbers = 10_000

// WholeNumbers returns a parser of lists of whole numbers from least to most and of ranges A:B:STEP.
func WholeNumbers(least, most int) func(string) ([]int, error) {
	return func(text string) ([]int, error) {
		values, err := quantity.Parse(text, quantity.Limits{Most: mostNumbers})
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

// MostStudies bounds the studies of one command line.
const MostStudies = 100
