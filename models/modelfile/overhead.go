package modelfile

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile/internal/tree"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/phasetype"
)

// dynamic reads the overheads of repartitions, and who stops for them.
func (r *modelReader) dynamic(c *tree.Cursor) {
	s, n := r.system, r.system.Partitions()
	c.Keys("stops", "overhead?", "shrink?", "expand?")
	s.Stops = whoStops(c.Field("stops"))
	every, shrink, expand := c.Field("overhead"), c.Field("shrink"), c.Field("expand")
	if every.There() {
		d := r.overhead(every)
		s.Shrink, s.Expand = sameOverheads(d, 2, n), sameOverheads(d, 1, n-1)
		r.exponential(every, s.Shrink)
		c.Excludes(`cannot stand beside "overhead"`, "give either overhead, or shrink and expand", "shrink", "expand")
		return
	}
	s.Shrink, s.Expand = r.overheads(shrink, 2, n, n), r.overheads(expand, 1, n-1, n)
	r.exponential(shrink, s.Shrink)
	r.exponential(expand, s.Expand)
}

// whoStops reads who stops during a repartition.
func whoStops(c *tree.Cursor) models.Stops {
	return tree.Word(c, "who stops during a repartition", models.AllStop, models.ResizedStop)
}

// besideOverhead returns the section dynamic as it must be for a setting of the path: overhead gives way to shrink and
// expand, which begin with its value, and takes their place. A mean becomes {means: ...}, so that it can be given an scv.
func besideOverhead(n *tree.Node, path string) *tree.Node {
	becomes := map[string][]string{"dynamic.overhead": {"overhead"}, "dynamic.shrink": {"shrink", "expand"},
		"dynamic.expand": {"shrink", "expand"}}[path]
	every := n.Lookup("overhead")
	if becomes == nil || every == nil && len(becomes) > 1 {
		return n
	}
	changed := *n
	changed.Entries = slices.DeleteFunc(slices.Clone(n.Entries), func(e tree.Entry) bool {
		key := e.Key.Value
		return key == "overhead" || len(becomes) == 1 && (key == "shrink" || key == "expand")
	})
	if every == nil || every.Kind == tree.Null {
		return &changed
	}
	if isMean(every) {
		every = every.Under("means")
	}
	for _, key := range becomes {
		at := every.Under(key)
		changed.Entries = append(changed.Entries, at.Entries...)
	}
	return &changed
}

// isMean reports whether an overhead is a mean alone, that of an exponential distribution.
func isMean(n *tree.Node) bool {
	return n.Kind != tree.Mapping && n.Kind != tree.List && n.Kind != tree.Null
}

// exponential notes that overheads are taken to be exponential, if the file gives no more than their means.
func (r *modelReader) exponential(c *tree.Cursor, of []phasetype.Dist) {
	meansOnly := c.There() && isMean(c.Node) || c.Lookup("means") != nil && c.Lookup("scv") == nil
	if len(r.model.exponential) == 0 && meansOnly && slices.ContainsFunc(of, func(d phasetype.Dist) bool { return d.Phases() > 0 }) {
		r.model.exponential = []Assumption{{Name: Distribution, Value: "exponential", Other: Set{Path: c.Path() + ".scv", Value: "0.5"}}}
	}
}

// overhead reads what each of several repartitions costs: a distribution, or the mean of an exponential one, or
// {means: 5s, scv: 2}.
func (r *modelReader) overhead(c *tree.Cursor) phasetype.Dist {
	isMoment := func(e tree.Entry) bool {
		_, meant := words.Nearest(e.Key.Value, []string{"means", "scv"})
		return meant
	}
	switch {
	case c.Kind == tree.List:
		c.Expected("one overhead for all repartitions",
			"lists by number of jobs are written as shrink: {means: […]} and expand: {means: […]}")
		return phasetype.Dist{}
	case c.Kind != tree.Mapping:
		return meanOverhead(c, 1)
	case !slices.ContainsFunc(c.Entries, isMoment):
		return r.dists.Dist(c)
	}
	return meanOverhead(meansOf(c))
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
func (r *modelReader) overheads(c *tree.Cursor, first, last, most int) []phasetype.Dist {
	read, list, shorter := r.dists.Dist, c, "{means: 5s} has one mean for all"
	if means := c.Lookup("means"); means != nil && means.Kind == tree.List {
		of, scv := meansOf(c)
		list, shorter = of, "means: 5s is one mean for all"
		read = func(at *tree.Cursor) phasetype.Dist { return meanOverhead(at, scv) }
	}
	switch n := len(list.Items); {
	case !list.There():
		return nil
	case list.Kind != tree.List:
		return sameOverheads(r.overhead(c), first, last)
	case n < last || n > most:
		list.Fail(fmt.Sprintf("has %s", words.Count(n, "entry")),
			fmt.Sprintf("give %d for N = %s, null for no cost; %s", last, words.Count(most, "partition"), shorter))
		return nil
	}
	all := tree.Each(list.Sequence(""), orNull(read))
	if len(all) > last && all[last].Phases() > 0 {
		list.Item(last).Fail(fmt.Sprintf("a departure never leaves %s running and a partition free", words.Count(last+1, "job")),
			"make it null or remove it")
	}
	return all[:last]
}

// orNull returns a reader for which null is a distribution that takes no time.
func orNull(read func(*tree.Cursor) phasetype.Dist) func(*tree.Cursor) phasetype.Dist {
	return func(c *tree.Cursor) (d phasetype.Dist) {
		if c.Kind != tree.Null {
			d = read(c)
		}
		return d
	}
}

// meansOf reads {means: ..., scv: 1}.
func meansOf(c *tree.Cursor) (means *tree.Cursor, scv float64) {
	c.Keys("means", "scv")
	return c.Need("means", "give the mean overheads, 0 for no cost"), cmp.Or(c.Field("scv").Positive(), 1)
}

// meanOverhead reads a mean, 0 for no cost.
func meanOverhead(c *tree.Cursor, scv float64) (d phasetype.Dist) {
	mean := c.NonnegativeTime()
	if mean > 0 {
		var err error
		d, err = phasetype.TwoMoments(mean, scv)
		fail(c, err)
	}
	return d
}

// static reads the set-up of jobs under static partitioning.
func (r *modelReader) static(c *tree.Cursor) {
	s := r.system
	c.Keys("setup?")
	v := c.Field("setup")
	if !v.There() {
		return
	}
	s.Setup = make(map[int]phasetype.Dist)
	if v.Lookup("by_partitions") != nil {
		v.Keys("by_partitions")
		r.setups(v.Field("by_partitions"))
		return
	}
	d := r.dists.Dist(v)
	for _, k := range s.Machine().Divisors() {
		s.Setup[k] = d
	}
}

// setups reads set-ups by number of partitions.
func (r *modelReader) setups(c *tree.Cursor) {
	s := r.system
	c.Pairs("set-ups by number of partitions", "them such as {1: {exponential: {mean: 5}}}", func(key, value *tree.Cursor) {
		k, isNumber := measure.ParseDecimal(key.Value)
		divisor := slices.IndexFunc(s.Machine().Divisors(), func(d int) bool { return isNumber && float64(d) == k })
		_, twice := s.Setup[int(k)]
		switch {
		case divisor < 0:
			key.Fail(fmt.Sprintf("the machine cannot be split into %s partitions", key.Value),
				fmt.Sprintf("K divides N: %v", s.Machine().Divisors()))
		case twice:
			key.Failf("is given twice")
		default:
			s.Setup[int(k)] = orNull(r.dists.Dist)(value)
		}
	})
}
