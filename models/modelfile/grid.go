package modelfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/partwise/partwise/models/modelfile/internal/tree"
)

// What a study may ask for at most; each model takes memory, and each point time.
const (
	maxModels = 10_000
	maxPoints = 200_000
)

// axis is an axis with its values as nodes, which are put into the models at the end of the path.
type axis struct {
	Axis
	path  tree.Path
	nodes []*tree.Node
}

// readGrid reads the axes, paths with lists of values.
func readGrid(c *tree.Cursor) (all []axis) {
	c.Pairs("lists of values by path", "them such as {machine.nodes: [8, 16, 32]}", func(key, value *tree.Cursor) {
		a := axis{Axis{Path: key.Value}, key.Steps(), axisValues(value)}
		for _, n := range a.nodes {
			v := n.Flow()
			if slices.Contains(a.Values, v) {
				value.Failf("%s is given twice", v)
				return
			}
			a.Values = append(a.Values, v)
		}
		if value.Valid() && a.path != nil {
			all = append(all, a)
		}
	})
	return all
}

// axisValues reads a list of any values, in which A:B and A:B:STEP stand for ranges, or {from, to, step}.
func axisValues(c *tree.Cursor) []*tree.Node {
	if c.Kind == tree.Mapping {
		return c.Numerals(c.Stepped((*tree.Cursor).Number))
	}
	return slices.Concat(tree.Each(c.NonEmpty("values"), func(item *tree.Cursor) []*tree.Node {
		if item.Quoted { // a text, whatever it looks like
			return []*tree.Node{item.Node}
		}
		if nodes := item.Range(); len(nodes) > 0 {
			return nodes
		}
		return []*tree.Node{item.Node}
	})...)
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
func (r *studyReader) bounded(c *tree.Cursor, series int) bool {
	const remedy = "make several studies of it"
	r.total = 1
	for _, a := range r.grid {
		if r.total *= len(a.nodes); series*r.total > maxModels {
			c.FailField("over", fmt.Sprintf("the combinations make more than %d models", maxModels), remedy)
			return false
		}
	}
	if series*r.total*len(r.study.Loads) > maxPoints {
		c.Fail(fmt.Sprintf("makes more than %d points", maxPoints), remedy)
		return false
	}
	return true
}

// combine decodes a model at every combination of the values of the axes, up to the first that has mistakes. Of a model that
// is right by itself, mistakes say at which combination they were met.
func (r *studyReader) combine(root *tree.Node, path string, each func(*Model, []string)) {
	right := false
	if r.total > 1 {
		_, err := decodeModel(root, path, new(tree.Collector), r.study.dists)
		right = err == nil
	}
	defer func() { r.errs.Suffix = "" }()
	before := r.errs.Noted()
	for i := 0; i < r.total && r.errs.Noted() == before; i++ {
		varied, at := r.place(root, i)
		if right {
			r.errs.Suffix = " (with " + r.study.combination(at) + ")"
		}
		if m, err := decodeModel(varied, path, r.errs, r.study.dists); err == nil {
			each(m, at)
		}
	}
}

// place returns the tree of a model with the values of combination i in it, and these values; the last axis runs
// fastest.
func (r *studyReader) place(root *tree.Node, i int) (varied *tree.Node, at []string) {
	varied, at = root, make([]string, len(r.grid))
	for j := len(r.grid) - 1; j >= 0; j-- {
		a := &r.grid[j]
		k := i % len(a.nodes)
		i /= len(a.nodes)
		at[j] = a.Values[k]
		value := a.nodes[k]
		if isShare(a.path) && value.Kind != tree.Mapping { // the other classes keep their proportions
			value = value.Under(shareOfAll)
		}
		varied = r.edit.Place(varied, a.path, value)
	}
	return varied, at
}
