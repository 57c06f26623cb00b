package cli

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/files"
	"github.com/partwise/partwise/cmd/partwise/internal/pages"
	"github.com/partwise/partwise/cmd/partwise/internal/values"
	"github.com/partwise/partwise/models/words"
)

// Flag is a flag of urfave/cli that is bound to a field of options: an *urfave.BoolFlag, or an *urfave.GenericFlag whose value
// reads its text into the field.
type Flag = urfave.Flag

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

// value is the value of a flag: its texts, which read puts into a field of options. It is a [urfave.Generic].
type value struct {
	About
	name  string
	list  bool     // the flag may be repeated; of other flags the last text counts
	texts []string // that the command line gives the flag
	read  func(texts []string) error
	err   error // of the last text: package flag hands over only the words of errors
}

// same is the text that stands for the texts which a value has already.
const same = "\x00"

// Set reads one more text.
func (v *value) Set(text string) error {
	switch {
	case text == same:
		return nil
	case text == "":
		v.err = v.missing()
		return v.err
	case strings.HasPrefix(text, "--"):
		v.err = fault.Usagef(v.Hint, "--%s needs a value before %s", v.name, text)
		return v.err
	case v.list:
		v.texts = append(v.texts, text)
	default:
		v.texts = []string{text}
	}
	v.err = v.read(v.texts)
	return v.err
}

// missing returns the error of an empty text, such as a shell makes of a variable that is not set.
func (v *value) missing() error {
	if v.File {
		return fault.Usagef(cmp.Or(v.Hint, "write --"+v.name+" FILE"), "--%s needs the name of a file", v.name)
	}
	return fault.Usagef(cmp.Or(v.Hint, "write --"+v.name+" VALUE"), "--%s needs a value", v.name)
}

// String returns what is true without the flag.
func (v *value) String() string { return v.Default }

// Serialize returns what the library sets the other names of a flag to when one of its names has been set. All names share one
// value.
func (v *value) Serialize() string { return same }

// valueOf returns the value of a flag, nil for a switch.
func valueOf(f Flag) *value {
	if generic, ok := f.(*urfave.GenericFlag); ok {
		return generic.Value.(*value)
	}
	return nil
}

// flag returns the flag of a value.
func (v *value) flag() Flag {
	f := &urfave.GenericFlag{Name: v.name, Aliases: v.Was, Usage: v.Usage, DefaultText: v.Default, TakesFile: v.File, Value: v}
	if v.Letter != "" {
		f.Aliases = append([]string{v.Letter}, v.Was...)
	}
	if v.Rare {
		f.Category = pages.RarelyNeeded
	}
	return f
}

// Name returns the name of a flag.
func Name(f Flag) string { return f.Names()[0] }

// Names returns the names of flags.
func Names(flags []Flag) []string { return words.Texts(flags, Name) }

// IsVisible reports whether help lists a flag.
func IsVisible(f Flag) bool { return f.(urfave.VisibleFlag).IsVisible() }

// takesValue reports whether a flag is no switch.
func takesValue(f Flag) bool { return valueOf(f) != nil }

// Unlisted changes a flag, and returns it: the flag is accepted, but neither listed nor proposed.
func Unlisted(f Flag) Flag {
	switch f := f.(type) {
	case *urfave.BoolFlag:
		f.Hidden = true
	case *urfave.GenericFlag:
		f.Hidden = true
	}
	return f
}

// Explained changes those of some flags that have the names, and returns all flags: the help of the command explains them though
// they belong to a topic.
func Explained(flags []Flag, names ...string) []Flag {
	for _, f := range flags {
		if slices.Contains(names, Name(f)) {
			pages.Under("", f)
		}
	}
	return flags
}

// Then changes a flag, and returns it: once the command line has been read, do is called if the command line gives the flag.
// Functions of one flag are called in the order of Then.
func Then(f Flag, do func(*Invocation) error) Flag {
	switch f := f.(type) {
	case *urfave.BoolFlag:
		f.Action = func(said *urfave.Context, _ bool) error { return do(invocationOf(said)) }
	case *urfave.GenericFlag:
		before := f.Action
		f.Action = func(said *urfave.Context, v any) error {
			if before != nil {
				if err := before(said, v); err != nil {
					return err
				}
			}
			return do(invocationOf(said))
		}
	}
	return f
}

// Switch binds a flag without a value. letters abbreviate the flag.
func Switch(to *bool, name, usage string, letters ...string) Flag {
	return &urfave.BoolFlag{Name: name, Aliases: letters, Usage: usage, Destination: to, Value: *to}
}

// Summary binds --summary, which writes the summary of the result in place of its tables.
func Summary() Flag {
	return Then(Switch(new(bool), "summary", "write the verdict, its certainty and what would change it, in eight lines at most"),
		func(inv *Invocation) error {
			if inv.Given("format") {
				return fault.Usagef("leave one of them out", "--summary writes sentences, --format writes data")
			}
			inv.Summary = true
			return nil
		})
}

