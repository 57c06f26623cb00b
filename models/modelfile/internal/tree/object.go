package tree

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// Version is the version of the files that this program reads.
const Version = 1

// Object is a mapping whose keys have been checked. An object of a node that is no mapping has no fields and is not valid.
type Object struct {
	*Cursor
	before int      // mistakes that were noted before the object was read
	keyed  bool     // every key is known and has the value that it needs
	meant  []string // known keys for which unknown keys are taken
}

// Object checks that the node is a mapping with no other than the known keys. A key that ends in ? may be empty, which
// is the same as leaving it out. If the node is no mapping, Object returns false.
func (c *Cursor) Object(known ...string) (*Object, bool) {
	names := Texts(known, func(k string) string { return strings.TrimSuffix(k, "?") })
	o := &Object{Cursor: c, before: c.Errs().noted, keyed: c.Kind == Mapping}
	if c.Kind != Mapping {
		c.Expected("a mapping with "+Alternatives(names), "")
		return o, false
	}
	for _, e := range c.Entries {
		i := slices.Index(names, e.Key.Value)
		switch {
		case i < 0:
			o.keyed = false
			c.Child(e.Key.Value, e.Key).Fail("unknown field", c.suggest(e.Key.Value, names))
			if name, ok := Nearest(e.Key.Value, names); ok {
				o.meant = append(o.meant, name)
			}
		case e.Value.Kind == Null && !strings.HasSuffix(known[i], "?"):
			o.keyed = false
			c.Child(e.Key.Value, e.Key).Fail("has no value", "give it one or remove the line")
		}
	}
	return o, true
}

// sections are the keys of a model that hold a field which one may look for, or set, at the top.
var sections = map[string]string{"nodes": "machine", "min_nodes": "machine", "load": "arrivals", "rate": "arrivals",
	"interarrival": "arrivals", "demand": "jobs", "speedup": "jobs", "service": "jobs", "classes": "jobs", "stops": "dynamic",
	"overhead": "dynamic", "shrink": "dynamic", "expand": "dynamic", "setup": "static"}

// suggest returns a remedy for an unknown key: the section of a model that the key belongs to, the distribution that may have the
// key as a parameter, or the nearest known key.
func (c *Cursor) suggest(key string, known []string) string {
	if section := sections[key]; c.up == nil && slices.Contains(known, section) {
		return fmt.Sprintf("did you mean %q?", section+"."+key)
	}
	if (key == "mean" || key == "scv") && slices.Contains(known, "moments") {
		return "name the distribution, as in {exponential: {mean: 30}} or {moments: {mean: 30, scv: 2}}"
	}
	return Suggest(key, known)
}

// Valid reports whether no mistake was noted since the object was made: in its keys, in the values read so far, or in
// what depends on them.
func (o *Object) Valid() bool { return o.Errs().noted == o.before }

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
	at, ok := o.Field(key)
	if !ok {
		at = o.Cursor
	}
	at.Fail(problem, remedy)
}

// Need returns the value of a key that must be there.
func (o *Object) Need(key, remedy string) (*Cursor, bool) {
	if o.Kind == Mapping && !o.Has(key) && !slices.Contains(o.meant, key) {
		o.Child(key, o.Node).Fail("is missing", remedy)
	}
	return o.Field(key)
}

// Excludes notes a mistake if one of the keys is there, and returns whether none is.
func (o *Object) Excludes(problem, remedy string, keys ...string) bool {
	for _, key := range keys {
		if v := o.Lookup(key); v != nil {
			o.Child(key, v).Fail(problem, remedy)
			return false
		}
	}
	return true
}

// OneOf returns the one key of several that has a value, and the value. If there is no such key, OneOf returns "" and notes
// why: none of the keys is there, or more than one.
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
	if found == "" && o.keyed { // otherwise the key is there with a wrong name or no value
		o.Fail("exactly one of "+Alternatives(keys)+" is needed", "")
	}
	c, ok := o.Field(found)
	if !ok {
		found = ""
	}
	return found, c, ok
}

// Head reads the keys that all files have: the version, and the title if there is one.
func (o *Object) Head(title *string) {
	if v, ok := o.Field("version"); ok {
		if n, ok := v.Number("a version"); ok && n != Version {
			v.Fail("version "+v.Got()+" is not known", fmt.Sprintf("this program reads version %d", Version))
		}
	}
	*title = Optional(o, "title", *title, TextAs("a title"))
}

// Needed reads the value of a key that must be there.
func Needed[T any](o *Object, key, remedy string, read func(*Cursor) (T, bool)) (value T) {
	if v, ok := o.Need(key, remedy); ok {
		value, _ = read(v)
	}
	return value
}

// Optional reads the value of a key that may be left out, and returns otherwise if it is.
func Optional[T any](o *Object, key string, otherwise T, read func(*Cursor) (T, bool)) T {
	if v, there := o.Field(key); there {
		otherwise, _ = read(v)
	}
	return otherwise
}

// Part reads the value of a key that may be left out, for readers that keep what they read.
func (o *Object) Part(key string, read func(*Cursor)) {
	if v, there := o.Field(key); there {
		read(v)
	}
}

// As makes a reader of values of a reader of numbers; what says what is expected.
func As(read NumberReader, what string) func(*Cursor) (float64, bool) {
	return func(c *Cursor) (float64, bool) { return read(c, what) }
}

// TextAs returns a reader of texts; what says what is expected.
func TextAs(what string) func(*Cursor) (string, bool) {
	return func(c *Cursor) (string, bool) { return c.Text(what) }
}

// WholeAs returns a reader of whole numbers between low and high; what says what is expected.
func WholeAs(what string, low, high int) func(*Cursor) (int, bool) {
	return func(c *Cursor) (int, bool) { return c.Whole(what, low, high) }
}

// WordAs returns a reader of one of a few words, which are values of a type of their own; what says what is expected.
func WordAs[T ~string](what string, known ...T) func(*Cursor) (T, bool) {
	words := Texts(known, func(k T) string { return string(k) })
	return func(c *Cursor) (T, bool) {
		word, ok := c.Word(what, words...)
		return T(word), ok
	}
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
func (o *Object) SameLength(key string, n int, other string, m int) {
	if n != m {
		o.FailField(key, fmt.Sprintf("has %s, %s has %d", Count(n, "entry", "entries"), other, m), "")
	}
}
