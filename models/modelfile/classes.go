package modelfile

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/modelfile/internal/tree"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload"
)

// maxClasses is the largest number of classes of jobs.
const maxClasses = 100

// classes reads the classes of jobs, and makes B_i from them.
func (r *modelReader) classes(c *tree.Cursor) {
	s := r.system
	if n := len(c.Items); n > maxClasses {
		c.Failf("has %d classes, at most %d are supported", n, maxClasses)
		return
	}
	phases := 0
	for _, item := range c.NonEmpty("classes {name: ..., share: ..., demand: ..., speedup: ...}") {
		class := r.class(item)
		s.Classes = append(s.Classes, class)
		phases += class.Demand.Phases()
	}
	if c.Valid() {
		r.shares(c)
	}
	r.demands(c, c.Valid(), phases)
}

// shares divides the arrivals: a class whose share is one of all arrivals has that share, the others divide the rest.
func (r *modelReader) shares(c *tree.Cursor) {
	all, given, weights := false, 0.0, 0.0
	for _, class := range r.system.Classes {
		if class.OfAll {
			all = true
			given += class.Share
		} else {
			weights += class.Share
		}
	}
	const rounding = 1e-12
	switch {
	case given+weights == 0:
		c.Failf("have no share above 0")
	case given > 1+rounding, all && weights == 0 && given < 1-rounding:
		c.Fail(fmt.Sprintf("have shares of all arrivals that sum to %.6g", given),
			"they must sum to 1 or, with others beside them, to less")
	case all && weights > 0:
		for k := range r.system.Classes {
			if class := &r.system.Classes[k]; !class.OfAll {
				class.Share *= max(0, 1-given) / weights
			}
		}
	}
}

// share reads the share of a class, a weight or {of_all: p}.
func share(c *tree.Cursor) (p float64, ofAll bool) {
	if c.Kind != tree.Mapping {
		return c.Nonnegative(), false
	}
	c.Keys(shareOfAll)
	return c.Need(shareOfAll, "say how many of all arrivals are of this class").Probability(), true
}

// shareOfAll is the key of a share of all arrivals, which the values of an axis are: see [isShare].
const shareOfAll = "of_all"

// isShare reports whether a path leads to the share of a class.
func isShare(path tree.Path) bool {
	return len(path) == 4 && path[0].Key == "jobs" && path[1].Key == "classes" && path[3].Key == "share"
}

// ClassOfShare returns the class to whose share a path leads, such as jobs.classes[large].share: its name or, if that is empty,
// its index. ok is false for other paths.
func ClassOfShare(path string) (name string, index int, ok bool) {
	steps, err := tree.ParsePath(path)
	if err != nil || !isShare(steps) {
		return "", 0, false
	}
	return steps[2].Key, steps[2].Index, true
}

// class reads one class of jobs.
func (r *modelReader) class(c *tree.Cursor) (class models.Class) {
	s := r.system
	c.Keys("name", "share", "demand", "speedup", "max_nodes", "nodes")
	class.Name = r.className(c.Need("name", "give each class a name of its own"))
	class.Share, class.OfAll = share(c.Need("share", "say how many of the arrivals are of this class, relative to the others"))
	v := c.Field("max_nodes")
	if class.MaxNodes = v.Whole(s.MinNodes, s.Nodes); class.MaxNodes%s.MinNodes != 0 {
		v.Warn("%d is not a multiple of min_nodes, %d: on a machine of whole nodes such a job has at most %d", class.MaxNodes, s.MinNodes,
			class.MaxNodes/s.MinNodes*s.MinNodes)
	}
	class.Nodes = r.nodes(c.Field("nodes"), "class "+class.Name)
	speedup := c.Need("speedup", "write speedup: linear if jobs lose nothing on more nodes")
	class.Speedup = readSpeedup(speedup)
	class.Demand = r.dists.Demand(c.Need("demand", "give the run time of such a job on one node"), class.Speedup)
	if c.Valid() {
		r.speeds(speedup, class.Speedup, cmp.Or(class.MaxNodes, s.Nodes), class.Nodes)
	}
	return class
}

// nodes reads the number of nodes that rigid jobs ask for, 0 if it is not there. who are the jobs.
func (r *modelReader) nodes(c *tree.Cursor, who string) int {
	s := r.system
	n := c.Whole(1, maxNodeCount)
	switch {
	case !c.Valid():
	case n > s.Nodes:
		c.Fail(fmt.Sprintf("%s asks for %d of %s", who, n, words.Count(s.Nodes, "node")), fmt.Sprintf("use 1 to %d", s.Nodes))
	case n%s.MinNodes != 0:
		c.Fail(fmt.Sprintf("%s asks for %s, which is no multiple of min_nodes, %d", who, words.Count(n, "node"), s.MinNodes),
			fmt.Sprintf("use %d or lower min_nodes", (n/s.MinNodes+1)*s.MinNodes))
	}
	return n
}

// className reads a name that no other class has.
func (r *modelReader) className(c *tree.Cursor) string {
	name := c.Text("a name")
	if c.Valid() && slices.ContainsFunc(r.system.Classes, func(other models.Class) bool { return other.Name == name }) {
		c.Failf("there are two classes %q", name)
	}
	return name
}

// speeds checks that a speedup is known on all shares of the machine up to most nodes. Unless asked is 0, it also
// checks the nodes that rigid jobs ask for. It warns if the speedup falls with the nodes of the shares.
func (r *modelReader) speeds(c *tree.Cursor, s workload.Speedup, most, asked int) {
	sizes := make([]float64, r.system.Partitions())
	for i := range sizes {
		sizes[i] = min(float64(r.system.Nodes)/float64(i+1), float64(most))
	}
	known := sizes
	if asked > 0 {
		known = append(slices.Clone(sizes), float64(asked))
	}
	if !covers(c, s, known) {
		return
	}
	for i, n := range sizes[1:] {
		if s.At(n) > s.At(sizes[i]) {
			c.Warn("jobs run slower on %v nodes than on %v", sizes[i], n)
		}
	}
}
