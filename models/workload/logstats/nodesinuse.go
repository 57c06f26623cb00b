package logstats

import "github.com/partwise/partwise/models/workload/joblog"

// Use is how many nodes the jobs of a log held, as the log recorded it.
type Use struct {
	Peak int // the most at once
	// Beyond is the share of the time, from the first start to the last end, in which jobs held more nodes than the machine has.
	Beyond float64
	// Load is the node-time of the jobs over that of the machine from the first submission to the last end. It is at most 1 if the
	// machine has as many nodes as the jobs held.
	Load float64
	// Edges tell whether the log has the jobs that ran when it begins and when it ends.
	Edges Edges
}

// Edges say how many jobs ran at the begin and at the end of a log. A log lacks the jobs that ran when it begins if it was chosen
// by times of submission: the machine fills. It lacks the jobs that ran when it ends if it was chosen by times of ends: the last
// end comes soon after the last start.
type Edges struct {
	Span     float64 // seconds from the first submission to the last
	Running  float64 // the mean number of running jobs in this time
	Filling  float64 // seconds from the first submission until so many jobs run
	Tail     float64 // seconds from the last start to the last end
	Residual float64 // seconds for which a running job goes on to run, on average
}

// UseOf returns how many nodes of a machine the jobs of a log held. Jobs whose start the log does not tell count as started at
// once in Load, and not in the rest. It is zero without jobs. The error comes from the jobs.
func UseOf(jobs joblog.Jobs, nodes int) (u Use, err error) {
	jobs, _ = given(jobs, nil)
	err = inOrder(jobs, func(jobs joblog.Jobs) error {
		var submitted submittedJobs
		c := useCount{nodes: nodes}
		s := occasions{pass: c.pass}
		for j, err := range jobs {
			if err != nil {
				return err
			}
			if j.Problem(0) != "" {
				continue
			}
			submitted.add(j)
			if !Waited(j) {
				continue
			}
			if err := s.add(j, 0); err != nil {
				return err
			}
		}
		c.setEdges(&submitted)
		s.finish()
		u = c.use(&submitted)
		return nil
	})
	return u, err
}

// level is a number of running jobs at a time.
type level struct {
	at      float64
	running int
}

// useCount follows the nodes in use.
type useCount struct {
	nodes      int     // of the machine
	start, at  float64 // the first change of the nodes in use, and the last so far
	lastStart  float64
	isStarted  bool
	used, peak int
	beyond     float64 // seconds with more nodes in use than the machine has
	running    int     // jobs
	most       int     // jobs that ran at once
	jobTime    float64 // running jobs × seconds up to the last change
	rising     []level // the first times at which more jobs ran than ever before
	edges      Edges
}

// submittedJobs are sums over jobs in the order of their submission.
type submittedJobs struct {
	jobs        int
	first, last float64 // submission
	end         float64 // the last end of a job
	work        float64 // node-seconds of the jobs
	runs, runs2 float64 // sums of the run times and of their squares
}

// add takes in that a job was submitted.
func (s *submittedJobs) add(j *joblog.Job) {
	if s.jobs++; s.jobs == 1 {
		s.first = j.Submit
	}
	s.last = j.Submit
	s.work += j.NodeTime()
	s.end = max(s.end, endOf(j))
	s.runs += j.Run
	s.runs2 += j.Run * j.Run
}

// endOf returns the last time of a job that the log tells.
func endOf(j *joblog.Job) float64 { return j.Submit + max(j.Wait, 0) + j.Run }

// pass takes an occasion in, in order of time.
func (c *useCount) pass(o occasion) {
	change := o.change()
	if change == 0 {
		return
	}
	if !c.isStarted {
		c.isStarted, c.start, c.at = true, o.at, o.at
	}
	c.advance(o.at)
	c.used += change
	c.peak = max(c.peak, c.used)
	switch o.kind {
	case ends:
		c.running--
	case starts, startsAfterWait:
		c.running++
		c.lastStart = o.at
	}
	if c.running > c.most {
		c.most = c.running
		c.rising = append(c.rising, level{o.at, c.running})
	}
}

// advance takes in that the nodes in use stayed the same until a time.
func (c *useCount) advance(now float64) {
	passed := now - c.at
	if passed <= 0 {
		return
	}
	c.at = now
	c.jobTime += passed * float64(c.running)
	if c.used > c.nodes {
		c.beyond += passed
	}
}

// setEdges sets the edges of a log of these jobs, except the tail. The occasions up to the last submission must have been
// passed, and no others.
func (c *useCount) setEdges(s *submittedJobs) {
	span := s.last - s.first
	if !c.isStarted || !(span > 0) {
		return
	}
	c.advance(s.last)
	c.edges = Edges{Span: span, Running: c.jobTime / span, Filling: span, Residual: s.runs2 / (2 * s.runs)}
	for _, l := range c.rising {
		if float64(l.running) >= c.edges.Running {
			c.edges.Filling = min(span, l.at-s.first)
			break
		}
	}
}

// use returns how many nodes the submitted jobs used, after the last occasion.
func (c *useCount) use(s *submittedJobs) Use {
	if s.jobs == 0 || !(s.end > s.first) || c.nodes < 1 {
		return Use{}
	}
	u := Use{Peak: c.peak, Load: s.work / ((s.end - s.first) * float64(c.nodes)), Edges: c.edges}
	u.Edges.Tail = c.at - c.lastStart
	if whole := c.at - c.start; whole > 0 {
		u.Beyond = c.beyond / whole
	}
	return u
}
