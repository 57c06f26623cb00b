package lab

import (
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/lab/internal/cluster"
)

// The bounds of simulated clusters: nodes, and processes on a node.
const (
	MostClusterNodes = cluster.MostNodes
	MostMPL          = cluster.MostMPL
)

type (
	// Cluster describes a cluster whose nodes are shared in time, and its programs.
	Cluster = cluster.Config
	// Mix is a workload of programs: jobs are of each of its types with the same probability.
	Mix = cluster.Mix
)

// PaperCluster returns the cluster of the paper of Zhang et al. under a policy.
func PaperCluster(p policy.Policy) Cluster { return cluster.Defaults(p) }

// Mixes returns the workloads of the paper, wl1 to wl8.
func Mixes() []Mix { return cluster.Mixes() }

// DefaultMix returns the workload of all types of jobs.
func DefaultMix() Mix { return cluster.DefaultMix() }

// Patterns returns all patterns of messages.
func Patterns() []cluster.Pattern { return cluster.Patterns() }

// Activities names what processors do, in the order of the shares of a profile.
func Activities() []string { return cluster.Activities() }
