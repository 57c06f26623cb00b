package joblog

import (
	"bytes"
	"strings"

	"github.com/partwise/partwise/models/workload/internal/executions"
)

// stateNames are the states of Slurm; see JOB STATE CODES in sacct(1).
var stateNames = []struct {
	state executions.State
	names []string
}{
	{executions.Completed, []string{"COMPLETED"}},
	{executions.Cancelled, []string{"CANCELLED", "CANCELED"}},
	{executions.Failed, []string{"FAILED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "BOOT_FAIL", "DEADLINE", "REQUEUED",
		"LAUNCH_FAILED", "RECONFIG_FAIL"}},
	{executions.Unstarted, []string{"REVOKED"}},
	{executions.Running, []string{"RUNNING", "COMPLETING", "SUSPENDED", "STOPPED", "SIGNALING", "STAGE_OUT", "CONFIGURING",
		"POWER_UP_NODE",
		"UPDATE_DB"}},
	{executions.Resizing, []string{"RESIZING"}},
	{executions.Pending, []string{"PENDING", "REQUEUE_HOLD", "REQUEUE_FED", "SPECIAL_EXIT", "RESV_DEL_HOLD", "EXPEDITING"}},
}

// parseState reads a state such as COMPLETED, CANCELLED by 1000 or, cut off where the column ended, OUT_OF_ME+, also in small
// letters. Flags may follow the state behind a comma, as in COMPLETED,STAGE_OUT. The flags RESIZING and REQUEUED count instead of
// the state before them. label is the name of the state, without the text behind it.
func parseState(text []byte) (s executions.State, label string, ok bool) {
	word, _, _ := bytes.Cut(text, []byte(" "))
	word, flags, _ := bytes.Cut(word, []byte(","))
	if flag := string(flags); flag == "RESIZING" || flag == "REQUEUED" {
		word = flags
	}
	name, cut := bytes.CutSuffix(word, []byte("+"))
	for i := range stateNames {
		for _, known := range stateNames[i].names {
			if known == string(name) || cut && len(name) > 3 && strings.HasPrefix(known, string(name)) {
				return stateNames[i].state, known, true
			}
		}
	}
	if upper := bytes.ToUpper(text); !bytes.Equal(upper, text) {
		return parseState(upper)
	}
	return executions.Unknown, "", false
}
