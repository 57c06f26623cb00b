package modelfile

import (
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile/internal/tree"
)

// What a program needs to read files of its own as model files are read, with the position of every mistake, and to name
// their fields. [Read] hands out a [Cursor] at the root of a file.
type (
	Cursor = tree.Cursor
	Error  = tree.Error
	Errors = tree.Errors
	Set    = tree.Set
)

// ErrTooLarge says that a file has more than 8 MiB: models, studies and distributions are no larger.
var ErrTooLarge = tree.ErrTooLarge

// Mapping is the kind of a node that has fields.
const Mapping = tree.Mapping

// Read reads the text of a file by a function, which gets the root; times without a unit are in seconds. A name that ends in
// .json says that the text is JSON, another name YAML. The error is [Errors], with all mistakes of the text and those that
// the function has noted.
func Read(name string, data []byte, read func(root *Cursor)) error {
	var errs tree.Collector
	if root := tree.ReadTree(name, data, &errs); root != nil {
		read((&tree.Decoder{Errs: &errs, Unit: measure.Second()}).Root(root))
	}
	return errs.Err()
}

// ReadFile reads a file of at most 8 MiB; the error is an *[io/fs.PathError], of [ErrTooLarge] for a larger file.
func ReadFile(path string) ([]byte, error) { return tree.ReadFile(path) }

// Word reads one of a few words; what says what is expected.
func Word(c *Cursor, what string, known ...string) string { return tree.Word(c, what, known...) }

// Suggest returns a question after the word of known that is nearest to a misspelt one, or "".
func Suggest(word string, known []string) string { return tree.Suggest(word, known) }

// Nearest returns the word of known that is nearest to a misspelt one, if one is near.
func Nearest(word string, known []string) (string, bool) { return tree.Nearest(word, known) }

// Alternatives returns "a, b or c".
func Alternatives(words []string) string { return tree.Alternatives(words) }

// Texts returns the texts of all values.
func Texts[T any](all []T, text func(T) string) []string { return tree.Texts(all, text) }

// Short returns the shortest decimal text of a number that reads back to the same number.
func Short(v float64) string { return tree.Short(v) }

// Count returns "1 one" or "n many".
func Count(n int, one, many string) string { return tree.Count(n, one, many) }
