package spec

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// decoder is what the decoding of a file has in common.
type decoder struct {
	errs     *collector
	unit     TimeUnit
	known    *known
	warnings []error
}

// cursor is a node with the way to it from the root of the file.
type cursor struct {
	*node
	d    *decoder
	up   *cursor
	step string // ".key" or "[i]"; "" at the root
}

// root returns the cursor on a whole file.
func (d *decoder) root(n *node) cursor { return cursor{node: n, d: d} }

// child returns the cursor on the value of a key.
func (c *cursor) child(key string, value *node) cursor {
	return cursor{node: value, d: c.d, up: c, step: keyStep(key)}
}

// item returns the cursor on entry i of a list.
func (c *cursor) item(i int) cursor {
	return cursor{node: c.items[i], d: c.d, up: c, step: "[" + strconv.Itoa(i) + "]"}
}

// keyStep writes a key as part of a path; what would be ambiguous there is quoted.
func keyStep(key string) string {
	if key == "" || strings.ContainsAny(key, ".[]=\"' ") {
		return "[" + strconv.Quote(key) + "]"
	}
	return "." + key
}

// path returns the field as messages name it.
func (c *cursor) path() string {
	var b strings.Builder
	c.write(&b)
	return strings.TrimPrefix(b.String(), ".")
}

func (c *cursor) write(b *strings.Builder) {
	if c.up != nil {
		c.up.write(b)
	}
	b.WriteString(c.step)
}

// fail notes a mistake at the cursor.
func (c *cursor) fail(problem, remedy string) {
	c.d.errs.add(c.src.fault(c.line, c.col, c.path(), problem, remedy))
}

// warn notes a doubt about what the cursor points at.
func (c *cursor) warn(format string, args ...any) {
	w := c.src.fault(c.line, c.col, c.path(), fmt.Sprintf(format, args...), "")
	c.d.warnings = append(c.d.warnings, w)
}

// got says what a node is instead of what was expected.
func (n *node) got() string {
	switch n.kind {
	case text, number, boolean:
		const most = 40
		v := []rune(n.value)
		if len(v) > most {
			v = append(v[:most], '…')
		}
		if n.kind == text {
			return strconv.Quote(string(v))
		}
		return string(v)
	}
	return n.kind.String()
}

// expected notes that the node is not what it should be.
func (c *cursor) expected(what, remedy string) { c.fail("expected "+what+", got "+c.got(), remedy) }

// object is a mapping whose keys have been checked.
type object struct {
	*cursor
	ok    bool     // no unknown key, no empty value
	meant []string // what unknown keys are taken for
}

// object checks that the node is a mapping with no other than the known keys. A key that ends in ? may be empty, which
// is the same as leaving it out. If the node is no mapping, object returns false.
func (c *cursor) object(known ...string) (object, bool) {
	names := make([]string, len(known))
	for i, k := range known {
		names[i] = strings.TrimSuffix(k, "?")
	}
	if c.kind != mapping {
		c.expected("a mapping with "+alternatives(names), "")
		return object{}, false
	}
	o := object{cursor: c, ok: true}
	for _, e := range c.entries {
		i := slices.Index(names, e.key.value)
		switch {
		case i < 0:
			o.ok = false
			at := c.child(e.key.value, e.key)
			at.fail("unknown field", suggest(e.key.value, names))
			if name, ok := nearest(e.key.value, names); ok {
				o.meant = append(o.meant, name)
			}
		case e.value.kind == null && !strings.HasSuffix(known[i], "?"):
			o.ok = false
			at := c.child(e.key.value, e.key)
			at.fail("has no value", "give it one or remove the line")
		}
	}
	return o, true
}

// field returns the value of a key that may be left out.
func (o *object) field(key string) (cursor, bool) {
	v := o.lookup(key)
	if v == nil || v.kind == null {
		return cursor{}, false
	}
	return o.child(key, v), true
}

// names reports whether the key is written, with or without a value.
func (o *object) names(key string) bool { return o.lookup(key) != nil }

// need returns the value of a key that must be there.
func (o *object) need(key, remedy string) (cursor, bool) {
	if !o.names(key) && !slices.Contains(o.meant, key) {
		at := o.child(key, o.node)
		at.fail("is missing", remedy)
	}
	return o.field(key)
}

// oneOf returns the one key of several that is there, and notes it as a mistake if none or more than one is.
func (o *object) oneOf(keys ...string) (string, cursor, bool) {
	found := ""
	for _, e := range o.entries {
		switch {
		case !slices.Contains(keys, e.key.value):
		case found != "":
			at := o.child(e.key.value, e.key)
			at.fail(fmt.Sprintf("cannot stand beside %q", found), "exactly one of "+alternatives(keys)+" is needed")
			return "", cursor{}, false
		default:
			found = e.key.value
		}
	}
	if found == "" {
		if o.ok { // otherwise the key is there with a wrong name or no value
			o.fail("exactly one of "+alternatives(keys)+" is needed", "")
		}
		return "", cursor{}, false
	}
	c, ok := o.field(found)
	return found, c, ok
}

