package spec

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// What a study may ask for at most; each model takes memory, and each point time.
const (
	maxLoads  = 100_000
	maxModels = 10_000
	maxPoints = 200_000
)

// DefaultLoads are the loads of a study that names none: 0.02, 0.04, …, 0.98.
func DefaultLoads() []float64 { return loadRange(0.02, 0.98, 0.02) }

// loadRange returns from, from + step, … up to to, each rounded to 12 digits.
func loadRange(from, to, step float64) []float64 {
	n := int(math.Floor((to-from)/step*(1+1e-12) + 1e-9))
	loads := make([]float64, n+1)
	for i := range loads {
		loads[i] = round12(from + float64(i)*step)
	}
	return loads
}

// round12 rounds to 12 significant digits.
func round12(v float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 12, 64), 64)
	if err != nil {
		return v
	}
	return r
}

// axis is an axis with its values as nodes, which are put into the models at the end of steps.
type axis struct {
	Axis
	steps []step
	nodes []*node
}

// grid reads the axes, paths with lists of values.
func (c *cursor) grid() []axis {
	if c.kind != mapping {
		c.expected("lists of values by path", "write them such as {machine.nodes: [8, 16, 32]}")
		return nil
	}
	var all []axis
	for _, e := range c.entries {
		key, value := c.child(e.key.value, e.key), c.child(e.key.value, e.value)
		steps, okPath := key.steps(e.key.value)
		nodes, okValues := value.values()
		if !okPath || !okValues {
			continue
		}
		a := axis{Axis{Path: e.key.value}, steps, nodes}
		for _, n := range nodes {
			a.Values = append(a.Values, n.flow())
		}
		if i := repeated(a.Values); i >= 0 {
			value.fail(a.Values[i]+" is given twice", "")
			continue
		}
		all = append(all, a)
	}
	return all
}

// repeated returns the index of the first word that stands before, -1 if there is none.
func repeated(words []string) int {
	seen := make(map[string]bool, len(words))
	for i, w := range words {
		if seen[w] {
			return i
		}
		seen[w] = true
	}
	return -1
}

// values reads a list of any values, in which A:B and A:B:STEP stand for ranges, or {from, to, step}.
func (c *cursor) values() ([]*node, bool) {
	if c.kind == mapping {
		numbers, ok := c.stepped((*cursor).number)
		return c.numerals(numbers), ok
	}
	items, ok := c.sequence("values")
	if !ok {
		return nil, false
	}
	if len(items) == 0 {
		c.fail("is empty", "")
		return nil, false
	}
	var all []*node
	for i := range items {
		item := &items[i]
		numbers, isRange, fine := item.textRange((*cursor).number)
		switch {
		case !fine:
			ok = false
		case isRange:
			all = append(all, item.numerals(numbers)...)
		default:
			all = append(all, item.node)
		}
	}
	return all, ok
}

// numerals returns numbers as nodes that stand where the cursor is.
func (c *cursor) numerals(numbers []float64) []*node {
	all := make([]*node, len(numbers))
	for i, v := range numbers {
		all[i] = &node{src: c.src, line: c.line, col: c.col, kind: number, value: strconv.FormatFloat(v, 'g', -1, 64)}
	}
	return all
}

// loads reads a list of loads, in which A:B:STEP stands for a range, or {from, to, step}.
func (c *cursor) loads() []float64 {
	switch c.kind {
	case mapping:
		loads, _ := c.stepped((*cursor).positive)
		return loads
	case list:
	default:
		c.expected("a list of loads or {from: 0.02, to: 0.98, step: 0.02}", "")
		return nil
	}
	var loads []float64
	for i := range c.items {
		item := c.item(i)
		numbers, isRange, ok := item.textRange((*cursor).positive)
		if ok && !isRange {
			v, _ := item.positive("a load")
			numbers = []float64{v}
		}
		loads = append(loads, numbers...)
	}
	if len(c.items) == 0 {
		c.fail("is empty", "")
	}
	return loads
}

// stepped reads {from, to, step}, the end of which is included.
func (c *cursor) stepped(read func(*cursor, string) (float64, bool)) ([]float64, bool) {
	o, _ := c.object("from", "to", "step")
	from, okFrom := o.plain("from", read)
	to, okTo := o.plain("to", read)
	step, okStep := o.plain("step", (*cursor).positive)
	if !okFrom || !okTo || !okStep || !o.ok {
		return nil, false
	}
	at := map[string]cursor{}
	for _, key := range []string{"to", "step"} {
		at[key], _ = o.field(key)
	}
	return stretch(from, to, step, at["to"], at["step"])
}

