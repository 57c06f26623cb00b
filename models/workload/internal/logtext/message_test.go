package logtext_test

import (
	"testing"

	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// TestIsMessage: prompts of shells and lines around tables are messages. Rows that begin with an address of electronic mail are
// no messages.
func TestIsMessage(t *testing.T) {
	for line, want := range map[string]bool{
		"[user@login ~]$ sacct -P":         true,
		"user@login:~$ sacct -P":           true,
		"user@login ~ % sacct -P":          true,
		"root@login:/var/log#":             true,
		"(20 rows)":                        true,
		"-----+-----":                      true,
		"ann@x.org  1  2024-03-01  run#":   false,
		"ann@x.org: 1 2024-03-01 run > a":  false,
		"ann@x.org|1|2024-03-01|run#":      false,
		"-----|1|2024-03-01T08:00:00|run#": false,
	} {
		if logtext.IsMessage([]byte(line)) != want {
			t.Errorf("%q: message %v, want %v", line, !want, want)
		}
	}
}
