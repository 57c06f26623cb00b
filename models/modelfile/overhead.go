package modelfile

import (
	"fmt"
	"slices"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/modelfile/distribution"
	"github.com/partwise/partwise/models/modelfile/tree"
	"github.com/partwise/partwise/models/quantity"
	"github.com/partwise/partwise/phasetype"
)

// dynamic reads the overheads of repartitions, and who stops for them.
func (r *modelReader) dynamic(c *tree.Cursor) bool {
	s := r.system
	o, ok := c.Object("stops", "overhead?", "shrink?", "expand?")
	if !ok {
		return false
	}
	s.Stops = tree.Optional(o, "stops", "", func(c *tree.Cursor) (models.Stops, bool) {
		word, ok := c.Word("who stops during a repartition", string(models.AllStop), string(models.ResizedStop))
		return models.Stops(word), ok
	})
	n := s.Partitions()
	if _, every := o.Field("overhead"); every {
		const remedy = "give either overhead, or shrink and expand"
		d := tree.Needed(o, "overhead", "", r.overhead)
		s.Shrink, s.Expand = sameOverheads(d, 2, n), sameOverheads(d, 1, n-1)
		return o.Excludes(`cannot stand beside "overhead"`, remedy, "shrink", "expand") && o.Valid()
	}
	s.Shrink = tree.Optional(o, "shrink", nil, func(c *tree.Cursor) ([]phasetype.Dist, bool) { return r.overheads(c, 2, n, n) })
	s.Expand = tree.Optional(o, "expand", nil, func(c *tree.Cursor) ([]phasetype.Dist, bool) { return r.overheads(c, 1, n-1, n) })
	return o.Valid()
}

// besideOverhead returns the section dynamic as it must be for a setting of the path: overhead gives way to shrink and
// expand, which begin with its value, and takes their place.
func besideOverhead(n *tree.Node, path string) *tree.Node {
	changed := *n
	changed.Entries = nil
	for _, e := range n.Entries {
		switch key := e.Key.Value; {
		case path == "dynamic.overhead" && (key == "shrink" || key == "expand"):
		case (path == "dynamic.shrink" || path == "dynamic.expand") && key == "overhead" && e.Value.Kind != tree.Null:
			every := e.Value
			if every.Kind != tree.Mapping {
				every = e.Value.Under("means")
			}
			for _, key := range []string{"shrink", "expand"} {
				part := *e.Key
				part.Value = key
				changed.Entries = append(changed.Entries, tree.Entry{Key: &part, Value: every})
			}
		default:
			changed.Entries = append(changed.Entries, e)
		}
	}
	return &changed
}

// overhead reads what each of several repartitions costs: a distribution, or the mean of an exponential one, or
// {means: 5s, scv: 2}.
func (r *modelReader) overhead(c *tree.Cursor) (phasetype.Dist, bool) {
	if c.Kind != tree.Mapping {
		return meanOverhead(c, 1)
	}
	if !slices.ContainsFunc(c.Entries, func(e tree.Entry) bool {
		_, meant := tree.Nearest(e.Key.Value, []string{"means", "scv"})
		return meant
	}) {
		return r.dists.Dist(c)
	}
	means, scv, ok := meansOf(c)
	if !ok {
		return phasetype.Dist{}, false
	}
	return meanOverhead(means, scv)
}

// sameOverheads returns C_1 … C_last, which are d from the first at which something is resized.
func sameOverheads(d phasetype.Dist, first, last int) []phasetype.Dist {
	all := make([]phasetype.Dist, last)
	for i := first; i <= last; i++ {
		all[i-1] = d
	}
	return all
}

// overheads reads C_1 … C_last: a list of distributions, or of means with one scv, or one cost for those from the first at
// which something is resized. A list may be as long as most; an entry behind the last is no repartition and must be null.
func (r *modelReader) overheads(c *tree.Cursor, first, last, most int) ([]phasetype.Dist, bool) {
	read, list, shorter := r.dists.Dist, c, "{means: 5s} has one mean for all"
	if means := c.Lookup("means"); means != nil && means.Kind == tree.List {
		of, scv, ok := meansOf(c)
		if !ok {
			return nil, false
		}
		list, shorter = of, "means: 5s is one mean for all"
		read = func(at *tree.Cursor) (phasetype.Dist, bool) { return meanOverhead(at, scv) }
	}
	if list.Kind != tree.List {
		d, ok := r.overhead(c)
		return sameOverheads(d, first, last), ok
	}
	if n := len(list.Items); n < last || n > most {
		list.Fail(fmt.Sprintf("has %s", tree.Count(n, "entry", "entries")),
			fmt.Sprintf("N = %d partitions need %d, null for no cost; %s", most, last, shorter))
		return nil, false
	}
	ok := true
	all := make([]phasetype.Dist, most)
	for i := range list.Items {
		at := list.Item(i)
		if at.Kind == tree.Null {
			continue
		}
		d, fine := read(at)
		if all[i], ok = d, ok && fine; i >= last && fine && d.Phases() > 0 {
			at.Fail(fmt.Sprintf("a departure never leaves %d jobs running and a partition free", i+1),
				"make it null or remove it")
			ok = false
		}
	}
	return all[:last], ok
}

// meansOf reads {means: ..., scv: 1}.
func meansOf(c *tree.Cursor) (means *tree.Cursor, scv float64, ok bool) {
	o, ok := c.Object("means", "scv")
	if !ok {
		return nil, 0, false
	}
	scv = tree.Optional(o, "scv", 1, tree.As((*tree.Cursor).Positive, "a squared coefficient of variation"))
	means, ok = o.Need("means", "give the mean overheads, 0 for no cost")
	return means, scv, ok && o.Valid()
}

// meanOverhead reads a mean, 0 for no cost.
func meanOverhead(c *tree.Cursor, scv float64) (phasetype.Dist, bool) {
	mean, ok := c.NonnegativeTime("a time")
	if !ok || mean == 0 {
		return phasetype.Dist{}, ok
	}
	d, err := phasetype.TwoMoments(mean, scv)
	if err != nil {
		distribution.Fail(c, err)
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
	v, ok := quantity.Decimal(key)
	k := int(v)
	return k, ok && v >= 1 && v <= maxNodeCount && float64(k) == v
}
