// Package sentence says in words what a decision means. Commands, reports and the explorer say it alike.

package output
