package logstats

import (
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/floats"
)

const (
	hour       = 3600.0
	mostHours  = 100 * 366 * 24
	hoursOfDay = 24
	daysOfWeek = 7
)

// Rate is the jobs that came in so many hours.
type Rate struct {
	Jobs  int
	Hours float64
}

// PerHour returns the jobs per hour, NaN if there was no hour.
func (r Rate) PerHour() float64 {
	if r.Hours == 0 {
		return math.NaN()
	}
	return float64(r.Jobs) / r.Hours
}

// Add adds the jobs and hours of another rate.
func (r *Rate) Add(o Rate) {
	r.Jobs += o.Jobs
	r.Hours += o.Hours
}

// Period is a month, or 30 days of a log without a date.
type Period struct {
	Name string // such as 1996-10
	Rate
	Load float64 // the work of its jobs over the capacity of the machine in it; NaN if the nodes are not known
	// Weeks is the number of jobs in each whole week that began in it.
	Weeks []float64
}

// Calendar is when jobs came.
type Calendar struct {
	Hours   [hoursOfDay]Rate             // of the day
	Days    [daysOfWeek]Rate             // of the week, from Monday on
	Week    [daysOfWeek][hoursOfDay]Rate // hours of days of the week
	Periods []Period
	// hourly, daily and periodic test whether hours of the day, days of the week and periods differ.
	hourly, daily, periodic assumptionTest
	hours                   []slot
}

// slot is an hour of the log.
type slot struct {
	Rate
	work    float64
	hour    int
	day     int // of the week
	period  string
	newDate bool // first of its day
}

// newCalendar sorts jobs into hours, and these into days, weeks and periods; see [Statistics.Calendar].
func newCalendar(submissions, works values, o Options) *Calendar {
	jobs := submissions.len()
	first, last := submissions.at(0), submissions.at(jobs-1)
	begin := first
	if o.Date != nil {
		d := o.Date(first)
		begin = math.Floor(first) - float64(d.Minute()*60+d.Second())
	}
	n := math.Floor((last-begin)/hour) + 1
	if n < 2 || n > mostHours {
		return nil
	}
	c := &Calendar{hours: make([]slot, int(n))}
	for i := range jobs {
		at := &c.hours[int((submissions.at(i)-begin)/hour)]
		at.Jobs++
		at.work += works.at(i)
	}
	date := o.Date
	if date == nil {
		date = func(seconds float64) time.Time { // a Monday, in periods of 30 days
			return time.Unix(int64(seconds-begin), 0).UTC().AddDate(0, 0, 4)
		}
	}
	for i := range c.hours {
		h := &c.hours[i]
		from := begin + float64(i)*hour
		h.Hours = (min(from+hour, last) - max(from, first)) / hour
		d := date(from)
		h.hour, h.day = d.Hour(), (int(d.Weekday())+6)%daysOfWeek
		h.newDate = h.hour == 0 && (i == 0 || c.hours[i-1].hour != 0)
		h.period = fmt.Sprintf("days %d–%d", i/720*30+1, i/720*30+30)
		if o.Date != nil {
			h.period = d.Format("2006-01")
		}
	}
	c.sum(o.Nodes)
	c.test()
	return c
}

// sum adds hours up.
func (c *Calendar) sum(nodes int) {
	for i := range c.hours {
		h := &c.hours[i]
		c.Hours[h.hour].Add(h.Rate)
		c.Days[h.day].Add(h.Rate)
		c.Week[h.day][h.hour].Add(h.Rate)
		if k := len(c.Periods); k == 0 || c.Periods[k-1].Name != h.period {
			c.Periods = append(c.Periods, Period{Name: h.period})
		}
		p := &c.Periods[len(c.Periods)-1]
		p.Add(h.Rate)
		p.Load += h.work
	}
	for i := range c.Periods {
		p := &c.Periods[i]
		p.Load /= p.Hours * hour * float64(nodes)
		if nodes <= 0 || p.Hours == 0 {
			p.Load = math.NaN()
		}
	}
}

// test compares hours within days, days within weeks, and the weeks of periods.
func (c *Calendar) test() {
	var days, weeks [][]float64 // jobs by hour of whole days, by day of whole weeks
	period := map[string]int{}
	for i := range c.Periods {
		period[c.Periods[i].Name] = i
	}
	var week []float64
	for i := 0; i < len(c.hours); i++ {
		if !c.hours[i].newDate || i == 0 {
			continue
		}
		day, whole := c.day(i)
		if !whole {
			week = nil // a change of clocks, which the weeks are interrupted for, or the end
			continue
		}
		days = append(days, day)
		if c.hours[i].day == 0 {
			week = []float64{}
		}
		if week == nil {
			continue
		}
		if week = append(week, floats.Sum(day)); len(week) < daysOfWeek {
			continue
		}
		weeks = append(weeks, week)
		p := &c.Periods[period[c.hours[i-(daysOfWeek-1)*hoursOfDay].period]]
		p.Weeks = append(p.Weeks, floats.Sum(week))
		week = nil
	}
	c.hourly, c.daily = friedman(days), friedman(weeks)
	var byPeriod [][]float64
	for _, p := range c.Periods {
		var roots []float64 // whose variance does not grow with their mean, as that of counts does
		for _, n := range p.Weeks {
			roots = append(roots, math.Sqrt(n))
		}
		if len(roots) > 1 {
			byPeriod = append(byPeriod, roots)
		}
	}
	c.periodic = variance(byPeriod)
}

// day returns the jobs by hour of the day that begins with an hour, and whether it has 24 of them.
func (c *Calendar) day(from int) (jobs []float64, whole bool) {
	for i := range hoursOfDay {
		k := from + i
		if k >= len(c.hours)-1 || c.hours[k].hour != i {
			return nil, false
		}
		jobs = append(jobs, float64(c.hours[k].Jobs))
	}
	return jobs, c.hours[from+hoursOfDay].newDate
}

// sameSecond returns how many jobs would come in the same second as another before, if those of an hour came
// independently of each other.
func (c *Calendar) sameSecond() float64 {
	if c == nil {
		return math.NaN()
	}
	sum := 0.0
	for i := range c.hours {
		if h := &c.hours[i]; h.Jobs > 1 {
			n := float64(h.Jobs)
			sum += n + hour*math.Expm1(n*math.Log1p(-1/hour)) // n less the number of seconds that have jobs
		}
	}
	return sum
}

// forgetHours frees the hours of the log, from which everything else in the calendar has been computed. A log of 33 years has 18
// MB of them.
func (c *Calendar) forgetHours() {
	if c != nil {
		c.hours = nil
	}
}

// peak returns the largest of several rates over their mean, or NaN without rates.
func peak(rates []Rate) float64 {
	var all Rate
	top := math.NaN()
	for _, r := range rates {
		all.Add(r)
		if x := r.PerHour(); r.Hours >= 1 && !(x <= top) {
			top = x
		}
	}
	return top / all.PerHour()
}
