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
	secondDocument = "a second document begins here"
	oneDocument    = "a file holds one document; put the other in a file of its own"
)

// readYAML turns YAML text into nodes.
func readYAML(src *Source, data []byte, errs *Collector) *Node {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	c := converter{src: src, errs: errs}
	var doc, second yaml.Node
	err, next := dec.Decode(&doc), error(nil)
	if err == nil {
		next = dec.Decode(&second)
	}
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		errs.Add(syntaxError(src, err))
	case err == nil && next == nil:
		c.fail(&second, secondDocument, oneDocument)
	case err == nil && !errors.Is(next, io.EOF):
		errs.Add(syntaxError(src, next))
	case doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 || doc.Content[0].Tag == "!!null" && !src.flag:
		c.fail(&yaml.Node{Line: 1}, "the file is empty", "")
	default:
		if root := c.convert(doc.Content[0]); !c.failed {
			return root
		}
	}
	return nil
}

// converter turns the nodes of the YAML package into ours.
type converter struct {
	src    *Source
	errs   *Collector
	way    Path // from the root
	failed bool
}

func (c *converter) fail(n *yaml.Node, problem, remedy string) {
	c.failed = true
	c.errs.Add(c.src.mistake(n.Line, max(n.Column, 1), c.way.String(), problem, remedy))
}

// beneath converts the node that a step leads to.
func (c *converter) beneath(step Step, n *yaml.Node) *Node {
	c.way = append(c.way, step)
	defer func() { c.way = c.way[:len(c.way)-1] }()
	return c.convert(n)
}

func (c *converter) convert(n *yaml.Node) *Node {
	r := &Node{Source: c.src, Line: n.Line, Column: n.Column}
	switch {
	case n.Kind == yaml.AliasNode:
		c.fail(n, "aliases are not supported", "write the value out")
	case len(c.way) >= maxDepth:
		c.fail(n, fmt.Sprintf("nested more than %d levels deep", maxDepth), "")
	case n.Style&yaml.TaggedStyle != 0:
		c.fail(n, fmt.Sprintf("the tag %s is not supported", n.Tag), "remove it")
	case n.Kind == yaml.SequenceNode:
		r.Kind = List
		for i, item := range n.Content {
			r.Items = append(r.Items, c.beneath(Step{Index: i}, item))
		}
	case n.Kind == yaml.MappingNode:
		c.mapping(r, n)
	default:
		r.scalar(n.Value, n.Style&^yaml.FlowStyle != 0)
	}
	return r
}

func (c *converter) mapping(r *Node, n *yaml.Node) {
	r.Kind = Mapping
	lines := make(map[string]int, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		written := n.Content[i]
		key := &Node{Source: c.src, Line: written.Line, Column: written.Column}
		key.scalar(written.Value, written.Style&^yaml.FlowStyle != 0)
		switch {
		case written.Tag == "!!merge":
			c.fail(written, "merge keys are not supported", "write the keys out")
		case written.Kind != yaml.ScalarNode || key.Kind == Null:
			c.fail(written, "a key must be a word or a number", "")
		case lines[key.Value] > 0:
			c.way = append(c.way, KeyStep(key.Value))
			c.fail(written, "duplicate key", fmt.Sprintf("it is already set in line %d", lines[key.Value]))
			c.way = c.way[:len(c.way)-1]
		default:
			lines[key.Value] = key.Line
			r.Entries = append(r.Entries, Entry{key, c.beneath(KeyStep(key.Value), n.Content[i+1])})
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