// textRange reads A:B or A:B:STEP; isRange is false for anything else.
func (c *cursor) textRange(read func(*cursor, string) (float64, bool)) (numbers []float64, isRange, ok bool) {
	parts := strings.Split(c.value, ":")
	if c.kind != text || c.quoted || len(parts) < 2 || len(parts) > 3 {
		return nil, false, true
	}
	ends := []float64{0, 0, 1}
	for i, part := range parts {
		if !isDecimal(part) {
			return nil, false, true
		}
		n := *c.node
		n.kind, n.value = number, part
		at := *c
		at.node = &n
		if i == 2 {
			read = (*cursor).positive
		}
		if ends[i], ok = read(&at, "a number"); !ok {
			return nil, true, false
		}
	}
	numbers, ok = stretch(ends[0], ends[1], ends[2], *c, *c)
	return numbers, true, ok
}

// stretch returns a range, or notes what is wrong with its end or its step.
func stretch(from, to, step float64, end, by cursor) ([]float64, bool) {
	switch {
	case to < from:
		end.fail(fmt.Sprintf("%s is less than from", strconv.FormatFloat(to, 'g', -1, 64)), "")
		return nil, false
	case !((to-from)/step <= maxLoads):
		by.fail(fmt.Sprintf("makes more than %d values", maxLoads), "take larger steps")
		return nil, false
	}
	return loadRange(from, to, step), true
}

// flow writes the node in one line.
func (n *node) flow() string {
	var b strings.Builder
	n.writeFlow(&b)
	return b.String()
}

func (n *node) writeFlow(b *strings.Builder) {
	switch n.kind {
	case null:
		b.WriteString("null")
	case list:
		b.WriteByte('[')
		for i, item := range n.items {
			if i > 0 {
				b.WriteString(", ")
			}
			item.writeFlow(b)
		}
		b.WriteByte(']')
	case mapping:
		b.WriteByte('{')
		for i, e := range n.entries {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(e.key.value + ": ")
			e.value.writeFlow(b)
		}
		b.WriteByte('}')
	default:
		if n.kind == text && strings.ContainsAny(n.value, "\n,:[]{}\"") {
			b.WriteString(strconv.Quote(n.value))
			return
		}
		b.WriteString(n.value)
	}
}

// combination names the values on the axes.
func (s *Study) combination(at []string) string {
	parts := make([]string, len(at))
	for i, v := range at {
		parts[i] = s.Axes[i].Path + "=" + v
	}
	return strings.Join(parts, ", ")
}

// bounded notes as a mistake more models or points than can be kept.
func (r *studyReader) bounded(o *object, series int) bool {
	models := series
	for _, a := range r.grid {
		if models *= len(a.nodes); models > maxModels {
			at, _ := o.field("over")
			at.fail(fmt.Sprintf("the combinations make more than %d models", maxModels), "make several studies of it")
			return false
		}
	}
	if models*len(r.study.Loads) > maxPoints {
		o.fail(fmt.Sprintf("makes more than %d points", maxPoints), "make several studies of it")
		return false
	}
	return true
}

// combine decodes a model at every combination of the values of the axes. A mistake that stands in the model, but is one
// only at some values, says at which it was met first.
func (r *studyReader) combine(root *node, path string, each func(*Model, []string)) {
	whole := false
	if len(r.grid) > 0 {
		var errs collector
		_, err := decodeModel(root, path, &errs, r.study.known)
		whole = err == nil
	}
	total := 1
	for _, a := range r.grid {
		total *= len(a.nodes)
	}
	var blamed []string // the combination whose mistakes are told
	defer func() { r.errs.edit = nil }()
	for i := range total {
		varied, at := root, make([]string, len(r.grid))
		for j, rest := len(r.grid)-1, i; j >= 0; j-- {
			a := &r.grid[j]
			k := rest % len(a.nodes)
			rest /= len(a.nodes)
			at[j] = a.Values[k]
			varied = place(varied, a.steps, a.nodes[k], a.nodes[k].src, r.errs)
		}
		r.errs.edit = func(e *Error) bool {
			if !whole || r.onAxis(e) {
				return true
			}
			if blamed == nil {
				blamed = at
			}
			e.Problem += " (with " + r.study.combination(at) + ")"
			return &blamed[0] == &at[0]
		}
		if m, err := decodeModel(varied, path, r.errs, r.study.known); err == nil {
			each(m, at)
		}
	}
}

// onAxis reports whether a mistake stands where a value of an axis does.
func (r *studyReader) onAxis(e *Error) bool {
	for _, a := range r.grid {
		for _, n := range a.nodes {
			if n.src.name == e.File && (n.src.flag || n.line == e.Line) {
				return true
			}
		}
	}
	return false
}
