// Package uniformlog has Downey's distributions of lifetimes and of parallelism, which are uniform in the logarithm, in stages.
package uniformlog
