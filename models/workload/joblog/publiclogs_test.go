package joblog_test

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/partwise/partwise/models/workload/joblog"
)

// publicLog is a log as a batch system writes it, with its totals, which were counted from the jobs that the log is made of.
type publicLog struct {
	name, text string
	options    joblog.Options
	want       map[string]float64
	problem    string // of a file that is not read: words of the error
}

// publicLogs reads the logs of a file. A line that begins with %% names a log and its totals; the log follows.
func publicLogs(t *testing.T) (all []publicLog) {
	t.Helper()
	text, err := os.ReadFile("testdata/publiclogs.txt")
	must(err)
	for _, part := range strings.Split("\n"+string(text), "\n%% ")[1:] {
		head, body, _ := strings.Cut(part, "\n")
		said := strings.Split(head, " | ")
		l := publicLog{name: said[0], text: body + "\n", want: map[string]float64{}}
		for _, fact := range said[1:] {
			what, value, _ := strings.Cut(fact, " ")
			switch what {
			case "flags":
				l.options = optionsOf(value)
			case "error":
				l.problem = value
			default:
				l.want[what], err = strconv.ParseFloat(value, 64)
				must(err)
			}
		}
		all = append(all, l)
	}
	return all
}

// optionsOf returns the options that flags of commands stand for.
func optionsOf(flags string) (o joblog.Options) {
	words := strings.Fields(flags)
	for i := 0; i+1 < len(words); i += 2 {
		switch value := words[i+1]; words[i] {
		case "--fields":
			o.Fields = value
		case "--unit-of-allocation":
			o.Unit = joblog.Unit(value)
		case "--time-zone":
			zone, err := time.LoadLocation(value)
			must(err)
			o.Location = zone
		}
	}
	return o
}

// factsOf returns the totals of the jobs of a log that can be run again.
func factsOf(l *joblog.Log) map[string]float64 {
	is := map[string]float64{"never": float64(l.NeverStarted.Len()), "unfinished": float64(len(l.Unfinished)), "lost": float64(l.Lost.Lines),
		"resized": float64(found(l, "jobs that were resized"))}
	for i := range l.Jobs {
		j := &l.Jobs[i]
		if j.Problem(0) != "" {
			continue
		}
		is["jobs"]++
		is["node-seconds"] += j.NodeTime()
		is["waits"] += max(0, j.Wait)
	}
	return is
}

// TestPublicLogs: logs as batch systems write them have their totals, and files that are not read are named.
func TestPublicLogs(t *testing.T) {
	logs := publicLogs(t)
	if len(logs) < 400 {
		t.Errorf("%d logs", len(logs))
	}
	for _, c := range logs {
		t.Run(c.name, func(t *testing.T) {
			l, err := joblog.Read(strings.NewReader(c.text), "f", c.options)
			if c.problem != "" {
				if err == nil || !strings.Contains(err.Error(), c.problem) {
					t.Errorf("%v, want %q", err, c.problem)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			is := factsOf(&l)
			for what, want := range c.want {
				if math.Abs(is[what]-want) > 1e-9*want {
					t.Errorf("%s %g, want %g: %v", what, is[what], want, l.Findings)
				}
			}
			if is["lost"] != c.want["lost"] {
				t.Errorf("%g lines lost: %v", is["lost"], l.Findings)
			}
		})
	}
}

// TestOtherForms: files that hold text in a form that is not read are named, with the command that makes text of them.
func TestOtherForms(t *testing.T) {
	const table = "JobID|User|Submit|Start|End|Elapsed|AllocNodes|State\n"
	var wide strings.Builder
	for _, c := range table {
		wide.WriteString(fmt.Sprintf("%c\x00", c))
	}
	for text, want := range map[string]string{
		wide.String(): "f:1: the file is in UTF-16; save it in the encoding UTF-8 (PowerShell: Out-File -Encoding utf8)",
		"\xff\xfe\x00\x00J\x00\x00\x00o\x00\x00\x00":           "f:1: the file is in UTF-32; save it in the encoding UTF-8 (PowerShell: Out-File -Encoding utf8)",
		"\xfd7zXZ\x00\x00\x04":                                 "f:1: the file is compressed by xz; decompress it: xz -d",
		"\x28\xb5\x2f\xfd\x04\x00":                             "f:1: the file is compressed by zstd; decompress it: zstd -d",
		"\x50\x2a\x4d\x18\x04\x00\x00\x00size\x28\xb5\x2f\xfd": "f:1: the file is compressed by zstd; decompress it: zstd -d",
		"\x02\x21\x4c\x18\x10\x00":                             "f:1: the file is compressed by lz4; decompress it: lz4 -d",
		"\x5d\x00\x00\x80\x00":                                 "f:1: the file is compressed by lzma; decompress it: xz -d --format=lzma",
		"LZIP\x01\x0c":                                         "f:1: the file is compressed by lzip; decompress it: lzip -d",
		"\x78\x9c\x4b\x0d":                                     "f:1: the file is compressed by zlib; decompress it: pigz -dz",
		"Rar!\x1a\x07\x01\x00":                                 "f:1: the file is an archive of RAR; extract the file: unrar x",
		"PK\x05\x06\x00\x00": "f:1: the file is a zip archive, such as a spreadsheet; extract the " +
			"file, or save the sheet as CSV",
		"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "f:1: the file is a document of an old version of Excel or Word; save the sheet as CSV",
		"\x89HDF\r\n\x1a\n\x00":            "f:1: the file is in HDF5; write the table as CSV, for example with pandas",
		"ARROW1\x00\x00\xff":               "f:1: the file is a table in Arrow; write it as CSV, for example with pandas",
		"BZh91AY&SY\x01":                   "f:1: the file is compressed by bzip2; decompress it: bzip2 -d",
		"PAR1\x15\x04":                     "f:1: the file is a table in Parquet; convert it to CSV, for example with DuckDB",
		"PK\x03\x04\x14\x00": "f:1: the file is a zip archive, such as a spreadsheet; extract the " +
			"file, or save the sheet as CSV",
		"SQLite format 3\x00\x10":                "f:1: the file is a database of SQLite; write the table as CSV: sqlite3 -header -csv",
		strings.Repeat("a", 257) + "ustar\x0000": "f:1: the file is an archive of tar; extract the file: tar xf",
	} {
		for _, packed := range []string{text, zipped(t, text)} {
			if _, err := joblog.Read(strings.NewReader(packed), "f", joblog.Options{}); err == nil || err.Error() != want {
				t.Errorf("%q: %v, want %q", text, err, want)
			}
		}
	}
	for packed, want := range map[string]string{
		zipped(t, zipped(t, table)):                    "f:1: the file is compressed by gzip twice; decompress it once: gzip -dc",
		zipped(t, table) + "\n":                        "f:1: what follows the compressed data is not compressed; gzip -dc leaves it out",
		zipped(t, table) + "\x1f":                      "f:1: the file is cut off: its compressed data end too early; fetch the file again",
		zipped(t, table) + "\x1f\x8b\x08":              "f:1: the file is cut off: its compressed data end too early; fetch the file again",
		zipped(t, table) + strings.Repeat("\x00", 512): "f:1: what follows the compressed data is not compressed; gzip -dc leaves it out",
	} {
		if _, err := joblog.Read(strings.NewReader(packed), "f", joblog.Options{}); err == nil || err.Error() != want {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
