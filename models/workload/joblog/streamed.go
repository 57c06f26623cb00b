package joblog

import (
	"errors"
	"io"

	"github.com/partwise/partwise/models/workload/internal/wholelog"
)

// Survey reads a log that is too large to keep. It returns the log without its jobs, and its jobs, which are read anew each time
// they are gone through. open opens the log, compressed by gzip or not, and returns its name in errors. Survey returns an error
// if open is nil, or opens nothing.
//
// The jobs are those of [Pack], as they stand in the file. Jobs whose times cannot be right are counted in the findings and in
// what is lost, but log.Apart does not hold them. Survey goes through the log again where such jobs may be. Logs in other formats
// than the Standard Workload Format are kept while they are read.
func Survey(open func() (in io.ReadCloser, file string, err error), o Options) (Log, Jobs, error) {
	if open == nil {
		return Log{}, nil, errors.New("joblog: there is no log; give the function that opens it")
	}
	var log Log
	var x wholelog.Extent
	read := func(take func(*Job) bool) error {
		in, file, err := open()
		if err != nil {
			return err
		}
		if in == nil {
			return errors.New("joblog: no log was opened; return a reader, or an error")
		}
		defer in.Close()
		var list *List
		log, list, err = formats.read(in, file, o, take)
		for j := range list.All() {
			if !take(j) {
				break
			}
		}
		return err
	}
	all := func(yield func(*Job, error) bool) {
		if err := read(func(j *Job) bool { return yield(j, nil) }); err != nil {
			yield(nil, err)
		}
	}
	if err := read(func(j *Job) bool { x.Add(j.judgedTimes()); return true }); err != nil {
		return Log{}, nil, err
	}
	first := log
	why, err := x.Impossible(judgedTimesOf(all))
	if err != nil || len(why) == 0 {
		return first, all, err
	}
	possible := func(yield func(*Job, error) bool) {
		at := -1
		for j, err := range all {
			at++
			if why[at] == "" && !yield(j, err) {
				return
			}
		}
	}
	held, others := 0.0, 0
	for j, err := range possible {
		if err != nil {
			return Log{}, nil, err
		}
		held += j.NodeTime()
		others++
	}
	first.lose(why, held, others)
	return first, possible, nil
}