// sequence checks that the node is a list and returns its entries.
func (c *cursor) sequence(of string) ([]cursor, bool) {
	if c.kind != list {
		c.expected("a list of "+of, "")
		return nil, false
	}
	all := make([]cursor, len(c.items))
	for i := range c.items {
		all[i] = c.item(i)
	}
	return all, true
}

// text returns the text of the node.
func (c *cursor) text(what string) (string, bool) {
	if c.kind != text {
		remedy := ""
		if c.kind == number || c.kind == boolean {
			remedy = "put it in quotes"
		}
		c.expected(what, remedy)
		return "", false
	}
	return c.value, true
}

// word returns one of a few words.
func (c *cursor) word(what string, known ...string) (string, bool) {
	if c.kind == text && slices.Contains(known, c.value) {
		return c.value, true
	}
	remedy := "use " + alternatives(known)
	if c.kind == text {
		remedy = suggest(c.value, known)
	}
	c.expected(what, remedy)
	return "", false
}

// number returns the finite number of the node.
func (c *cursor) number(what string) (float64, bool) {
	if c.kind != number {
		c.expected(what, c.node.numberRemedy())
		return 0, false
	}
	v, ok := parseNumber(c.value)
	if !ok {
		c.fail(c.got()+" is too large", "")
	}
	return v, ok
}

// numberRemedy says how a text that looks like a number is written as one.
func (n *node) numberRemedy() string {
	if n.kind != text {
		return ""
	}
	plain := strings.TrimLeft(strings.ToLower(n.value), "+-")
	switch {
	case n.quoted && isDecimal(n.value):
		return "remove the quotes"
	case plain == ".inf" || plain == ".nan" || plain == "inf" || plain == "nan" || plain == "infinity":
		return "it must be finite"
	case strings.HasPrefix(plain, "0x") || strings.HasPrefix(plain, "0o") || strings.HasPrefix(plain, "0b"):
		return "write it in decimal"
	case isDecimal(strings.TrimSpace(strings.TrimSuffix(n.value, "%"))):
		return "write it as a fraction, such as 0.7"
	case isDecimal(strings.ReplaceAll(n.value, "_", "")) || isDecimal(strings.ReplaceAll(n.value, ",", "")):
		return "write it without separators"
	case isDecimal(strings.TrimLeft(plain, "0")) && plain != "":
		return "write it without leading zeros"
	}
	return ""
}

// positive returns a number greater than zero.
func (c *cursor) positive(what string) (float64, bool) { return c.aboveZero(c.number(what)) }

// nonnegative returns a number that is not less than zero.
func (c *cursor) nonnegative(what string) (float64, bool) { return c.notNegative(c.number(what)) }

// aboveZero passes on what was read of the node if that is greater than zero.
func (c *cursor) aboveZero(v float64, ok bool) (float64, bool) {
	if ok && v <= 0 {
		c.fail(c.got()+" is not positive", "")
		return 0, false
	}
	return v, ok
}

// notNegative passes on what was read of the node if that is not less than zero.
func (c *cursor) notNegative(v float64, ok bool) (float64, bool) {
	if ok && v < 0 {
		c.fail(c.got()+" is negative", "")
		return 0, false
	}
	return v, ok
}

// whole returns a whole number between low and high.
func (c *cursor) whole(what string, low, high int) (int, bool) {
	v, ok := c.number(fmt.Sprintf("%s, a whole number", what))
	switch {
	case !ok:
		return 0, false
	case v != math.Trunc(v):
		c.fail(c.got()+" is not a whole number", "")
		return 0, false
	case v < float64(low):
		c.fail(fmt.Sprintf("%s is less than %d", c.got(), low), "")
		return 0, false
	case v > float64(high):
		c.fail(fmt.Sprintf("%s is more than %d, the most that is supported", c.got(), high), "")
		return 0, false
	}
	return int(v), true
}

// plural returns the plural of the words that lists are made of.
func plural(word string) string {
	if stem, ok := strings.CutSuffix(word, "y"); ok {
		return stem + "ies"
	}
	return word + "s"
}

// numbers returns a list of numbers, each read by read.
func (c *cursor) numbers(what string, read func(*cursor, string) (float64, bool)) ([]float64, bool) {
	items, ok := c.sequence(plural(what))
	if !ok {
		return nil, false
	}
	if len(items) == 0 {
		c.fail("is empty", "")
		return nil, false
	}
	v := make([]float64, len(items))
	for i := range items {
		x, fine := read(&items[i], "a "+what)
		v[i], ok = x, ok && fine
	}
	return v, ok
}
