package modelfile

import (
	"fmt"
	"slices"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile/internal/tree"
	"github.com/partwise/partwise/phasetype"
)

// dynamic reads the overheads of repartitions, and who stops for them.
func (r *modelReader) dynamic(c *tree.Cursor) {
	s := r.system
	o, _ := c.Object("stops", "overhead?", "shrink?", "expand?")
	s.Stops = tree.Optional(o, "stops", "", tree.WordAs("who stops during a repartition", models.AllStop, models.ResizedStop))
	n := s.Partitions()
	list := func(first, last int) func(*tree.Cursor) ([]phasetype.Dist, bool) {
		return func(c *tree.Cursor) ([]phasetype.Dist, bool) { return r.overheads(c, first, last, n) }
	}
	if _, every := o.Field("overhead"); !every {
		s.Shrink, s.Expand = tree.Optional(o, "shrink", nil, list(2, n)), tree.Optional(o, "expand", nil, list(1, n-1))
		return
	}
	d := tree.Needed(o, "overhead", "", r.overhead)
	s.Shrink, s.Expand = sameOverheads(d, 2, n), sameOverheads(d, 1, n-1)
	o.Excludes(`cannot stand beside "overhead"`, "give either overhead, or shrink and expand", "shrink", "expand")
}

// besideOverhead returns the section dynamic as it must be for a setting of the path: overhead gives way to shrink and
// expand, which begin with its value, and takes their place.
func besideOverhead(n *tree.Node, path string) *tree.Node {
	changed := *n
	changed.Entries = nil
	for _, e := range n.Entries {
		switch key := e.Key.Value; {
		case path == "dynamic.overhead" && (key == "shrink" || key == "expand"):
		case path == "dynamic.overhead" && key == "overhead" && isMean(e.Value): // so that it can be given an scv
			changed.Entries = append(changed.Entries, tree.Entry{Key: e.Key, Value: e.Value.Under("means")})
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

// isMean reports whether an overhead is a mean alone, that of an exponential distribution.
func isMean(n *tree.Node) bool {
	return n.Kind != tree.Mapping && n.Kind != tree.List && n.Kind != tree.Null
}

// overheadAssumptions returns that overheads are exponential, for each key of the section dynamic that gives only means.
func overheadAssumptions(root *tree.Node) (all []Assumption) {
	section := root.Lookup("dynamic")
	if section == nil {
		return nil
	}
	for _, key := range []string{"overhead", "shrink", "expand"} {
		n := section.Lookup(key)
		if n == nil {
			continue
		}
		if means := n.Lookup("means"); isMean(n) && !isZero(n) || means != nil && n.Lookup("scv") == nil && !isZero(means) {
			all = append(all, Assumption{Distribution, "exponential", tree.Set{Path: "dynamic." + key + ".scv", Value: "0.5"}})
		}
	}
	return all
}

// isZero reports whether all times of a node are 0 or null: nothing is known to be random.
func isZero(n *tree.Node) bool {
	if n.Kind == tree.List {
		return !slices.ContainsFunc(n.Items, func(item *tree.Node) bool { return !isZero(item) })
	}
	at := tree.Decoder{Errs: new(tree.Collector), Unit: measure.Second()}
	mean, ok := at.Root(n).NonnegativeTime("a time")
	return n.Kind == tree.Null || ok && mean == 0
}

// overhead reads what each of several repartitions costs: a distribution, or the mean of an exponential one, or
// {means: 5s, scv: 2}.
func (r *modelReader) overhead(c *tree.Cursor) (phasetype.Dist, bool) {
	if c.Kind == tree.List {
		c.Expected("one overhead for all repartitions", "lists by number of jobs are written as shrink: {means: […]} and expand: {means: […]}")
		return phasetype.Dist{}, false
	}
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
	all, ok := tree.ListOf(list, "", orNull(read))
	if ok && len(all) > last && all[last].Phases() > 0 {
		list.Item(last).Fail(fmt.Sprintf("a departure never leaves %d jobs running and a partition free", last+1),
			"make it null or remove it")
		return nil, false
	}
	return all[:last], ok
}

// orNull returns a reader for which null is a distribution that takes no time.
func orNull(read func(*tree.Cursor) (phasetype.Dist, bool)) func(*tree.Cursor) (phasetype.Dist, bool) {
	return func(c *tree.Cursor) (phasetype.Dist, bool) {
		if c.Kind == tree.Null {
			return phasetype.Dist{}, true
		}
		return read(c)
	}
}

// meansOf reads {means: ..., scv: 1}.
func meansOf(c *tree.Cursor) (means *tree.Cursor, scv float64, ok bool) {
	o, _ := c.Object("means", "scv")
	scv = tree.Optional(o, "scv", 1, tree.As((*tree.Cursor).Positive, "a squared coefficient of variation"))
	means, _ = o.Need("means", "give the mean overheads, 0 for no cost")
	return means, scv, o.Valid()
}

// meanOverhead reads a mean, 0 for no cost.
func meanOverhead(c *tree.Cursor, scv float64) (phasetype.Dist, bool) {
	mean, ok := c.NonnegativeTime("a time")
	if !ok || mean == 0 {
		return phasetype.Dist{}, ok
	}
	d, err := phasetype.TwoMoments(mean, scv)
	if err != nil {
		fail(c, err)
	}
	return d, err == nil
}

// static reads the set-up of jobs under static partitioning.
func (r *modelReader) static(c *tree.Cursor) {
	s := r.system
	o, _ := c.Object("setup?")
	v, there := o.Field("setup")
	if !there {
		return
	}
	s.Setup = make(map[int]phasetype.Dist)
	if v.Kind == tree.Mapping && v.Lookup("by_partitions") != nil {
		by, _ := v.Object("by_partitions")
		by.Part("by_partitions", r.setups)
	} else if d, ok := r.dists.Dist(v); ok {
		for _, k := range s.Machine().Divisors() {
			s.Setup[k] = d
		}
	}
}

// setups reads set-ups by number of partitions.
func (r *modelReader) setups(c *tree.Cursor) {
	s := r.system
	c.Pairs("set-ups by number of partitions", "them such as {1: {exponential: {mean: 5}}}", func(key, value *tree.Cursor) {
		k, isWhole := partitionCount(key.Value)
		_, twice := s.Setup[k]
		switch {
		case !isWhole || k > s.Partitions() || s.Partitions()%k != 0:
			key.Fail(fmt.Sprintf("the machine cannot be split into %s partitions", key.Value),
				fmt.Sprintf("K divides N: %v", s.Machine().Divisors()))
		case twice:
			key.Fail("is given twice", "")
		default:
			s.Setup[k], _ = orNull(r.dists.Dist)(value)
		}
	})
}

// partitionCount reads a key that is a whole number.
func partitionCount(key string) (int, bool) {
	v, ok := measure.ParseDecimal(key)
	k := int(v)
	return k, ok && v >= 1 && v <= maxNodeCount && float64(k) == v
}
