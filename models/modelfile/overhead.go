package modelfile

import (
	"fmt"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/modelfile/distribution"
	"github.com/partwise/partwise/models/modelfile/ranges"
	"github.com/partwise/partwise/models/modelfile/tree"
	"github.com/partwise/partwise/phasetype"
)

// dynamic reads the overheads of repartitions, and who stops for them.
func (r *modelReader) dynamic(c *tree.Cursor) bool {
	s := r.system
	o, ok := c.Object("stops", "shrink?", "expand?")
	if !ok {
		return false
	}
	if v, there := o.Field("stops"); there {
		stops, fine := v.Word("who stops during a repartition", string(models.AllStop), string(models.ResizedStop))
		s.Stops, ok = models.Stops(stops), fine
	}
	if v, there := o.Field("shrink"); there {
		var fine bool
		s.Shrink, fine = r.overheads(v, 2, s.Partitions(), s.Partitions())
		ok = ok && fine
	}
	if v, there := o.Field("expand"); there {
		var fine bool
		s.Expand, fine = r.overheads(v, 1, s.Partitions()-1, s.Partitions())
		ok = ok && fine
	}
	return ok && o.Valid()
}

// overheads reads C_1 … C_last. The list may be as long as most; what is behind the last is no repartition and must be
// null. A single mean stands for those from the first at which something is resized.
func (r *modelReader) overheads(c *tree.Cursor, first, last, most int) ([]phasetype.Dist, bool) {
	if c.Kind == tree.Mapping {
		return meanOverheads(c, first, last, most)
	}
	if c.Kind != tree.List {
		c.Expected("a list of distributions or {means: [..], scv: 1}", "")
		return nil, false
	}
	if !length(c, last, most, "{means: 5s} has one mean for all") {
		return nil, false
	}
	ok := true
	all := make([]phasetype.Dist, last)
	for i := range c.Items {
		at := c.Item(i)
		if at.Kind == tree.Null || !reachable(at, i, last, &ok) {
			continue
		}
		d, fine := r.dists.Dist(at)
		all[i], ok = d, ok && fine
	}
	return all, ok
}

// length checks the number of overheads; shorter is how to write them for any number of partitions.
func length(c *tree.Cursor, last, most int, shorter string) bool {
	if n := len(c.Items); n < last || n > most {
		c.Fail(fmt.Sprintf("has %s", tree.Count(n, "entry", "entries")),
			fmt.Sprintf("N = %d partitions need %d, null for no cost; %s", most, last, shorter))
		return false
	}
	return true
}

// reachable notes as a mistake a cost for entry i that belongs to no repartition.
func reachable(c *tree.Cursor, i, last int, ok *bool) bool {
	if i < last {
		return true
	}
	c.Fail(fmt.Sprintf("a departure never leaves %d jobs running and a partition free", i+1),
		"make it null or remove it")
	*ok = false
	return false
}

// meanOverheads reads the shorthand {means: [..], scv: 1}, or {means: 3s} for any number of partitions.
func meanOverheads(c *tree.Cursor, first, last, most int) ([]phasetype.Dist, bool) {
	o, ok := c.Object("means", "scv")
	if !ok {
		return nil, false
	}
	scv, okSCV := 1.0, true
	if v, ok := o.Field("scv"); ok {
		scv, okSCV = v.Positive("a squared coefficient of variation")
	}
	means, ok := o.Need("means", "give the mean overheads, 0 for no cost")
	if !ok {
		return nil, false
	}
	if means.Kind == tree.Number || means.Kind == tree.Text {
		d, fine := meanOverhead(o, means, scv)
		all := make([]phasetype.Dist, last)
		for i := first; i <= last; i++ {
			all[i-1] = d
		}
		return all, fine && okSCV && o.Valid()
	}
	if means.Kind != tree.List {
		means.Expected("a list of times", "")
		return nil, false
	}
	if !length(means, last, most, "means: 5s is one mean for all") || !okSCV || !o.Valid() {
		return nil, false
	}
	all := make([]phasetype.Dist, last)
	for i := range means.Items {
		at := means.Item(i)
		if at.Kind == tree.Null {
			continue
		}
		d, fine := meanOverhead(o, at, scv)
		if ok = ok && fine; !fine || d.IsZero() || !reachable(at, i, last, &ok) {
			continue
		}
		all[i] = d
	}
	return all, ok
}

// meanOverhead returns the distribution of a mean, zero of none.
func meanOverhead(o *tree.Object, at *tree.Cursor, scv float64) (phasetype.Dist, bool) {
	mean, ok := at.NonnegativeTime("a time")
	if !ok || mean == 0 {
		return phasetype.Dist{}, ok
	}
	d, err := phasetype.TwoMoments(mean, scv)
	if err != nil {
		distribution.Fail(o.Cursor, err)
	}
	return d, err == nil
}

// static reads the set-up of jobs under static partitioning.
func (r *modelReader) static(c *tree.Cursor) bool {
	o, ok := c.Object("setup?")
	if !ok {
		return false
	}
	v, there := o.Field("setup")
	if !there {
		return o.Valid()
	}
	r.system.Setup = make(map[int]phasetype.Dist)
	if v.Kind == tree.Mapping && v.Lookup("by_partitions") != nil {
		return r.setupByPartitions(v) && o.Valid()
	}
	d, ok := r.dists.Dist(v)
	if !ok || !o.Valid() {
		return false
	}
	for _, k := range r.system.Machine().Divisors() {
		r.system.Setup[k] = d
	}
	return true
}

func (r *modelReader) setupByPartitions(c *tree.Cursor) bool {
	s := r.system
	o, _ := c.Object("by_partitions")
	v, ok := o.Field("by_partitions")
	if !ok {
		return false
	}
	if v.Kind != tree.Mapping {
		v.Expected("set-ups by number of partitions", "write them such as {1: {exponential: {mean: 5}}}")
		return false
	}
	for _, e := range v.Entries {
		key, at := v.Child(e.Key.Value, e.Key), v.Child(e.Key.Value, e.Value)
		k, isWhole := partitionCount(e.Key.Value)
		if !isWhole || k > s.Partitions() || s.Partitions()%k != 0 {
			key.Fail(fmt.Sprintf("the machine cannot be split into %s partitions", e.Key.Value),
				fmt.Sprintf("K divides N: %v", s.Machine().Divisors()))
			ok = false
			continue
		}
		if _, twice := s.Setup[k]; twice {
			key.Fail("is given twice", "")
			ok = false
			continue
		}
		s.Setup[k] = phasetype.Dist{}
		if at.Kind == tree.Null {
			continue
		}
		d, fine := r.dists.Dist(at)
		s.Setup[k], ok = d, ok && fine
	}
	return ok && o.Valid()
}

// partitionCount reads a key that is a whole number.
func partitionCount(key string) (int, bool) {
	v, ok := ranges.Decimal(key)
	k := int(v)
	return k, ok && v >= 1 && v <= maxNodeCount && float64(k) == v
}
