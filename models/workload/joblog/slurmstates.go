package joblog

import (
	"bytes"
	"strings"
)

// stateNames are the states of Slurm; see JOB STATE CODES in sacct(1).
var stateNames = []struct {
	name  string
	state state
}{
	{"COMPLETED", completed}, {"CANCELLED", cancelled}, {"CANCELED", cancelled}, {"FAILED", failed}, {"TIMEOUT", failed}, {"NODE_FAIL", failed},
	{"OUT_OF_MEMORY", failed}, {"PREEMPTED", failed}, {"BOOT_FAIL", failed}, {"DEADLINE", failed}, {"REQUEUED", failed},
	{"REVOKED", unstarted}, {"LAUNCH_FAILED", failed}, {"RECONFIG_FAIL", failed}, {"RUNNING", running},
	{"COMPLETING", running}, {"RESIZING", resizing}, {"SUSPENDED", running}, {"STOPPED", running}, {"SIGNALING", running},
	{"STAGE_OUT", running}, {"CONFIGURING", running}, {"POWER_UP_NODE", running}, {"PENDING", pending},
	{"REQUEUE_HOLD", pending}, {"REQUEUE_FED", pending}, {"SPECIAL_EXIT", pending}, {"RESV_DEL_HOLD", pending},
	{"EXPEDITING", pending}, {"UPDATE_DB", running},
}

// parseState reads a state such as COMPLETED, CANCELLED by 1000 or, cut off where the column ended, OUT_OF_ME+, also in small letters. Flags may
// follow the state behind a comma, as in COMPLETED,STAGE_OUT. The flags RESIZING and REQUEUED count instead of the state before them. label
// is the name of the state, without the text behind it.
func parseState(text []byte) (s state, label string, ok bool) {
	word, _, _ := bytes.Cut(text, []byte(" "))
	word, flags, _ := bytes.Cut(word, []byte(","))
	if flag := string(flags); flag == "RESIZING" || flag == "REQUEUED" {
		word = flags
	}
	name, cut := bytes.CutSuffix(word, []byte("+"))
	for i := range stateNames {
		s := &stateNames[i]
		if s.name == string(name) || cut && len(name) > 3 && strings.HasPrefix(s.name, string(name)) {
			return s.state, s.name, true
		}
	}
	if upper := bytes.ToUpper(text); !bytes.Equal(upper, text) {
		return parseState(upper)
	}
	return unknown, "", false
}
