package sched

import "github.com/partwise/partwise/validate/internal/evenshares"

// boundedDivision divides units of nodes among jobs as evenly as their bounds allow. As few jobs as possible change their
// size. If two jobs differ by two units or more, the larger job is at its lower bound or the smaller at its upper bound.
// Units above all upper bounds are left over. Without bounds it is [EquiPartition].
//
// All jobs get the same size, the level, unless their bounds force another. Some jobs could have one unit more than the
// level. They share the units that are left then, by an even [evenshares.Division].
//
// A division takes one pass over the jobs if the level is that of the last division, as in most decisions of a long log. A
// second pass gives the sizes. It ends at the last job whose size changes. Another level takes a pass more, seldom two.
type boundedDivision struct {
	even  evenshares.Division // of the jobs at the level
	level int32
	near  int32 // the last level at which jobs shared units
}

// begin begins a division of units among jobs, and returns how many of them have to change their size. most is the sum of
// their upper bounds. The sum of the lower bounds must fit. Next, [boundedDivision.nextSize] is called for each job, in the
// same order.
func (d *boundedDivision) begin(jobs []resizable, most, units int) (resizes int) {
	level, at := units, sumsAtLevel{}
	if most <= units {
		at = sumsAt(int32(units), jobs)
	} else {
		level, at = levelWithin(jobs, units, int(d.near))
	}
	d.level, d.even = int32(level), evenshares.Division{}
	if at.free > 0 {
		d.near = d.level
		d.even = evenshares.Division{Small: level, Bigs: units - at.used}
	}
	return len(jobs) - (at.equal - at.smaller) - d.even.Keep(at.smaller, at.larger, at.free)
}

// nextSize returns the new size of the next job, in units. It is called once for each job in the order of
// [boundedDivision.begin], but can be left out for jobs that keep their size after all that change it.
func (d *boundedDivision) nextSize(j *resizable) int {
	if j.isFreeAt(d.level) {
		return d.even.Next(int(j.size), 1)
	}
	return int(j.sizeAt(d.level))
}

// sizeAt returns the size of the job at a level, in units: the level, unless the bounds of the job force another size.
func (j *resizable) sizeAt(level int32) int32 { return min(max(level, j.least), j.most) }

// isFreeAt reports whether the job gets the level as its size, and could have one unit more.
func (j *resizable) isFreeAt(level int32) bool { return uint32(level-j.least) < uint32(j.most-j.least) }

// levelWithin returns the level at which units are divided evenly among jobs. The level is the size that each job gets
// unless its bounds force another: the largest size for which the sizes of all jobs sum to at most units. The upper bounds
// must sum to more. at holds the sums at the level.
//
// The search begins at the level try, and goes on with Newton steps. One unit more of the level takes as many units as jobs
// are free to grow, so few steps suffice. The last level is a good beginning. Where no job is free, a step is a bisection.
func levelWithin(jobs []resizable, units, try int) (level int, at sumsAtLevel) {
	low, high := -1, units+1
	for low+1 < high {
		try = min(max(try, low+1), high-1)
		there := sumsAt(int32(try), jobs)
		switch {
		case there.used > units:
			high = try
			if try = (low + high) / 2; there.free > 0 {
				try = high - max(1, (there.used-units)/there.free)
			}
		case there.used+there.free > units: // one unit more does not fit
			return try, there
		default:
			low, level, at = try, try, there
			if try = (low + high) / 2; at.free > 0 {
				try = low + (units-at.used)/at.free
			}
		}
	}
	return level, at
}

// sumsAtLevel are sums over the jobs of a division at a level: the size, in units, that each job gets unless its bounds
// force another.
type sumsAtLevel struct {
	used  int // units that all jobs use
	free  int // number of jobs that get the level and could have one unit more
	equal int // number of jobs that have their size at the level already
	// Of the free jobs: numbers of jobs whose size is the level, and one unit more.
	smaller, larger int
}

// sumsAt returns the sums over jobs at a level. It counts without branches: which jobs are free, or keep their size, changes
// with each division, so the processor would guess wrong.
func sumsAt(level int32, jobs []resizable) sumsAtLevel {
	used, free, equal, smaller, larger := 0, 0, 0, 0, 0
	for k := range jobs {
		j := &jobs[k]
		size, isFree := j.sizeAt(level), bit(j.isFreeAt(level))
		isEqual := bit(j.size == size)
		used += int(size)
		free += isFree
		equal += isEqual
		smaller += isFree & isEqual
		larger += isFree & bit(j.size == level+1)
	}
	return sumsAtLevel{used, free, equal, smaller, larger}
}

// bit returns 1 for true and 0 for false.
func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
