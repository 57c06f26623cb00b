package joblog

import (
	"bytes"
	"strconv"
	"time"
)

// resizedState stands for the exit status of a phase of a job after which the job ran on with other nodes.
const resizedState = "resized"

// pbsPhase is a part of the run of a job after which nodes of the job were released.
type pbsPhase struct {
	at    time.Time // when the nodes were released, on the clock of the log
	hosts []byte    // during the phase
	next  []byte    // after the phase; nil: not known yet
}

// takePhase stores the end of a phase of a job (record u), or the nodes of the next phase (records c and e).
func (r *pbsReader) takePhase(k key, kind byte, line []byte, f *fields) {
	at, err := time.Parse(pbsClock, string(line[:19]))
	switch {
	case err != nil:
	case kind == 'u':
		r.phases[k] = append(r.phases[k], pbsPhase{at: at, hosts: bytes.Clone(f[hostList])})
	case len(r.phases[k]) > 0:
		r.phases[k][len(r.phases[k])-1].next = bytes.Clone(f[hostList])
	}
}

// pbsClock is how records show their time.
const pbsClock = "01/02/2006 15:04:05"

// takeReleased takes in the phases of a job that ended, each as an execution after which the job ran on with other nodes. The fields then
// describe the last phase. Times of records are on a clock of unknown zone: their differences tell how long before the end a phase ended.
func (r *pbsReader) takeReleased(k key, line []byte, f *fields, row int) {
	ended, err := time.Parse(pbsClock, string(line[:19]))
	end, _, ok := leadingNumber(f[endTime])
	start, _, hasStart := leadingNumber(f[startTime])
	if err != nil || !ok || !hasStart {
		return
	}
	for i, p := range r.phases[k] {
		if i == 0 { // the other sizes in the record of the end are requests
			f[slots], f[nodesAsked], f[selected], f[processors], f[allocNodes], f[allocCPUs] = nil, nil, nil, nil, nil, nil
		}
		phase := *f
		until := int64(end) - int64(ended.Sub(p.at).Seconds())
		if until < int64(start) || until > int64(end) || len(p.hosts) == 0 {
			continue
		}
		phase[hostList], phase[nodeList], phase[stateName] = p.hosts, p.hosts, []byte(resizedState)
		phase[endTime] = strconv.AppendInt(nil, until, 10)
		r.store.take(&phase, &entry{key: k, line: row})
		f[startTime] = phase[endTime]
		if len(p.next) > 0 {
			f[hostList] = p.next
		}
	}
}
