package logview

import (
	"fmt"
	"math"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/workload/logstats"
)

// startsObject returns the starts and the submissions of jobs by hour of the day and length of their limits. It is nil for
// a log without a date.
func startsObject(s *logstats.StartClock) any {
	if s == nil {
		return nil
	}
	var classes []output.Object
	for i := range s.Classes {
		c := &s.Classes[i]
		o := output.Pairs("limits", c.Limits.Kind.String())
		if c.Limits.Kind == logstats.LimitedJobs {
			o.Add("limit_above", c.Limits.From)
			o.Add("limit_to", output.When(!math.IsInf(c.Limits.To, 1), c.Limits.To))
		}
		o = append(o, output.Pairs("jobs", c.Jobs, "starts", c.Starts[:], "submissions", c.Submissions[:],
			"rule_hour", output.When(c.RuleHour >= 0, c.RuleHour))...)
		classes = append(classes, o)
	}
	return output.Pairs("daylight_saving", s.DaylightSaving, "classes", classes)
}

// StartRule says which rule by the clock the starts of jobs seem to follow, and returns such a rule for --start-window: no job
// starts whose limit reaches beyond the hour in which the most starts are. Of several classes with a rule, the one with the
// longest limits counts, as rules hold long jobs. Both are "" if the starts show no rule for jobs with limits.
func (l *Log) StartRule() (seen, rule string) {
	if l.Logged == nil || l.Logged.Starts == nil {
		return "", ""
	}
	s := l.Logged.Starts
	c := s.Rule()
	if c == nil {
		return "", ""
	}
	seen, rule = startSentence(c, s.DaylightSaving), fmt.Sprintf("daily %d:00", c.RuleHour)
	if zone := l.source.Header.StandardZone(); !s.DaylightSaving && zone != "" {
		rule += " in " + zone
	}
	return seen, rule
}

// startSentence says which share of the starts of a class falls into the hour that shows a rule.
func startSentence(c *logstats.StartClass, daylightSaving bool) string {
	clock := ""
	if !daylightSaving {
		clock = " on clocks without daylight saving"
	}
	return fmt.Sprintf("%.0f %% of the starts of %s fall between %d and %d h%s: they seem to follow a rule by the clock.",
		100*float64(c.Starts[c.RuleHour])/float64(c.Jobs), c.Limits.String(), c.RuleHour, c.RuleHour+1, clock)
}

// startSentences say where the starts of jobs show a rule by the clock: one sentence for all jobs, or one for each class of limits.
func startSentences(s *logstats.StartClock) (all []string) {
	if s == nil {
		return nil
	}
	for i := range s.Classes {
		c := &s.Classes[i]
		if c.RuleHour < 0 {
			continue
		}
		all = append(all, startSentence(c, s.DaylightSaving))
		if c.Limits.Kind == logstats.AllJobs {
			break
		}
	}
	return all
}

// starts returns the table of the starts of jobs by hour of the day and length of their limits. It is nil for a log that
// does not tell them.
func (l *Log) starts() *output.List {
	if l.Logged == nil || l.Logged.Starts == nil {
		return nil
	}
	title := "Starts by hour of the day and limit [% of the starts]"
	if !l.Logged.Starts.DaylightSaving {
		title += ", on clocks without daylight saving"
	}
	return sections("", title, l.Logged.Starts.Classes, func(c *logstats.StartClass) output.Row {
		row := output.Row{section("starts of " + c.Limits.String()), output.InTable("limit").Is(c.Limits.String())}
		for h := 0; h < len(c.Starts); h += dayParts {
			part := 0
			for _, n := range c.Starts[h : h+dayParts] {
				part += n
			}
			row = append(row, output.InTable(fmt.Sprintf("%d–%d", h, h+dayParts)).Decimals(0).Is(100*float64(part)/float64(c.Jobs)))
		}
		for h, n := range c.Starts {
			row = append(row, output.InCSV(fmt.Sprintf("hour_%d", h), n))
		}
		return append(row, output.Col("jobs", "jobs").Is(c.Jobs))
	})
}
