package tree

import (
	"fmt"
	"slices"
	"strings"

	"github.com/partwise/partwise/models/words"
)

// Version is the version of the files that this program reads.
const Version = 1

// keys is what is known of the keys of a mapping that have been checked.
type keys struct {
	right bool     // every key is known and has the value that it needs
	meant []string // known keys for which unknown keys are taken
}

// Keys checks that the node is a mapping with no other than the known keys. A key that ends in ? may be empty, which is the
// same as leaving it out. Mistakes that were noted before do not count for [Cursor.Valid].
func (c *Cursor) Keys(known ...string) {
	names := words.Texts(known, func(k string) string { return strings.TrimSuffix(k, "?") })
	c.before = c.errs.noted
	if c.keys = (&keys{right: c.Kind == Mapping}); !c.right {
		c.Expected("a mapping with "+words.Or(names), c.mappingRemedy(names))
	}
	for _, e := range c.Entries {
		i := slices.Index(names, e.Key.Value)
		switch at := c.Child(e.Key.Value, e.Key); {
		case i < 0:
			c.right = false
			at.Fail("unknown field", c.suggest(e, names))
			if name, ok := words.Nearest(e.Key.Value, names); ok {
				c.meant = append(c.meant, name)
			}
		case e.Value.Kind == Null && !strings.HasSuffix(known[i], "?"):
			c.right = false
			at.Fail("has no value", "give it one or remove the line")
		}
	}
}

// Field returns the value of a key that may be left out.
func (c *Cursor) Field(key string) *Cursor {
	v := c.Lookup(key)
	if v == nil || v.Kind == Null {
		v = c.made(Absent, "")
	}
	return c.Child(key, v)
}

// Has reports whether a key is written, with or without a value.
func (c *Cursor) Has(key string) bool { return c.Lookup(key) != nil }

// FailField notes a mistake at the value of a key, or at the mapping if it has no such value.
func (c *Cursor) FailField(key, problem, remedy string) {
	at := c.Field(key)
	if !at.There() {
		at = c
	}
	at.Fail(problem, remedy)
}

// Need returns the value of a key that must be there; remedy says what to write if it is missing.
func (c *Cursor) Need(key, remedy string) *Cursor {
	if c.Kind == Mapping && !c.Has(key) && !slices.Contains(c.meant, key) {
		c.Child(key, c.Node).Fail("is missing", remedy)
	}
	return c.Field(key)
}

// Excludes notes a mistake if one of the keys is there, and returns whether none is.
func (c *Cursor) Excludes(problem, remedy string, keys ...string) bool {
	for _, key := range keys {
		if v := c.Lookup(key); v != nil {
			c.Child(key, v).Fail(problem, remedy)
			return false
		}
	}
	return true
}

// OneOf returns the one key of several that has a value, and the value. If there is no such key, OneOf returns "" and notes
// why: none of the keys is there, or more than one.
func (c *Cursor) OneOf(keys ...string) (found string, value *Cursor) {
	for _, e := range c.Entries {
		switch key := e.Key.Value; {
		case !slices.Contains(keys, key):
		case found != "":
			c.Child(key, e.Key).Fail(fmt.Sprintf("cannot stand beside %q", found), "exactly one of "+words.Or(keys)+" is needed")
			return "", c.Field("")
		default:
			found = key
		}
	}
	if found == "" && c.right { // otherwise the key is there with a wrong name or no value
		c.Fail("exactly one of "+words.Or(keys)+" is needed", "")
	}
	if value = c.Field(found); !value.There() {
		found = ""
	}
	return found, value
}

// Head reads the keys that all files have: the version, and the title if there is one.
func (c *Cursor) Head(title *string) {
	if v := c.Field("version"); v.Number() != Version && v.Valid() {
		v.Fail("version "+v.Got()+" is not known", fmt.Sprintf("this program reads version %d", Version))
	}
	if v := c.Field("title"); v.There() {
		*title = v.Text("a title")
	}
}

// SameLength checks that the list of a key has as many entries as that of another, if both are right so far.
func (c *Cursor) SameLength(key string, n int, other string, m int) {
	if n != m && c.Valid() {
		c.FailField(key, fmt.Sprintf("has %s, %s has %d", words.Count(n, "entry"), other, m), "")
	}
}
