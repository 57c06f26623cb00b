package logtext_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/partwise/partwise/models/workload/internal/logtext"
)

func TestClock(t *testing.T) {
	for text, want := range map[string]float64{
		"00:00:00": 0, "01:02:03": 3723, "1-03:00:25": 97225, "2-00:00": 172800, "3-05": 277200, "12:30": 750,
		"100:00:00": 360000, "00:01.250": 1.25, "1-00:00:00.5": 86400.5, "9999-23:59:59": 863999999, "12345-00:00:01": 1066608001, "01-00:00:00": 86400,
		"0 days 01:00:00": 3600, "1 days 00:00:01.5": 86401.5, "1 day, 2:03:04": 93784, "12 days, 0:00:00": 1036800,
		"1:00:00:00": 86400, "00:00:01:00": 60, "2:03:04:05.5": 183845.5, "10:00:00:00": 864000,
	} {
		if got, ok := logtext.Clock(text); !ok || got != want {
			t.Errorf("%s: %v, %v; want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "5", "1:60", "1-24:00:00", "1-00:60:00", "1-00:00:60", "-00:00:01", "1--0:00:01", "1-0a:00:00",
		"00:60:00", "1:2:3:4:5", "1:24:00:00", "1:00:60:00", "1:-00:00:00", "1-1:00:00:00", "-1:00", "1-", "1-2-3", "a:b", "1:00x", "1-05.5", "UNLIMITED", ":1", "1:", "2 days", "-1 days +23:00:00",
		"1 days 25:00:00", "one day 01:00:00", "1 days 01:00"} {
		if got, ok := logtext.Clock(text); ok {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}

func TestDuration(t *testing.T) {
	for text, want := range map[string]float64{"1h30m": 5400, "90m": 5400, "2d": 172800, "2d4h": 187200, "1.5h": 5400,
		"250ms": 0.25, "90 min": 5400, "1-00:00:01": 86401} {
		if got, ok := logtext.Duration(text); !ok || got != want {
			t.Errorf("%s: %v, %v; want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "0", "-5m", "12:30", "5", "h", "1.2.3s", "d", "5 days"} {
		if got, ok := logtext.Duration(text); ok {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}

// Times may leave the seconds out, and have slashes in the date.
func TestStampsInOtherForms(t *testing.T) {
	for _, text := range []string{"2024-03-01T08:00", "2024-03-01 08:00", "2024/03/01 08:00:00", "2024/03/01 08:00", "2024-03-01T08:00:00"} {
		if at, zoned, ok := logtext.ParseStamp(text); !ok || zoned || at.Unix() != 1709280000 {
			t.Errorf("%s is read as %v", text, at)
		}
	}
	for _, text := range []string{"01/03/2024 08:00", "2024/03-01 08:00:00", "2024-03-01 8:00", "2024-03-01T08:0x", "2024-3-01T08:00:00"} {
		if at, _, ok := logtext.ParseStamp(text); ok {
			t.Errorf("%s is read as %v", text, at)
		}
	}
}

// Times of every kind of year and zone are those of package time.
func TestTimesAreThoseOfPackageTime(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	for _, place := range []string{"UTC", "Europe/Berlin", "America/Sao_Paulo", "Australia/Lord_Howe", "Pacific/Apia"} {
		location, err := time.LoadLocation(place)
		if err != nil {
			t.Fatal(err)
		}
		zone := logtext.NewZone(location)
		for range 20_000 {
			unix := r.Int64N(4e9)
			at := time.Unix(unix, 0).In(location)
			stamp, zoned, ok := logtext.ParseStamp(at.Format(time.RFC3339))
			if !ok || !zoned || stamp.Unix() != unix {
				t.Fatalf("%v: %+v", at, stamp)
			}
			local, zoned, ok := logtext.ParseStamp(at.Format("2006-01-02 15:04:05"))
			got, later, missing := zone.Unix(local.Unix())
			if !ok || zoned || missing || got != unix && got+later != unix {
				t.Fatalf("%v: %v, %v, %v", at, got, later, missing)
			}
		}
	}
	for range 20_000 { // dates of any century, some of which no calendar has
		text := fmt.Sprintf("%04d-%02d-%02dT%02d:%02d:%02d", r.IntN(10_000), r.IntN(14), r.IntN(33), r.IntN(25), r.IntN(61), r.IntN(61))
		want, err := time.Parse("2006-01-02T15:04:05", text)
		got, zoned, ok := logtext.ParseStamp(text)
		if ok != (err == nil) || zoned || ok && !got.Equal(want) {
			t.Fatalf("%s is read as %v, %v, %v, want %v, %v", text, got, zoned, ok, want, err)
		}
	}
	for _, text := range []string{"2023-02-29T00:00:00", "2024-13-01T00:00:00", "2024-01-01T24:00:00", "2024-01-01T00:00:00x",
		"2024-01-01T00:00:00+1", "2024-01-01"} {
		if s, _, ok := logtext.ParseStamp(text); ok {
			t.Errorf("%s is read as %+v", text, s)
		}
	}
}
