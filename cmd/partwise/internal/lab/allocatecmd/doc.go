// Package allocatecmd compares policies that choose how many nodes a job is to keep: the command allocate.
//
//	figures of the report or flags → lab.DaysStudy → simulated days → a row for each policy and load → JSON, CSV, tables, a picture
package allocatecmd
