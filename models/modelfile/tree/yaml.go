package tree

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"

	"github.com/partwise/partwise/models/quantity"
)

// readYAML turns YAML text into nodes.
func readYAML(src *Source, data []byte, errs *Collector) *Node {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
		errs.Add(src.mistake(1, 1, "", "the file is empty", ""))
		return nil
	} else if err != nil {
		errs.Add(syntaxError(src, err))
		return nil
	}
	var second yaml.Node
	if err := dec.Decode(&second); err == nil {
		errs.Add(src.mistake(second.Line, max(second.Column, 1), "", "a second document begins here",
			"a file holds one document; put the other in a file of its own"))
		return nil
	} else if !errors.Is(err, io.EOF) {
		errs.Add(syntaxError(src, err))
		return nil
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 || doc.Content[0].Tag == "!!null" && !src.flag {
		errs.Add(src.mistake(1, 1, "", "the file is empty", ""))
		return nil
	}
	c := converter{src: src, errs: errs, done: make(map[*yaml.Node]converted)}
	root := c.convert(doc.Content[0], 1)
	if c.failed {
		return nil
	}
	return root.Node
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
	done   map[*yaml.Node]converted // anchored nodes; without a node while being converted
	way    Path                     // from the root
	failed bool
}

func (c *converter) fail(n *yaml.Node, problem, remedy string) converted {
	c.failed = true
	c.errs.Add(c.src.mistake(n.Line, n.Column, c.way.String(), problem, remedy))
	return converted{&Node{Source: c.src, Line: n.Line, Column: n.Column}, 1, 1}
}

func (c *converter) convert(n *yaml.Node, depth int) converted {
	if n.Kind == yaml.AliasNode {
		return c.alias(n, depth)
	}
	if depth > maxDepth {
		return c.fail(n, fmt.Sprintf("nested more than %d levels deep", maxDepth), "")
	}
	if n.Style&yaml.TaggedStyle != 0 {
		return c.fail(n, fmt.Sprintf("the tag %s is not supported", n.Tag), "remove it")
	}
	if n.Anchor != "" {
		c.done[n] = converted{}
	}
	r := converted{&Node{Source: c.src, Line: n.Line, Column: n.Column}, 1, 1}
	switch n.Kind {
	case yaml.SequenceNode:
		c.list(&r, n, depth)
	case yaml.MappingNode:
		c.mapping(&r, n, depth)
	default:
		r.scalar(n.Value, n.Style&^yaml.FlowStyle != 0)
	}
	if r.size > maxNodes {
		return c.fail(n, fmt.Sprintf("stands for more than %d values", maxNodes), "write fewer aliases")
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
		return c.fail(n, "the alias *"+n.Value+" is part of the value it stands for", "write the value out")
	case !ok:
		return c.fail(n, "the alias *"+n.Value+" stands for what could not be read", "")
	case depth+r.height > maxDepth+1:
		return c.fail(n, fmt.Sprintf("nested more than %d levels deep", maxDepth), "write fewer aliases")
	}
	return r
}

func (c *converter) list(r *converted, n *yaml.Node, depth int) {
	r.Kind = List
	r.Items = make([]*Node, 0, len(n.Content))
	for i, item := range n.Content {
		c.way = append(c.way, Step{Index: i})
		r.add(c.convert(item, depth+1))
		c.way = c.way[:len(c.way)-1]
	}
}

func (r *converted) add(item converted) {
	r.Items = append(r.Items, item.Node)
	r.count(item)
}

func (r *converted) count(part converted) {
	r.size = min(r.size+part.size, maxNodes+1)
	r.height = max(r.height, part.height+1)
}

func (c *converter) mapping(r *converted, n *yaml.Node, depth int) {
	r.Kind = Mapping
	seen := make(map[string]*Node, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		if k.Kind == yaml.AliasNode {
			k = k.Alias
		}
		switch {
		case k.Kind != yaml.ScalarNode:
			c.fail(n.Content[i], "a key must be a word or a number", "")
			continue
		case k.Tag == "!!merge":
			c.fail(n.Content[i], "merge keys are not supported",
				"write the keys out, or use an alias for a whole value")
			continue
		}
		key := &Node{Source: c.src, Line: n.Content[i].Line, Column: n.Content[i].Column}
		key.scalar(k.Value, k.Style&^yaml.FlowStyle != 0)
		if n.Content[i].Anchor != "" {
			c.done[n.Content[i]] = converted{key, 1, 1}
		}
		if key.Kind == Null {
			c.fail(n.Content[i], "a key must be a word or a number", "")
			continue
		}
		c.way = append(c.way, KeyStep(key.Value))
		if first := seen[key.Value]; first != nil {
			c.fail(n.Content[i], "duplicate key", fmt.Sprintf("it is already set in line %d", first.Line))
		} else {
			seen[key.Value] = key
			v := c.convert(n.Content[i+1], depth+1)
			r.Entries = append(r.Entries, Entry{key, v.Node})
			r.count(v)
		}
		c.way = c.way[:len(c.way)-1]
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
		if quantity.IsDecimal(value) {
			n.Kind = Number
		}
	}
}