// Text binds a flag to its text as it is.
func Text(to *string, name string, about About) Flag {
	return Value(to, name, values.AsIs, about)
}

// InputFile binds a flag to the name of a file that the command reads.
func InputFile(to *string, name, usage string) Flag {
	return file(to, name, usage, func(inv *Invocation) error { return inv.Reads(*to) })
}

// OutputFile binds a flag to the name of a file that the command writes.
func OutputFile(to *string, name, usage string) Flag {
	return file(to, name, usage, func(inv *Invocation) error { return inv.Writes(name, *to) })
}

// OutputFolder binds a flag to the name of a folder that the command writes files into.
func OutputFolder(to *string, name, usage string) Flag {
	return file(to, name, usage, func(*Invocation) error { return files.Named(name, *to) })
}

// OwnOutput returns --output of a command that writes to the file something else than what it prints. The name of the file is
// the File of the invocation.
func OwnOutput(usage string) Flag {
	var file string
	return Then(Text(&file, outputFlag, About{Letter: "o", File: true, Usage: usage, Hint: outputHint}), func(inv *Invocation) error {
		inv.File = file
		return inv.Writes(outputFlag, file)
	})
}

// file binds a flag to the name of a file, which check accepts or refuses.
func file(to *string, name, usage string, check func(*Invocation) error) Flag {
	return Then(Text(to, name, About{Usage: usage, File: true}), check)
}

// Int binds a flag to a whole number that check accepts.
func Int(to *int, name string, check func(int) error, about About) Flag {
	return Value(to, name, func(text string) (int, error) {
		n, err := values.Whole(text)
		if err != nil {
			return 0, err
		}
		return n, check(n)
	}, about)
}

// DefaultSeed is the seed of random numbers without --seed.
const DefaultSeed = 1

// Seed binds --seed.
func Seed(to *uint64, usage string) Flag {
	return Value(to, "seed", values.Seed, About{Usage: usage, Default: strconv.FormatUint(*to, 10), Hint: "for example --seed 1"})
}

// Value binds a flag to the value that parse returns for its text. A flag of a list may be repeated: parse gets all
// texts, separated by commas. Of other flags the last text counts. An error of parse says what is wrong with the text,
// such as "x" is not a number. An [Error] of parse is returned as it is.
func Value[T any](to *T, name string, parse func(string) (T, error), about About) Flag {
	about.Default = cmp.Or(about.Default, defaultText(reflect.ValueOf(to).Elem()))
	list := reflect.TypeFor[T]().Kind() == reflect.Slice
	v := &value{About: about, name: name, list: list, read: func(texts []string) (err error) {
		*to, err = parse(strings.Join(texts, ","))
		return flagError(name, about, parse, err)
	}}
	return v.flag()
}

// defaultText returns how a value is written on the command line. It returns "" for a zero value, and for a value that is not made
// of numbers and texts.
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
	v := &value{About: about, name: name, list: true, read: func(texts []string) error {
		if len(texts) == 1 {
			*to = nil // what is true without the flag
		}
		v, err := parse(texts[len(texts)-1])
		*to = append(*to, v)
		return flagError(name, about, parse, err)
	}}
	return v.flag()
}

// Choice binds a flag to one of the known words. The error of another word begins with the complaint, such as unknown
// criterion. A usage that ends with a colon gets the words behind it, and the word that is true without the flag is the default.
func Choice[T ~string](to *T, name, complaint string, known []T, about About) Flag {
	about.Words, about.Default = words.Strings(known), cmp.Or(about.Default, string(*to))
	if strings.HasSuffix(about.Usage, ":") {
		about.Usage += " " + words.Or(about.Words)
	}
	return Value(to, name, values.OneOf(complaint, known...), about)
}

// flagError returns an error of the value of a flag. Where about has no hint, the hint of an unknown
// word is the words that are known, and the hint of another value is the default.
func flagError[T any](name string, about About, parse func(string) (T, error), err error) error {
	var own *fault.Error
	if err == nil || errors.As(err, &own) {
		return err
	}
	var unknown *values.UnknownError
	hint := about.Hint
	if hint == "" && errors.As(err, &unknown) {
		hint = words.Suggest(unknown.Word, unknown.Known)
	}
	if _, wrong := parse(about.Default); hint == "" && about.Default != "" && wrong == nil {
		hint = fmt.Sprintf("for example --%s %s", name, about.Default)
	}
	return fault.Usagef(hint, "--%s: %s", name, fault.Plain(err))
}

// Number binds a flag to a positive number.
func Number(to *float64, name string, about About) Flag {
	return Value(to, name, values.PositiveNumber, about)
}
