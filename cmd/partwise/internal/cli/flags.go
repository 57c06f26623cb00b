package cli

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/partwise/partwise/models/spec"
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
	read func(*Invocation) error // puts what the flag says into the field
}

// About is what help and errors say about a flag.
type About struct {
	Usage   string // with the placeholder of the value in backquotes
	Default string // what is true without the flag, where its value does not say so
	Hint    string // what makes sense in place of a value that does not
	File    bool   // the value names a file
}

// WithOptions returns the command with the flags of its options. Each call of the command has options of its own, made
// by fresh and read from the command line before run gets them.
func WithOptions[O Options](fresh func() O, run func(*Invocation, O) error, c Command) Command {
	c.Flags = Registered(fresh())
	c.Run = func(inv *Invocation) error {
		o := fresh()
		if err := inv.Read(o); err != nil {
			return err
		}
		return run(inv, o)
	}
	return c
}

// Registered returns the flags of options as the table of commands has them.
func Registered(o Options) []urfave.Flag {
	var flags []urfave.Flag
	for _, f := range o.Flags() {
		flags = append(flags, f.Flag)
	}
	return flags
}

// Read puts what the command line says into options, and checks it.
func (inv *Invocation) Read(o Options) error {
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
func (inv *Invocation) Given(flag string) bool { return inv.Flags.IsSet(flag) }

// Switch binds a flag that is given or not.
func Switch(to *bool, name, usage string) Flag {
	return Flag{&urfave.BoolFlag{Name: name, Usage: usage, DisableDefaultText: true}, func(inv *Invocation) error {
		*to = inv.Flags.Bool(name)
		return nil
	}}
}

// Text binds a flag to its text as it is.
func Text(to *string, name string, about About) Flag {
	f := &urfave.StringFlag{Name: name, Usage: about.Usage, DefaultText: about.Default, Value: *to, TakesFile: about.File}
	return Flag{f, func(inv *Invocation) error {
		*to = inv.Flags.String(name)
		return nil
	}}
}

// Int binds a flag to a whole number that check accepts.
func Int(to *int, name string, check func(int) error, about About) Flag {
	f := &urfave.IntFlag{Name: name, Usage: about.Usage, DefaultText: about.Default, Value: *to}
	return Flag{f, func(inv *Invocation) error {
		*to = inv.Flags.Int(name)
		return flagError(name, about.Hint, check(*to))
	}}
}

// Seed binds --seed.
func Seed(to *uint64, usage string) Flag {
	return Flag{&urfave.Uint64Flag{Name: "seed", Usage: usage, Value: *to}, func(inv *Invocation) error {
		*to = inv.Flags.Uint64("seed")
		return nil
	}}
}

// Value binds a flag to what parse makes of its text. An error of parse says what is wrong with the text, such as "x"
// is not a number; one that is an [Error] says all that is to be said.
func Value[T any](to *T, name string, parse func(string) (T, error), about About) Flag {
	f := &urfave.StringFlag{Name: name, Usage: about.Usage, DefaultText: about.Default, TakesFile: about.File}
	return Flag{f, func(inv *Invocation) error {
		v, err := parse(inv.Flags.String(name))
		*to = v
		return flagError(name, about.Hint, err)
	}}
}

// Values binds a flag that may be repeated to what parse makes of its texts.
func Values[T any](to *[]T, name string, parse func(string) (T, error), about About) Flag {
	f := &urfave.StringSliceFlag{Name: name, Usage: about.Usage, DefaultText: about.Default}
	return Flag{f, func(inv *Invocation) error {
		*to = nil
		for _, text := range inv.Flags.StringSlice(name) {
			v, err := parse(text)
			if err != nil {
				return flagError(name, about.Hint, err)
			}
			*to = append(*to, v)
		}
		return nil
	}}
}

// flagError puts an error down to a flag.
func flagError(name, hint string, err error) error {
	var own *Error
	if err == nil || errors.As(err, &own) {
		return err
	}
	return Usagef(hint, "--%s: %s", name, Plain(err))
}

// AsIs parses a text to itself.
func AsIs(text string) (string, error) { return text, nil }

// Optional parses to a pointer, which is nil where the flag is not given.
func Optional[T any](parse func(string) (T, error)) func(string) (*T, error) {
	return func(text string) (*T, error) {
		v, err := parse(text)
		return &v, err
	}
}

// OneOf parses to one of the known words. The complaint about another word stands in front of it, such as no family.
func OneOf[T ~string](complaint string, known ...T) func(string) (T, error) {
	return func(text string) (T, error) {
		if !slices.Contains(known, T(text)) {
			return "", fmt.Errorf("%s %q", complaint, text)
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

// PositiveInt accepts whole numbers above 0.
func PositiveInt(n int) error {
	if n < 1 {
		return fmt.Errorf("%d is not a positive number", n)
	}
	return nil
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

// Load binds --load to a positive number, 0 where it is not given.
func Load(to *float64, about About) Flag {
	about.Hint = "for example --load 0.7"
	return Number(to, "load", about)
}

// Sets binds --set to what it replaces in files.
func Sets(to *[]spec.Set) Flag {
	return Values(to, "set", spec.ParseSet, About{
		Usage: "replace a value of the file, as in `PATH=VALUE`; may be repeated",
		Hint:  "for example --set machine.nodes=16",
	})
}

// MostStudies bounds the studies of one command line.
const MostStudies = 100

// Share reads a flag between 0 and 1, also written as a percentage.
func (inv *Invocation) Share(name, hint string) (float64, error) {
	v, err := Share(inv.Flags.String(name))
	return v, flagError(name, hint, err)
}

// SetFlag is --set, which [Invocation.Sets] reads.
func SetFlag() urfave.Flag { return Sets(new([]spec.Set)).Flag }

// Load returns what --load says, 0 if it says nothing.
func (inv *Invocation) Load() (load float64, err error) {
	if inv.Given("load") {
		err = Load(&load, About{}).read(inv)
	}
	return load, err
}

// Sets returns what --set replaces in the file.
func (inv *Invocation) Sets() (sets []spec.Set, err error) {
	err = Sets(&sets).read(inv)
	return sets, err
}
