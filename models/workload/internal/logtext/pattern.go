package logtext

import (
	"regexp"
	"sync"
)

// Pattern returns a regular expression, which it compiles at the first call. Few runs of a program read a text that needs the
// patterns of all formats.
type Pattern func() *regexp.Regexp

// NewPattern returns the pattern with the syntax of [regexp]. The pattern panics when it is used, if the syntax is wrong.
func NewPattern(syntax string) Pattern {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(syntax) })
}
