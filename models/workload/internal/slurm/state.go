package slurm

import (
	"encoding/json"
	"slices"
)

// StateIn returns the state of an execution: how it ended or, unless it has ended, how far it came. It returns "" if the log
// gives no state. Since Slurm 23 the state is a list: a base state, and then flags. An execution that ended because the job was
// resized or requeued keeps the base state PENDING or RUNNING, and a flag tells how it ended.
func StateIn(current json.RawMessage, hasEnded bool) string {
	var words []string
	if json.Unmarshal(current, &words) != nil {
		words = []string{""}
		if json.Unmarshal(current, &words[0]) != nil {
			return ""
		}
	}
	if len(words) == 0 {
		return ""
	}
	for _, flag := range []string{"RESIZING", "REQUEUED"} {
		if hasEnded && slices.Contains(words, flag) && (words[0] == "PENDING" || words[0] == "RUNNING") {
			return flag
		}
	}
	return words[0]
}
