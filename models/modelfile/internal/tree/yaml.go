package tree

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"

	"github.com/partwise/partwise/models/measure"
)

// What is wrong with files as a whole.
const (
	emptyFile      = "the file is empty"
	secondDocument = "a second document begins here"
	oneDocument    = "a file holds one document; put the other in a file of its own"
)

var tooDeep = fmt.Sprintf("nested more than %d levels deep", maxDepth)

// readYAML turns YAML text into nodes.
func readYAML(src *Source, data []byte, errs *Collector) *Node {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	c := converter{src: src, errs: errs, done: make(map[*yaml.Node]converted)}
	var doc, second yaml.Node
	err, next := dec.Decode(&doc), error(nil)
	if err == nil {
		next = dec.Decode(&second)
	}
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		errs.Add(syntaxError(src, err))
	case err == nil && next == nil:
		c.fail(second.Line, max(second.Column, 1), secondDocument, oneDocument)
	case err == nil && !errors.Is(next, io.EOF):
		errs.Add(syntaxError(src, next))
	case doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 || doc.Content[0].Tag == "!!null" && !src.flag:
		c.fail(1, 1, emptyFile, "")
	default:
		root := c.convert(doc.Content[0], 1)
		if !c.failed {
			return root.Node
		}
	}
	return nil
}

// converted is a node with the number of values it stands for, aliases written out, and how deep they nest.
type converted struct {
	*Node
	size, height int
}

// converter turns the nodes of the YAML package into ours.
type converter struct {
	src    *Source
	errs   *Collector
	way    Path // from the root
	failed bool
	done   map[*yaml.Node]converted // anchored nodes; without a node while being converted
}

func (c *converter) fail(line, column int, problem, remedy string) {
	c.failed = true
	c.errs.Add(c.src.mistake(line, column, c.way.String(), problem, remedy))
}

// in reads what a step leads to.
func (c *converter) in(step Step, read func()) {
	c.way = append(c.way, step)
	read()
	c.way = c.way[:len(c.way)-1]
}

// at returns an empty node at the place of a node of the YAML package.
func (c *converter) at(n *yaml.Node) converted {
	return converted{&Node{Source: c.src, Line: n.Line, Column: n.Column}, 1, 1}
}

func (c *converter) refuse(n *yaml.Node, problem, remedy string) converted {
	c.fail(n.Line, n.Column, problem, remedy)
	return c.at(n)
}

func (c *converter) convert(n *yaml.Node, depth int) converted {
	if n.Kind == yaml.AliasNode {
		return c.alias(n, depth)
	}
	if depth > maxDepth {
		return c.refuse(n, tooDeep, "")
	}
	if n.Style&yaml.TaggedStyle != 0 {
		return c.refuse(n, fmt.Sprintf("the tag %s is not supported", n.Tag), "remove it")
	}
	if n.Anchor != "" {
		c.done[n] = converted{}
	}
	r := c.at(n)
	switch n.Kind {
	case yaml.SequenceNode:
		r.Kind = List
		for i, item := range n.Content {
			c.in(Step{Index: i}, func() { r.Items = append(r.Items, r.part(c.convert(item, depth+1))) })
		}
	case yaml.MappingNode:
		c.mapping(&r, n, depth)
	default:
		r.scalar(n.Value, n.Style&^yaml.FlowStyle != 0)
	}
	if r.size > maxNodes {
		return c.refuse(n, fmt.Sprintf("stands for more than %d values", maxNodes), "write fewer aliases")
	}
	if n.Anchor != "" {
		c.done[n] = r
	}
	return r
}

func (c *converter) alias(n *yaml.Node, depth int) converted {
	r, ok := c.done[n.Alias]
	switch {
	case ok && r.Node == nil:
		return c.refuse(n, "the alias *"+n.Value+" is part of the value it stands for", "write the value out")
	case !ok:
		return c.refuse(n, "the alias *"+n.Value+" stands for what could not be read", "")
	case depth+r.height > maxDepth+1:
		return c.refuse(n, tooDeep, "write fewer aliases")
	}
	return r
}

// part counts a part of r, and returns its node.
func (r *converted) part(p converted) *Node {
	r.size = min(r.size+p.size, maxNodes+1)
	r.height = max(r.height, p.height+1)
	return p.Node
}

func (c *converter) mapping(r *converted, n *yaml.Node, depth int) {
	r.Kind = Mapping
	seen := make(map[string]*Node, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		written := n.Content[i]
		k, key := written, c.at(written)
		if k.Kind == yaml.AliasNode {
			k = k.Alias
		}
		key.scalar(k.Value, k.Style&^yaml.FlowStyle != 0)
		if written.Anchor != "" {
			c.done[written] = key
		}
		switch {
		case k.Tag == "!!merge":
			c.refuse(written, "merge keys are not supported", "write the keys out, or use an alias for a whole value")
		case k.Kind != yaml.ScalarNode || key.Kind == Null:
			c.refuse(written, "a key must be a word or a number", "")
		default:
			c.in(KeyStep(key.Value), func() {
				if first := seen[key.Value]; first != nil {
					c.refuse(written, "duplicate key", fmt.Sprintf("it is already set in line %d", first.Line))
					return
				}
				seen[key.Value] = key.Node
				r.Entries = append(r.Entries, Entry{key.Node, r.part(c.convert(n.Content[i+1], depth+1))})
			})
		}
	}
}

// scalar sets the kind and value of n as YAML 1.2 reads a scalar: of the words of older versions only null, true and
// false keep a meaning, and numbers are decimal.
func (n *Node) scalar(value string, quoted bool) {
	n.Value, n.Quoted = value, quoted
	n.Kind = Text
	if quoted {
		return
	}
	switch value {
	case "", "~", "null", "Null", "NULL":
		n.Kind = Null
	case "true", "True", "TRUE", "false", "False", "FALSE":
		n.Kind = Boolean
	default:
		if measure.IsDecimal(value) {
			n.Kind = Number
		}
	}
}
