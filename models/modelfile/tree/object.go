package tree

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// Version is the version of the files that this program reads.
const Version = 1

// Object is a mapping whose keys have been checked.
type Object struct {
	*Cursor
	valid  bool
	failed bool     // a value could not be read
	meant  []string // what unknown keys are taken for
}

// Object checks that the node is a mapping with no other than the known keys. A key that ends in ? may be empty, which
// is the same as leaving it out. If the node is no mapping, Object returns false.
func (c *Cursor) Object(known ...string) (*Object, bool) {
	names := make([]string, len(known))
	for i, k := range known {
		names[i] = strings.TrimSuffix(k, "?")
	}
	o := &Object{Cursor: c, valid: true}
	if c.Kind != Mapping {
		c.Expected("a mapping with "+Alternatives(names), "")
		return o, false
	}
	for _, e := range c.Entries {
		i := slices.Index(names, e.Key.Value)
		switch {
		case i < 0:
			o.valid = false
			c.Child(e.Key.Value, e.Key).Fail("unknown field", Suggest(e.Key.Value, names))
			if name, ok := Nearest(e.Key.Value, names); ok {
				o.meant = append(o.meant, name)
			}
		case e.Value.Kind == Null && !strings.HasSuffix(known[i], "?"):
			o.valid = false
			c.Child(e.Key.Value, e.Key).Fail("has no value", "give it one or remove the line")
		}
	}
	return o, true
}

// Valid reports whether the mapping has neither unknown keys nor keys without the value that they need, and nothing was
// wrong with the values that were read by [Needed] or [Optional].
func (o *Object) Valid() bool { return o.valid && !o.failed }

// Field returns the value of a key that may be left out.
func (o *Object) Field(key string) (*Cursor, bool) {
	v := o.Lookup(key)
	if v == nil || v.Kind == Null {
		return nil, false
	}
	return o.Child(key, v), true
}

// Has reports whether the key is written, with or without a value.
func (o *Object) Has(key string) bool { return o.Lookup(key) != nil }

// FailField notes a mistake at the value of a key, or at the mapping if it has no such value.
func (o *Object) FailField(key, problem, remedy string) {
	if v, ok := o.Field(key); ok {
		v.Fail(problem, remedy)
		return
	}
	o.Fail(problem, remedy)
}

// Need returns the value of a key that must be there.
func (o *Object) Need(key, remedy string) (*Cursor, bool) {
	if !o.Has(key) && !slices.Contains(o.meant, key) {
		o.Child(key, o.Node).Fail("is missing", remedy)
	}
	return o.Field(key)
}

// Excludes notes it as a mistake if one of the keys is there, and returns whether none is.
func (o *Object) Excludes(problem, remedy string, keys ...string) bool {
	for _, key := range keys {
		if v := o.Lookup(key); v != nil {
			o.Child(key, v).Fail(problem, remedy)
			return false
		}
	}
	return true
}

// OneOf returns the one key of several that is there, and notes it as a mistake if none or more than one is.
func (o *Object) OneOf(keys ...string) (string, *Cursor, bool) {
	found := ""
	for _, e := range o.Entries {
		switch {
		case !slices.Contains(keys, e.Key.Value):
		case found != "":
			o.Child(e.Key.Value, e.Key).Fail(fmt.Sprintf("cannot stand beside %q", found),
				"exactly one of "+Alternatives(keys)+" is needed")
			return "", nil, false
		default:
			found = e.Key.Value
		}
	}
	if found == "" {
		if o.valid { // otherwise the key is there with a wrong name or no value
			o.Fail("exactly one of "+Alternatives(keys)+" is needed", "")
		}
		return "", nil, false
	}
	c, ok := o.Field(found)
	return found, c, ok
}

// Head reads the keys that all files have: the version, and the title if there is one.
func (o *Object) Head(title *string) {
	if v, ok := o.Field("version"); ok {
		if n, ok := v.Number("a version"); ok && n != Version {
			v.Fail("version "+v.Got()+" is not known", fmt.Sprintf("this program reads version %d", Version))
		}
	}
	if v, ok := o.Field("title"); ok {
		if s, ok := v.Text("a title"); ok {
			*title = s
		}
	}
}

// Needed reads the value of a key that must be there. What is wrong with the value makes the mapping invalid.
func Needed[T any](o *Object, key, remedy string, read func(*Cursor) (T, bool)) (value T) {
	v, ok := o.Need(key, remedy)
	if ok {
		value, ok = read(v)
	}
	o.failed = o.failed || !ok
	return value
}

// Optional reads the value of a key that may be left out; otherwise is the value then. What is wrong with the value makes
// the mapping invalid.
func Optional[T any](o *Object, key string, otherwise T, read func(*Cursor) (T, bool)) T {
	if _, there := o.Field(key); !there {
		return otherwise
	}
	return Needed(o, key, "", read)
}

// As makes a reader of numbers a reader of values; what says what is expected.
func As(read NumberReader, what string) func(*Cursor) (float64, bool) {
	return func(c *Cursor) (float64, bool) { return read(c, what) }
}

// Number reads a number that must be there.
func (o *Object) Number(key string, read NumberReader) float64 {
	return Needed(o, key, "", As(read, "a number"))
}

// Time reads a time greater than zero that must be there.
func (o *Object) Time(key string) float64 {
	return Needed(o, key, "", As((*Cursor).PositiveTime, "a time"))
}

// Numbers reads a list of numbers that must be there; what is the word for one of them.
func (o *Object) Numbers(key, what string, read NumberReader) []float64 {
	return Needed(o, key, "", func(c *Cursor) ([]float64, bool) { return c.Numbers(what, read) })
}

// Matrix reads a list of rows that must be there.
func (o *Object) Matrix(key string) *mat.Dense { return Needed(o, key, "", (*Cursor).Matrix) }

// SameLength checks that the list of a key has as many entries, n, as that of another, m.
func (o *Object) SameLength(key string, n int, other string, m int) bool {
	if n != m {
		o.FailField(key, fmt.Sprintf("has %s, %s has %d", Count(n, "entry", "entries"), other, m), "")
	}
	return n == m
}
