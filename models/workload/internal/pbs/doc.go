// Package pbs reads the text of accounting logs of PBS and Torque: records with their attributes, numbers of jobs, lists of
// hosts, and chunks of the machine.
package pbs
