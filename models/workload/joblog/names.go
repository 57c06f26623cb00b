package joblog

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Names are what a log calls the users, groups, queues and so on for which its jobs have numbers: number k is element k−1.
// Groups are accounts where the log has these, and Queues are partitions where the log has these. A log in Standard Workload
// Format has numbers alone, and no names.
type Names struct {
	Users, Groups, Queues, QOS, Clusters []string
	States                               []string // in the log's own spelling
	NodeLists                            []string // as the log writes them; see [NodeNames]
	// NodeSizes are the CPUs of each node by its name, where sizes of jobs count CPUs; nil: sizes count nodes.
	NodeSizes map[string]int
}

// nameOf returns the name of a number, "" of a number below 1. A number without a name is its own name.
func nameOf(names []string, number int) string {
	switch {
	case number < 1 && (names != nil || number < 0):
		return ""
	case number >= 1 && number <= len(names):
		return names[number-1]
	}
	return strconv.Itoa(number)
}

// State returns how a job ended in the log's own spelling, such as OUT_OF_MEMORY. Where the log has no names of states, it
// returns the name of the job's [Status].
func (n *Names) State(j *Job) string {
	if j.State > 0 {
		return nameOf(n.States, int(j.State))
	}
	return j.Status.String()
}

// Label is what jobs are told apart by, besides their sizes: partition, user, account or qos.
type Label string

// The labels.
const (
	Partition Label = "partition" // the queue where the log has no partitions
	User      Label = "user"
	Account   Label = "account" // the group where the log has no accounts
	QOS       Label = "qos"
)

// Labels lists all labels.
func Labels() []Label { return []Label{Partition, User, Account, QOS} }

// Of returns what a job has for a label, "" where the log does not tell.
func (n *Names) Of(l Label, j *Job) string {
	switch l {
	case User:
		return nameOf(n.Users, j.User)
	case Account:
		return nameOf(n.Groups, j.Group)
	case QOS:
		if j.QOS > 0 {
			return nameOf(n.QOS, int(j.QOS))
		}
		return ""
	}
	if j.Partition >= 0 {
		return nameOf(n.Queues, j.Partition)
	}
	return nameOf(n.Queues, j.Queue)
}

// Choice chooses jobs by one of their labels.
type Choice struct {
	Label  Label
	Only   []string // none: all
	Except []string
}

// ParseChoice reads a list such as main,long or !debug, whose names with an exclamation mark are left out.
func ParseChoice(l Label, text string) (Choice, error) {
	c := Choice{Label: l}
	for name := range strings.SplitSeq(text, ",") {
		name, except := strings.CutPrefix(strings.TrimSpace(name), "!")
		switch {
		case name == "":
			return Choice{}, fmt.Errorf("%q has an empty name; write names separated by commas, !NAME leaves one out", text)
		case except:
			c.Except = append(c.Except, name)
		default:
			c.Only = append(c.Only, name)
		}
	}
	return c, nil
}

// takes reports whether a job is chosen.
func (c *Choice) takes(n *Names, j *Job) bool {
	name := n.Of(c.Label, j)
	return (len(c.Only) == 0 || slices.Contains(c.Only, name)) && !slices.Contains(c.Except, name)
}

// UnknownNameError is the error of a choice by a name that no job of the log has.
type UnknownNameError struct {
	Label Label
	Name  string
	Known []string // the names that jobs have, sorted; none if the log does not tell the label
}

func (e *UnknownNameError) Error() string {
	if len(e.Known) == 0 {
		return fmt.Sprintf("joblog: the log does not tell the %s of its jobs", e.Label)
	}
	return fmt.Sprintf("joblog: no job has the %s %q", e.Label, e.Name)
}

// check returns an *[UnknownNameError] for the first name of the choice that no job has, or the error of the jobs.
func (c *Choice) check(jobs Jobs, n *Names) error {
	had := map[string]bool{}
	for j, err := range jobs {
		if err != nil {
			return err
		}
		had[n.Of(c.Label, j)] = true
	}
	delete(had, "")
	for _, name := range slices.Concat(c.Only, c.Except) {
		if !had[name] {
			return &UnknownNameError{Label: c.Label, Name: name, Known: slices.Sorted(maps.Keys(had))}
		}
	}
	return nil
}
