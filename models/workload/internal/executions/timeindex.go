package executions

import "slices"

// timeIndex finds records of a job by one of their times. It keeps the records of each time as a chain, from the last record to
// the first.
//
// Method: the times are sorted once, and each record learns the place of its own time. So adding and finding take no search, and
// sorting takes less time than a map of the times.
type timeIndex struct {
	records []member // of the job
	times   []uint32 // in order, each once
	chains  []chain  // by the place of the time
	links   []link
}

// chain is the places in timeIndex.links of the first and the last record of a time.
type chain struct{ first, last uint32 }

// link is the place of a record in timeIndex.records, and the place of the link to the record before it.
type link struct{ record, before uint32 }

// noLink is the place of a link that does not exist.
const noLink = None

// newTimeIndex returns an index of the times that timeOf returns for the records, and the place in it of the time of each record.
func newTimeIndex(records []member, timeOf func(member) uint32) (x timeIndex, places []uint32) {
	sorted := make([]uint64, len(records)) // a time in the upper half, and the number of its record in the lower half
	for k, r := range records {
		sorted[k] = uint64(timeOf(r))<<32 | uint64(k)
	}
	slices.Sort(sorted)
	x = timeIndex{records: records, times: make([]uint32, 0, len(records)), chains: make([]chain, 0, len(records)),
		links: make([]link, 0, len(records))}
	places = make([]uint32, len(records))
	for k, both := range sorted {
		if time := uint32(both >> 32); k == 0 || time != x.times[len(x.times)-1] {
			x.times = append(x.times, time)
			x.chains = append(x.chains, chain{noLink, noLink})
		}
		places[uint32(both)] = uint32(len(x.times) - 1)
	}
	return x, places
}

// add adds a record, unless it is the last one of its time.
func (x *timeIndex) add(place, record uint32) {
	c := &x.chains[place]
	if c.last != noLink && x.links[c.last].record == record {
		return
	}
	at := uint32(len(x.links))
	if c.first == noLink {
		c.first = at
	}
	x.links = append(x.links, link{record, c.last})
	c.last = at
}

// mostAlike bounds the records of a time with which a record is compared.
const mostAlike = 32

// find returns the first record of a time with which r agrees, among the last mostAlike records. disagrees says that the time has
// records, but that r agrees with none of them.
func (x *timeIndex) find(place uint32, r *Record) (found uint32, isFound, disagrees bool) {
	at := x.chains[place].last
	disagrees = at != noLink
	for k := 0; k < mostAlike && at != noLink; k++ {
		l := x.links[at]
		if x.records[l.record].agree(r) {
			found, isFound, disagrees = l.record, true, false
		}
		at = l.before
	}
	return found, isFound, disagrees
}

// first returns the first record of a time.
func (x *timeIndex) first(time uint32) (r member, isKnown bool) {
	place, isKnown := slices.BinarySearch(x.times, time)
	if !isKnown || x.chains[place].first == noLink {
		return member{}, false
	}
	return x.records[x.links[x.chains[place].first].record], true
}
