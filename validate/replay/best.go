package replay

// Best returns of each kind of runs the run with the least value of a measure, in the order in which the kinds appear. Runs of
// different kinds assume different things of the jobs, and are not compared. Without a kind, or with a nil run, it returns nil.
func Best(runs []*Run, measure string, kind func(*Run) string) []*Run {
	at := map[string]int{}
	var best []*Run
	for _, run := range runs {
		if run == nil || kind == nil {
			return nil
		}
		i, found := at[kind(run)]
		switch {
		case !found:
			at[kind(run)] = len(best)
			best = append(best, run)
		case run.Measures[measure] < best[i].Measures[measure]:
			best[i] = run
		}
	}
	return best
}
