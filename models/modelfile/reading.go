package modelfile

import "github.com/partwise/partwise/models/modelfile/internal/tree"

// What a program needs to read files of its own as model files are read, with the position of every mistake, and to name
// their fields. A file is read by [ReadTree] into a tree; a [Decoder] hands out a [Cursor] at its root, and an [Object] is a
// mapping whose fields are read by name. A [Collector] gathers the mistakes.
type (
	Collector    = tree.Collector
	Cursor       = tree.Cursor
	Decoder      = tree.Decoder
	Error        = tree.Error
	Errors       = tree.Errors
	Node         = tree.Node
	NumberReader = tree.NumberReader
	Object       = tree.Object
	Path         = tree.Path
	Set          = tree.Set
	Step         = tree.Step
)

// ErrTooLarge says that a file has more than 8 MiB: models, studies and distributions are no larger.
var ErrTooLarge = tree.ErrTooLarge

// Mapping is the kind of a node that has fields.
const Mapping = tree.Mapping

// ReadTree turns the text of a file into a tree. A name that ends in .json says that the text is JSON, another name YAML.
// ReadTree returns nil and adds the mistake to errs if the text cannot be read.
func ReadTree(file string, data []byte, errs *Collector) *Node {
	return tree.ReadTree(file, data, errs)
}

// ReadFile reads a file of at most 8 MiB; the error is an *[io/fs.PathError], of [ErrTooLarge] for a larger file.
func ReadFile(path string) ([]byte, error) { return tree.ReadFile(path) }

// Needed reads the value of a key that must be there; remedy says what to write if the key is missing.
func Needed[T any](o *Object, key, remedy string, read func(*Cursor) (T, bool)) T {
	return tree.Needed(o, key, remedy, read)
}

// ParsePath reads the path of a field, as in --set.
func ParsePath(path string) (Path, error) { return tree.ParsePath(path) }

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
