package modelfile

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/modelfile/internal/tree"
	"github.com/partwise/partwise/models/workload"
)

// maxClasses is the largest number of classes of jobs.
const maxClasses = 100

// classes reads the classes of jobs, and makes B_i from them.
func (r *modelReader) classes(c *tree.Cursor) {
	s := r.system
	items, ok := c.NonEmpty("classes {name: ..., share: ..., demand: ..., speedup: ...}")
	if !ok {
		return
	}
	if len(items) > maxClasses {
		c.Fail(fmt.Sprintf("has %d classes, at most %d are supported", len(items), maxClasses), "")
		return
	}
	before := c.Errs().Noted()
	phases := 0
	ofAll := make([]bool, len(items))
	for k, item := range items {
		class := r.class(item, &ofAll[k])
		s.Classes = append(s.Classes, class)
		phases += class.Demand.Phases()
	}
	if c.Errs().Noted() == before {
		r.shares(c, ofAll)
	}
	if c.Errs().Noted() > before || !r.bounded(c, phases) {
		return
	}
	var err error
	s.Service, err = s.ServiceTimes()
	if wrong := (*models.SystemError)(nil); errors.As(err, &wrong) {
		c.Fail(wrong.Error(), "")
	}
}

// shares divides the arrivals: a class whose share is one of all arrivals has that share, the others divide the rest.
func (r *modelReader) shares(c *tree.Cursor, ofAll []bool) {
	given, weights := 0.0, 0.0
	for k, class := range r.system.Classes {
		if ofAll[k] {
			given += class.Share
		} else {
			weights += class.Share
		}
	}
	const rounding = 1e-12
	switch all := slices.Contains(ofAll, true); {
	case given+weights == 0:
		c.Fail("have no share above 0", "")
	case given > 1+rounding, all && weights == 0 && given < 1-rounding:
		c.Fail(fmt.Sprintf("have shares of all arrivals that sum to %.6g", given), "they must sum to 1 or, with others beside them, to less")
	case all && weights > 0:
		for k := range ofAll {
			if !ofAll[k] {
				r.system.Classes[k].Share *= max(0, 1-given) / weights
			}
		}
	}
}

// share returns a reader of the share of a class, a weight or {of_all: p}, which notes what it read.
func share(ofAll *bool) func(c *tree.Cursor) (float64, bool) {
	return func(c *tree.Cursor) (p float64, ok bool) {
		if *ofAll = c.Kind == tree.Mapping; !*ofAll {
			return c.Nonnegative("a share")
		}
		o, _ := c.Object(shareOfAll)
		p = tree.Needed(o, shareOfAll, "say how many of all arrivals are of this class", tree.As((*tree.Cursor).Probability, "a share"))
		return p, o.Valid()
	}
}

// shareOfAll is the key of a share of all arrivals, which the values of an axis are: see [isShare].
const shareOfAll = "of_all"

// isShare reports whether a path leads to the share of a class.
func isShare(path tree.Path) bool {
	return len(path) == 4 && path[0].Key == "jobs" && path[1].Key == "classes" && path[3].Key == "share"
}

// class reads one class of jobs; ofAll says whether its share is one of all arrivals.
func (r *modelReader) class(c *tree.Cursor, ofAll *bool) (class models.Class) {
	s := r.system
	o, _ := c.Object("name", "share", "demand", "speedup", "max_nodes")
	class.Name = tree.Needed(o, "name", "give each class a name of its own", r.className)
	class.Share = tree.Needed(o, "share", "say how many of the arrivals are of this class, relative to the others", share(ofAll))
	class.MaxNodes = tree.Optional(o, "max_nodes", 0, tree.WholeAs("the largest number of nodes of a job", s.MinNodes, s.Nodes))
	if v, ok := o.Field("max_nodes"); ok && class.MaxNodes%s.MinNodes != 0 {
		v.Warn("%d is not a multiple of min_nodes, %d: on a machine of whole nodes such a job has at most %d", class.MaxNodes, s.MinNodes,
			class.MaxNodes/s.MinNodes*s.MinNodes)
	}
	class.Speedup = tree.Needed(o, "speedup", "write speedup: linear if jobs lose nothing on more nodes", readSpeedup)
	v, ok := o.Need("demand", "give the run time of such a job on one node")
	if !ok {
		return class
	}
	class.Demand, _ = r.dists.Demand(v, class.Speedup)
	if sp, ok := o.Field("speedup"); ok && o.Valid() {
		most := float64(s.Nodes)
		if class.MaxNodes > 0 {
			most = float64(class.MaxNodes)
		}
		r.speeds(sp, class.Speedup, most)
	}
	return class
}

// className reads a name that no other class has.
func (r *modelReader) className(c *tree.Cursor) (string, bool) {
	name, ok := c.Text("a name")
	for _, other := range r.system.Classes {
		if ok && other.Name == name {
			c.Fail(fmt.Sprintf("there are two classes %q", name), "")
			return name, false
		}
	}
	return name, ok
}

// speeds checks that a speedup is known on shares of the machine of at most so many nodes, and warns if it falls with their
// number.
func (r *modelReader) speeds(c *tree.Cursor, s workload.Speedup, most float64) {
	before := c.Errs().Noted()
	sizes := partitionSizes(r.system)
	for i, n := range sizes {
		sizes[i] = math.Min(n, most)
	}
	if covers(c, s, sizes); c.Errs().Noted() > before {
		return
	}
	for i, n := range sizes[1:] {
		if s.At(n) > s.At(sizes[i]) {
			c.Warn("jobs run slower on %s nodes than on %s", tree.Short(sizes[i]), tree.Short(n))
		}
	}
}
