package joblog

// InUnitOfCPUs returns the jobs with their sizes in CPUs, see [Job.CPUs]. A job whose CPUs the log does not tell has no size.
func InUnitOfCPUs(jobs Jobs) Jobs {
	return func(yield func(*Job, error) bool) {
		var counted Job
		for j, err := range jobs {
			if err != nil {
				yield(j, err)
				return
			}
			counted = *j
			counted.Processors, counted.RequestedProcessors, counted.Pieces = int(j.CPUs), -1, nil
			if !yield(&counted, nil) {
				return
			}
		}
	}
}
