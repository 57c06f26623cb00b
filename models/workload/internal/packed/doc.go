// Package packed keeps rows, columns and names of many jobs in few bytes.
package packed
