package joblog_test

import (
	"testing"

	"github.com/partwise/partwise/models/workload/joblog"
)

// The clocks of Stockholm are put forward in summer; Etc/GMT-1, an hour east of Greenwich, keeps their standard time. Kolkata's
// offset is no whole hour.
func TestStandardZone(t *testing.T) {
	const january, july = 1704067200, 1719792000 // 2024
	for _, c := range []struct {
		zone, want string
		begins     int64
	}{{"Europe/Stockholm", "Etc/GMT-1", january}, {"Europe/Stockholm", "Etc/GMT-1", july}, {"America/New_York", "Etc/GMT+5", july},
		{"UTC", "Etc/GMT+0", july}, {"Asia/Kolkata", "", july}} {
		h := joblog.Header{UnixStartTime: c.begins, Fields: map[string]string{"TimeZoneString": c.zone}}
		if got := h.StandardZone(); got != c.want {
			t.Errorf("%s at %d: %q, want %q", c.zone, c.begins, got, c.want)
		}
	}
}
