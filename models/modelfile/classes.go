package modelfile

import (
	"errors"
	"fmt"
	"math"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/modelfile/tree"
	"github.com/partwise/partwise/models/workload"
)

// maxClasses is the largest number of classes of jobs.
const maxClasses = 100

// classes reads the classes of jobs, and makes B_i from them.
func (r *modelReader) classes(c *tree.Cursor) {
	s := r.system
	items, _ := c.NonEmpty("classes {name: ..., share: ..., demand: ..., speedup: ...}")
	if len(items) > maxClasses {
		c.Fail(fmt.Sprintf("has %d classes, at most %d are supported", len(items), maxClasses), "")
		return
	}
	before := c.Errs().Noted()
	phases, shares := 0, 0.0
	for _, item := range items {
		class := r.class(item)
		s.Classes = append(s.Classes, class)
		phases, shares = phases+class.Demand.Phases(), shares+class.Share
	}
	if c.Errs().Noted() == before && shares == 0 {
		c.Fail("have no share above 0", "")
	}
	if c.Errs().Noted() > before || !r.bounded(c, phases) {
		return
	}
	var err error
	s.Service, err = models.ServiceTimesOfClasses(s.Machine(), s.Classes)
	if wrong := (*models.SystemError)(nil); errors.As(err, &wrong) {
		c.Fail(wrong.Error(), "")
	}
}

// class reads one class of jobs.
func (r *modelReader) class(c *tree.Cursor) (class models.Class) {
	s := r.system
	o, _ := c.Object("name", "share", "demand", "speedup", "max_nodes")
	class.Name = tree.Needed(o, "name", "give each class a name of its own", r.className)
	class.Share = tree.Needed(o, "share", "say how many of the arrivals are of this class, relative to the others",
		tree.As((*tree.Cursor).Nonnegative, "a share"))
	class.MaxNodes = tree.Optional(o, "max_nodes", 0, tree.WholeAs("the largest number of nodes of a job", s.MinNodes, s.Nodes))
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
