package spec

import (
	"fmt"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/phasetype"
)

// dynamic reads the overheads of repartitions.
func (c *cursor) dynamic(s *models.System) bool {
	o, ok := c.object("shrink?", "expand?")
	if !ok {
		return false
	}
	if v, there := o.field("shrink"); there {
		s.Shrink, ok = v.overheads(2, s.Partitions(), s.Partitions())
	}
	if v, there := o.field("expand"); there {
		var fine bool
		s.Expand, fine = v.overheads(1, s.Partitions()-1, s.Partitions())
		ok = ok && fine
	}
	return ok && o.ok
}

// overheads reads C_1 … C_last. The list may be as long as most; what is behind the last is no repartition and must be
// null. A single mean stands for those from the first at which something is resized.
func (c *cursor) overheads(first, last, most int) ([]phasetype.Dist, bool) {
	if c.kind == mapping {
		return c.meanOverheads(first, last, most)
	}
	if c.kind != list {
		c.expected("a list of distributions or {means: [..], scv: 1}", "")
		return nil, false
	}
	if !c.length(last, most) {
		return nil, false
	}
	ok := true
	all := make([]phasetype.Dist, last)
	for i := range c.items {
		at := c.item(i)
		if at.kind == null || !at.reachable(i, last, &ok) {
			continue
		}
		d, fine := at.dist()
		all[i], ok = d, ok && fine
	}
	return all, ok
}

// length checks the number of overheads.
func (c *cursor) length(last, most int) bool {
	if n := len(c.items); n < last || n > most {
		c.fail(fmt.Sprintf("has %s", count(n, "entry", "entries")),
			fmt.Sprintf("N = %d partitions need %d, null for no cost", most, last))
		return false
	}
	return true
}

// reachable notes as a mistake a cost for entry i that belongs to no repartition.
func (c *cursor) reachable(i, last int, ok *bool) bool {
	if i < last {
		return true
	}
	c.fail(fmt.Sprintf("a departure never leaves %d jobs running and a partition free", i+1),
		"make it null or remove it")
	*ok = false
	return false
}

// meanOverheads reads the shorthand {means: [..], scv: 1}, or {means: 3s} for any number of partitions.
func (c *cursor) meanOverheads(first, last, most int) ([]phasetype.Dist, bool) {
	o, ok := c.object("means", "scv")
	if !ok {
		return nil, false
	}
	scv, okSCV := 1.0, true
	if v, ok := o.field("scv"); ok {
		scv, okSCV = v.positive("a squared coefficient of variation")
	}
	means, ok := o.need("means", "give the mean overheads, 0 for no cost")
	if !ok {
		return nil, false
	}
	if means.kind == number || means.kind == text {
		d, fine := o.meanOverhead(&means, scv)
		all := make([]phasetype.Dist, last)
		for i := first; i <= last; i++ {
			all[i-1] = d
		}
		return all, fine && okSCV && o.ok
	}
	if means.kind != list {
		means.expected("a list of times", "")
		return nil, false
	}
	if !means.length(last, most) || !okSCV || !o.ok {
		return nil, false
	}
	all := make([]phasetype.Dist, last)
	for i := range means.items {
		at := means.item(i)
		if at.kind == null {
			continue
		}
		d, fine := o.meanOverhead(&at, scv)
		if ok = ok && fine; !fine || d.IsZero() || !at.reachable(i, last, &ok) {
			continue
		}
		all[i] = d
	}
	return all, ok
}

// meanOverhead returns the distribution of a mean, zero of none.
func (o *object) meanOverhead(at *cursor, scv float64) (phasetype.Dist, bool) {
	mean, ok := at.nonnegativeTime("a time")
	if !ok || mean == 0 {
		return phasetype.Dist{}, ok
	}
	d, err := phasetype.TwoMoments(mean, scv)
	if err != nil {
		o.invalid(err)
	}
	return d, err == nil
}

// static reads the set-up of jobs under static partitioning.
func (c *cursor) static(s *models.System) bool {
	o, ok := c.object("setup?")
	if !ok {
		return false
	}
	v, there := o.field("setup")
	if !there {
		return o.ok
	}
	s.Setup = make(map[int]phasetype.Dist)
	if v.kind == mapping && v.lookup("by_partitions") != nil {
		return v.setupByPartitions(s) && o.ok
	}
	d, ok := v.dist()
	if !ok || !o.ok {
		return false
	}
	for _, k := range s.Machine().Divisors() {
		s.Setup[k] = d
	}
	return true
}

func (c *cursor) setupByPartitions(s *models.System) bool {
	o, _ := c.object("by_partitions")
	v, ok := o.field("by_partitions")
	if !ok {
		return false
	}
	if v.kind != mapping {
		v.expected("set-ups by number of partitions", "write them such as {1: {exponential: {mean: 5}}}")
		return false
	}
	for _, e := range v.entries {
		key, at := v.child(e.key.value, e.key), v.child(e.key.value, e.value)
		k, isWhole := partitionCount(e.key.value)
		if !isWhole || k > s.Partitions() || s.Partitions()%k != 0 {
			key.fail(fmt.Sprintf("the machine cannot be split into %s partitions", e.key.value),
				fmt.Sprintf("K divides N: %v", s.Machine().Divisors()))
			ok = false
			continue
		}
		if _, twice := s.Setup[k]; twice {
			key.fail("is given twice", "")
			ok = false
			continue
		}
		s.Setup[k] = phasetype.Dist{}
		if at.kind == null {
			continue
		}
		d, fine := at.dist()
		s.Setup[k], ok = d, ok && fine
	}
	return ok && o.ok
}

// partitionCount reads a key that is a whole number.
func partitionCount(key string) (int, bool) {
	v, ok := parseNumber(key)
	k := int(v)
	return k, ok && isDecimal(key) && v >= 1 && v <= maxNodeCount && float64(k) == v
}
